// What stands around the rows of a CSV file: Excel's first line, comments, headers.
#include "exports.h"

namespace letterpress {
namespace {

constexpr const char* kHeader = "filename,xmin,xmax,ymin,ymax,class\n";
constexpr const char* kRow = "1.jpg,10,30,40,60,cat\n";

AnnotationSet read_rows(const TempDir& dir, const std::string& text,
                        const AnnotationOptions& options = {}) {
  write_pictures(dir, {"1.jpg", "2.jpg", "#3.jpg", "image"});
  return read_annotations(dir.write("boxes.csv", text), options);
}

std::string without_commas(std::string text, char separator) {
  std::ranges::replace(text, ',', separator);
  return text;
}

}  // namespace

TEST_CASE("sep= in the first line states the separator, and the header is the line below it") {
  struct Case {
    std::string line;
    char separator;
  };
  for (const Case& one : std::vector<Case>{{"sep=;\n", ';'},
                                           {"\xEF\xBB\xBFSEP=;\r\n", ';'},
                                           {"\"sep=;\"\r\n", ';'},
                                           {"sep=;;;;;;\n", ';'},
                                           {"sep=\t\r\n", '\t'},
                                           {"sep=,\n\n", ','},
                                           {"sep=|\n", '|'}}) {
    CAPTURE(one.line);
    TempDir dir;
    const AnnotationSet set =
        read_rows(dir, one.line + without_commas(std::string(kHeader) + kRow, one.separator));
    check_pictures(set, dir, {{"1.jpg", {{"cat", 10, 40, 30, 60}}}});
    CHECK(set.rejects.empty());
    CHECK_CONTAINS(set.recognised_by, "is a header of 6 columns, the first 'filename'");
  }
}

TEST_CASE("comments above the header are passed over and counted, and lines keep their numbers") {
  TempDir dir;
  const AnnotationSet set = read_rows(
      dir, std::string("# exported by X\n\n  # x, y; of corners, in pixels; see a, b, c, d\n") +
               kHeader + kRow + "2.jpg,1,2\n#3.jpg,1,20,2,40,dog\n");
  check_pictures(set, dir,
                 {{"1.jpg", {{"cat", 10, 40, 30, 60}}}, {"#3.jpg", {{"dog", 1, 2, 20, 40}}}});
  CHECK_CONTAINS(remarks_of(set), "2 lines of comment (#) are passed over");
  CHECK_CONTAINS(set.recognised_by, "line 4 is a header of 6 columns");
  CHECK_CONTAINS(only_reject(set), "boxes.csv:6: got 3 fields, must be 6");
}

TEST_CASE("a header and a picture's name may begin with #") {
  TempDir dir;
  const AnnotationSet headed = read_rows(dir, std::string("#") + kHeader + kRow);
  check_pictures(headed, dir, {{"1.jpg", {{"cat", 10, 40, 30, 60}}}});
  for (const char* row : {"#3.jpg,,,,,\n", "#3.jpg,10,20,30,x,cat\n"}) {
    CAPTURE(row);
    const AnnotationSet set = read_rows(dir, row + std::string("1.jpg,10,20,30,40,cat\n"));
    CHECK(set.items.size() + set.rejects.size() == 2);
    CHECK(set.remarks.empty());
  }
}

TEST_CASE("the header again further down is passed over and counted") {
  TempDir dir;
  const AnnotationSet set =
      read_rows(dir, std::string(kHeader) + kRow + "\xEF\xBB\xBFimage,XMin,XMax,YMin,YMax,label\n" +
                         "2.jpg,1,20,2,40,cat\n" + kHeader + "image,,,,,\n");
  check_pictures(
      set, dir,
      {{"1.jpg", {{"cat", 10, 40, 30, 60}}}, {"2.jpg", {{"cat", 1, 2, 20, 40}}}, {"image", {}}});
  CHECK(set.rejects.empty());
  CHECK_CONTAINS(remarks_of(set),
                 "2 lines are the header again, and passed over; the first is line 3");
}

TEST_CASE("another header further down refuses the file, with its line and both headers") {
  struct Case {
    std::string header;
    std::string above = kHeader;
    std::string known = "starts with another, 'filename,xmin,xmax,ymin,ymax,class'";
  };
  const std::string by_place =
      "has none at its start, where the columns are taken as 'path,x1,y1,x2,y2,class'";
  for (const Case& one : std::vector<Case>{{"filename,xmin,ymin,xmax,ymax,class"},
                                           {"filename,x,y,width,height,class"},
                                           {"filename,class"},
                                           {"filename,xmin,xmax,ymin,ymax,class,width,height"},
                                           {"filename,xmin,xmax,ymin,ymax,class", "", by_place}}) {
    CAPTURE(one.header);
    TempDir dir;
    write_pictures(dir, {"1.jpg"});
    const Failure failure = failure_of(
        dir.write("boxes.csv", one.above + "1.jpg,10,20,30,40,cat\n" + one.header + "\n" + kRow));
    CHECK(failure.exit == Exit::data);
    CHECK_CONTAINS(failure.message, "boxes.csv:" + std::string(one.above.empty() ? "2" : "3") +
                                        ": is a header, '" + one.header + "', and the file " +
                                        one.known + "; give the two files apart");
  }
}

TEST_CASE("where no header names the columns, what they are taken as is told") {
  TempDir dir;
  const AnnotationSet by_place = read_rows(dir, "# x\n1.jpg,10,20,30,40,cat\n");
  CHECK(by_place.recognised_by == "no header; line 2 has the six fields path,x1,y1,x2,y2,class");
  const AnnotationSet wanted = read_rows(dir, "1.jpg,10,20,30,40,cat\n", {.format = "csv"});
  CHECK(wanted.recognised_by ==
        "--format csv: no header; line 1 has the six fields path,x1,y1,x2,y2,class");
  const AnnotationSet makesense = read_rows(dir, "cat,10,20,30,40,1.jpg,100,80\n");
  CHECK(makesense.recognised_by ==
        "no header; line 1 has the eight fields class,x,y,width,height,name,width,height");
}

TEST_CASE("a row that begins with # is a comment, but where a picture is called so") {
  TempDir dir;
  const AnnotationSet set = read_rows(
      dir, "# made by X\n" + std::string(kHeader) + kRow +
               "#2.jpg,1,20,2,40,dog\n# 2.jpg,1,20,2,40,dog\n# a note\n#3.jpg,1,20,2,40,cat\n");
  check_pictures(set, dir,
                 {{"1.jpg", {{"cat", 10, 40, 30, 60}}}, {"#3.jpg", {{"cat", 1, 2, 20, 40}}}});
  CHECK(set.classes == std::vector<std::string>{"cat"});
  CHECK(set.rejects.empty());
  CHECK(set.remarks == std::vector<std::string>{"4 lines of comment (#) are passed over"});
  const AnnotationSet by_id = read_rows(dir, kHeader + std::string("#3,1,20,2,40,cat\n"));
  check_pictures(by_id, dir, {{"#3.jpg", {{"cat", 1, 2, 20, 40}}}});
}

TEST_CASE("rows of empty fields alone, as Excel leaves them, are passed over as empty lines are") {
  TempDir dir;
  const AnnotationSet set =
      read_rows(dir, std::string(kHeader) + kRow + ",,,,,\r\n , ,,,, \n2.jpg,,,,,\n,,,,,");
  check_pictures(set, dir, {{"1.jpg", {{"cat", 10, 40, 30, 60}}}, {"2.jpg", {}}});
  CHECK(set.rejects.empty());
}

TEST_CASE("a class that pandas writes for an empty field is none, unless --classes has it") {
  for (const char* hole : {"NaN", "nan", "None", "null", "<NA>", "N/A"}) {
    CAPTURE(hole);
    TempDir dir;
    const std::string text = kHeader + std::string(kRow) + "2.jpg,1,20,2,40," + hole + "\n";
    const AnnotationSet set = read_rows(dir, text);
    CHECK(set.classes == std::vector<std::string>{"cat"});
    CHECK(set.items.size() == 1);
    REQUIRE(set.rejects.size() == 1);
    CHECK_CONTAINS(only_reject(set), "boxes.csv:3: the class is " + std::string(hole) +
                                         ", which pandas writes for an empty field; write");
    const auto classes = dir.write("classes.txt", "cat\n" + std::string(hole) + "\n");
    const AnnotationSet named = read_rows(dir, text, {.classes = classes});
    check_pictures(named, dir,
                   {{"1.jpg", {{"cat", 10, 40, 30, 60}}}, {"2.jpg", {{hole, 1, 2, 20, 40}}}});
  }
  TempDir dir;
  const AnnotationSet set = read_rows(dir, kHeader + std::string("1.jpg,1,20,2,40,none\n"));
  CHECK(set.classes == std::vector<std::string>{"none"});
}

TEST_CASE("lines of a Mac of old, bars between fields and commas behind the last column are read") {
  const std::string rows = kRow + std::string("2.jpg,1,20,2,40,dog\n");
  std::string of_mac = kHeader + rows;
  std::ranges::replace(of_mac, '\n', '\r');
  for (const std::string& text :
       {of_mac, without_commas(kHeader + rows, '|'),
        std::string("filename,xmin,xmax,ymin,ymax,class,,\n1.jpg,10,30,40,60,cat,,\n"
                    "2.jpg,1,20,2,40,dog,,\n")}) {
    CAPTURE(text);
    TempDir dir;
    const AnnotationSet set = read_rows(dir, text);
    check_pictures(set, dir,
                   {{"1.jpg", {{"cat", 10, 40, 30, 60}}}, {"2.jpg", {{"dog", 1, 2, 20, 40}}}});
    CHECK(set.rejects.empty());
    CHECK(set.remarks.empty());
  }
}

TEST_CASE("a field without a column and a row without the header's commas are rejected") {
  TempDir dir;
  const AnnotationSet set = read_rows(dir,
                                      "filename,xmin,xmax,ymin,ymax,class,\n"
                                      "1.jpg,10,30,40,60,cat,dog\n2.jpg,1,20,2,40,dog\n");
  REQUIRE(set.rejects.size() == 2);
  CHECK_CONTAINS(to_string(set.rejects[0]),
                 "boxes.csv:2: has more fields than the header names columns");
  CHECK_CONTAINS(to_string(set.rejects[1]), "boxes.csv:3: got 6 fields, must be 7");
}

TEST_CASE("a decimal comma is told as one") {
  TempDir dir;
  const AnnotationSet set = read_rows(dir,
                                      "filename;xmin;ymin;xmax;ymax;class\n"
                                      "1.jpg;10,5;20;60;70;cat\n2.jpg;1;2;x,y;40;dog\n");
  REQUIRE(set.rejects.size() == 2);
  CHECK_CONTAINS(to_string(set.rejects[0]),
                 "boxes.csv:2: field 2: '10,5' is not a number; write a decimal point in place of "
                 "the comma");
  CHECK_CONTAINS(to_string(set.rejects[1]), "field 4: 'x,y' is not a number; write a field for");
}

}  // namespace letterpress
