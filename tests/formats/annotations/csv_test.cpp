#include "samples.h"

namespace letterpress {
namespace {

AnnotationSet read_csv(const TempDir& dir, const std::string& text,
                       const AnnotationOptions& options = {.format = "csv"}) {
  write_pictures(dir, {"1.jpg", "my, pictures/2 b.jpg", "déjà.png"});
  return read_annotations(dir.write("boxes.csv", text), options);
}

}  // namespace

TEST_CASE(
    "rows of one picture are gathered, quoted fields, blanks, UTF-8, CRLF and parts of pixels are "
    "read") {
  TempDir dir;
  const AnnotationSet set = read_csv(dir,
                                     "\xEF\xBB\xBFpath,x1,y1,x2,y2,class\r\n"
                                     "1.jpg,1,2.25,30,40,dog\r\n"
                                     "\"my, pictures/2 b.jpg\",1,1,2,2,\"a \"\"b\"\", c\"\r\n"
                                     "\r\n"
                                     "déjà.png,,,,,\r\n"
                                     "1.jpg, 5 ,6,7.5,8,cat\r\n",
                                     {.format = "auto"});
  CHECK(set.rejects.empty());
  CHECK(set.classes == std::vector<std::string>{"a \"b\", c", "cat", "dog"});
  REQUIRE(set.items.size() == 3);
  CHECK(set.items[0].boxes == std::vector<LabelBox>{{1, 2.25F, 30, 40, 2}, {5, 6, 7.5F, 8, 1}});
  CHECK(set.items[1].name == "my, pictures/2 b.jpg");
  CHECK(set.items[1].boxes == std::vector<LabelBox>{{1, 1, 2, 2, 0}});
  CHECK(set.items[2].boxes.empty());
  CHECK(set.boxes_found == 3);
}

TEST_CASE("a header's words say which column is what, in any order and spelling") {
  TempDir dir;
  struct Case {
    std::string header, row;
  };
  const std::vector<Case> cases{
      {"path,x0,y0,x1,y1,class", "1.jpg,1,2,31,42,dog"},
      {"path,XMin,YMin,XMax,YMax,LabelName", "1.jpg,1,2,31,42,dog"},
      {"file,left,top,right,bottom,category", "1.jpg,1,2,31,42,dog"},
      {"path,xmin,xmax,ymin,ymax,class", "1.jpg,1,31,2,42,dog"},
      {"file,Y_Min,X_Min,Y_Max,X_Max,label", "1.jpg,2,1,42,31,dog"},
      {"path,x,y,w,h,class", "1.jpg,1,2,30,40,dog"},
      {"image,left,top,Width,Height,label", "1.jpg,1,2,30,40,dog"},
      {"label,bbox_x,bbox_y,bbox_width,bbox_height,image_name", "dog,1,2,30,40,1.jpg"},
      {"image,x_center,y_center,box_w,box_h,class", "1.jpg,16,22,30,40,dog"},
      {"filename,width,height,class,xmin,ymin,xmax,ymax", "1.jpg,64,48,dog,1,2,31,42"},
      {"path,cx,cy,w,h,class,image_width,image_height", "1.jpg,16,22,30,40,dog,64,48"},
      {",path,x1,y1,x2,y2,class", "0,1.jpg,1,2,31,42,dog"},
      {"Unnamed: 0,path,x1,y1,x2,y2,class", "0,1.jpg,1,2,31,42,dog"}};
  for (const Case& one : cases) {
    CAPTURE(one.header);
    const AnnotationSet set = read_csv(dir, one.header + "\n" + one.row + "\n", {});
    CHECK(set.format == "csv");
    REQUIRE(set.items.size() == 1);
    CHECK(set.items[0].boxes == std::vector<LabelBox>{{1, 2, 31, 42, 0}});
    CHECK(set.items[0].name == "1.jpg");
    const bool states_size = one.row.find("64") != std::string::npos;
    CHECK(set.items[0].width == (states_size ? 64 : 0));
    CHECK(set.items[0].height == (states_size ? 48 : 0));
  }
}

TEST_CASE("a header with a word that is not known, or without a whole box, is refused") {
  TempDir dir;
  struct Case {
    std::string header, what;
  };
  const std::vector<Case> cases{
      {"f,left,top,right,bottom,c", "column 1 is called 'f', which is not known"},
      {"path,a,b,c,d,class", "column 2 is called 'a', which is not known"},
      {"path,x1,y1,x2,y2,class,score", "column 7 is called 'score', which is not known"},
      {"path,x,y,left,h,class", "column 4 is called 'left', and so is column 2 by its meaning"},
      {"path,x1,y1,x2,w,class", "its words for the y axis do not make a box"},
      {"path,xmin,y1,x1,y2,x2,label", "its words for the x axis do not make a box"},
      {"xmin,ymin,xmax,ymax,width,height", "no column of the header is a picture's path"}};
  for (const Case& one : cases) {
    CAPTURE(one.header);
    const Failure failure = failure_of(dir.write("boxes.csv", one.header + "\n"));
    CHECK(failure.exit == Exit::data);
    CHECK_CONTAINS(failure.message, "boxes.csv:1: " + one.what + "; name the columns filename, ");
  }
}

TEST_CASE("rows of a file with a header are measured by it") {
  TempDir dir;
  const AnnotationSet set = read_csv(dir,
                                     "class,filename,cx,cy,w,h\n"
                                     ",déjà.png,,,,\n"
                                     "dog,1.jpg,1,2,x,4\n");
  REQUIRE(set.items.size() == 1);
  CHECK(set.items[0].boxes.empty());
  CHECK_CONTAINS(only_reject(set),
                 "boxes.csv:3: field 5: 'x' is not a number; write a field for each column of the "
                 "header");
}

TEST_CASE("an id with a control character behind it is not an id, with --classes and without") {
  TempDir dir;
  const std::string text = "1.jpg,1,2,3,4,\"1\t\"\ndéjà.png,1,2,3,4,cat\n";
  for (const std::filesystem::path& classes :
       {std::filesystem::path(), dir.write("classes.txt", "dog\ncat\n")}) {
    const AnnotationSet set = read_csv(dir, text, {.format = "csv", .classes = classes});
    CHECK(set.items.size() == 1);
    REQUIRE(set.rejects.size() == 1);
    CHECK_CONTAINS(set.rejects[0].what, "class '1\\x09' holds a control character");
  }
}

TEST_CASE("ids need --classes, names may be given in its order") {
  TempDir dir;
  const std::filesystem::path classes = dir.write("classes.txt", "dog\ncat\n");
  const AnnotationSet set =
      read_csv(dir, "1.jpg,1,2,3,4,1\n1.jpg,1,2,3,4,dog\n", {.classes = classes});
  CHECK(set.recognised_by == "no header; line 1 has the six fields path,x1,y1,x2,y2,class");
  CHECK(set.items[0].boxes == std::vector<LabelBox>{{1, 2, 3, 4, 1}, {1, 2, 3, 4, 0}});
  const Failure failure = failure_of(dir.write("ids.csv", "1.jpg,1,2,3,4,1\n"));
  CHECK(failure.exit == Exit::usage);
  CHECK_CONTAINS(failure.message,
                 "ids.csv:1: class '1' is an id without a name; give --classes FILE (one class "
                 "name per line)");
}

TEST_CASE("a bad row rejects its picture with line, value and fix, and the other pictures stay") {
  TempDir dir;
  struct Case {
    std::string row, what,
        fix = "; write path,x1,y1,x2,y2,class, or path,,,,, for a picture without a box";
  };
  const std::string corner = "; correct this corner, in pixels of the picture, or remove the row";
  const std::string quotes =
      "; quote a whole field or none of it, and write a quote within one twice";
  const std::vector<Case> cases{
      {"1.jpg,1,x,3,4,dog", "field 3: 'x' is not a number"},
      {"1.jpg,nan,2,3,4,dog", "field 2: 'nan' is ", corner},
      {"1.jpg,1,2,inf,4,dog", "field 4: 'inf' is ", corner},
      {"1.jpg,1,2,3,1e30,dog", "field 5: '1e30' is ", corner},
      {"1.jpg,1,2,3,4,7", "class 7 is out of range: classes.txt names 2 classes, 0..1",
       "; correct the id or add the class to classes.txt"},
      {"1.jpg,1,2,3,4,cow", "class 'cow' is not in classes.txt",
       "; correct the name or add it to classes.txt"},
      {"1.jpg,1,2,3,4,", "class '' is not a name"},
      {"1.jpg,1,2,3,4", "got 5 fields, must be 6"},
      {"1.jpg,1,2,3,4,dog,9", "got 7 fields, must be 6"},
      {"1.jpg,1,,3,4,dog", "field 3: '' is not a number"},
      {"\"1.jpg,1,2,3,4,dog", "a quote is opened and not closed on this line", quotes},
      {"1.jpg,1,2,3,4,d\x01g", "class 'd\\x01g' holds a control character",
       "; write its name in printable characters"},
      {"1.jpg,1,2,3,4,d\xFFg", "class 'd\\xffg' is not UTF-8", "; convert the file to UTF-8"},
      {"\"1.jpg\"x,1,2,3,4,dog", "'x' follows a closing quote", quotes},
  };
  const std::filesystem::path classes = dir.write("classes.txt", "dog\ncat\n");
  for (const Case& c : cases) {
    CAPTURE(c.row);
    const AnnotationSet set = read_csv(dir, "déjà.png,1,2,3,4,dog\n" + c.row + "\n",
                                       {.format = "csv", .classes = classes});
    CHECK(set.items.size() == 1);
    const std::string reject = only_reject(set);
    CHECK_CONTAINS(reject, "boxes.csv:2");
    CHECK_CONTAINS(reject, c.what);
    CHECK_CONTAINS(reject, c.fix);
    CHECK(set.boxes_found == 2);
    CHECK(set.boxes_rejected == 1);
  }
}

TEST_CASE("a missing picture, one outside and too many boxes are rejected") {
  TempDir dir;
  const AnnotationSet set =
      read_csv(dir,
               "none.jpg,1,2,3,4,a\n/etc/"
               "passwd,1,2,3,4,a\n1.jpg,1,2,3,4,a\n1.jpg,1,2,3,5,a\n1.jpg,1,2,3,6,a\n",
               {.format = "csv", .max_boxes = 2});
  REQUIRE(set.rejects.size() == 3);
  CHECK_CONTAINS(to_string(set.rejects[0]), "boxes.csv:1: there is no picture 'none.jpg'");
  CHECK_CONTAINS(to_string(set.rejects[1]),
                 "boxes.csv:2: '/etc/passwd' leads to /etc/passwd, outside the dataset's folder");
  CHECK_CONTAINS(to_string(set.rejects[2]), "boxes.csv:3: holds 3 boxes, at most 2 are allowed");
  CHECK(set.boxes_found == 5);
  CHECK(set.boxes_rejected == 5);
}

TEST_CASE(
    "an inverted box is left to the check against the picture, which names line and corners") {
  TempDir dir;
  const AnnotationSet set = read_csv(dir, "1.jpg,30,2,3,40,a\n");
  const CheckedBoxes checked = check_boxes(set.items[0], 64, 48);
  REQUIRE(checked.rejects.size() == 1);
  CHECK_CONTAINS(to_string(checked.rejects[0]), "boxes.csv:1, object 1: box 30,2,3,40 is inverted");
}

TEST_CASE("an id without an extension that two pictures near the file have is rejected") {
  TempDir dir;
  write_pictures(dir, {"images/1.png", "images/2.jpg", "images/2.png"});
  const AnnotationSet set = read_annotations(dir.write(
      "boxes.csv", "image_id,xmin,ymin,xmax,ymax,class\n1,1,2,30,40,nut\n2,1,2,30,40,nut\n"));
  REQUIRE(set.items.size() == 1);
  CHECK(set.items[0].name == "1.png");
  CHECK_CONTAINS(only_reject(set),
                 "boxes.csv:3: names '2' without an extension, and '2.jpg' and '2.png' are there; "
                 "write the extension");
}

TEST_CASE("a header is one below empty lines too") {
  for (const char* blank : {"\n", "\xEF\xBB\xBF\r\n \n"}) {
    TempDir dir;
    const AnnotationSet set = read_csv(
        dir, std::string(blank) + "path;xmin;xmax;ymin;ymax;class\n1.jpg;1;5;2;8;cat\n", {});
    REQUIRE(set.items.size() == 1);
    CHECK(set.items[0].boxes == std::vector<LabelBox>{{1, 2, 5, 8, 0}});
  }
  TempDir dir;
  const AnnotationSet set = read_csv(dir, "\ncat,1,2,8,6,1.jpg,100,80\n", {});
  REQUIRE(set.items.size() == 1);
  CHECK(set.items[0].boxes == std::vector<LabelBox>{{1, 2, 9, 8, 0}});
}

}  // namespace letterpress
