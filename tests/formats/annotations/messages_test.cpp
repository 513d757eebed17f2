// What readers say of files that other programs have written in another encoding or not to the end.
#include "samples.h"

namespace letterpress {
namespace {

// ASCII as UTF-16 of the lower byte first, with its byte order mark, as Windows' Notepad saves it.
std::string as_utf16(const std::string& text) {
  std::string wide = "\xFF\xFE";
  for (const char c : text) wide += std::string{c, '\0'};
  return wide;
}

std::string rejects_of(const std::filesystem::path& input, const AnnotationOptions& options = {}) {
  std::string text;
  for (const Reject& reject : read_annotations(input, options).rejects)
    text += to_string(reject) + "\n";
  return text;
}

constexpr const char* kUtf16Said = ": is UTF-16 text, which only an .xml may be; save it as UTF-8";

}  // namespace

TEST_CASE("a list, a class file or a label file that was saved as UTF-16 is told as such") {
  TempDir dir;
  write_pictures(dir, {"images/1.jpg", "images/2.jpg"});
  dir.write("labels/1.txt", "0 .5 .5 .1 .1\n");
  const std::string label = dir.write("labels/2.txt", as_utf16("0 .5 .5 .1 .1\n")).string();
  CHECK(rejects_of(dir.write("data.yaml", "train: images\nnames: [cat]\n")) ==
        label + kUtf16Said + "\n");
  const std::string list = dir.write("train.txt", as_utf16("images/1.jpg\n")).string();
  CHECK(failure_of(dir.write("data.yaml", "train: train.txt\nnames: [cat]\n")).message ==
        list + kUtf16Said);
  dir.write("data.yaml", "train: images\nnames: [cat]\n");
  const std::string names = dir.write("names.txt", as_utf16("cat\n")).string();
  const std::string own = dir.write("set.txt", "images/1.jpg\n").string();
  CHECK(failure_of(own, {.classes = names}).message == names + kUtf16Said);
}

TEST_CASE("a label file that Git LFS has not fetched is told as such") {
  TempDir dir;
  write_pictures(dir, {"images/1.jpg", "images/2.jpg"});
  dir.write("labels/1.txt", "0 .5 .5 .1 .1\n");
  const std::string label =
      dir.write("labels/2.txt", "version https://git-lfs.github.com/spec/v1\noid sha256:4d\n")
          .string();
  CHECK(rejects_of(dir.write("data.yaml", "train: images\nnames: [cat]\n")) ==
        label + ": is a pointer of Git LFS, not the file itself; fetch it by `git lfs pull`\n");
}

TEST_CASE("an XML in Latin-1 is read where it says so, else told with the remedy") {
  TempDir dir;
  write_pictures(dir, {"JPEGImages/1.jpg"});
  const std::string xml =
      "<annotation><object><name>Stra\xDF"
      "e</name><bndbox><xmin>2</xmin><ymin>3</ymin>"
      "<xmax>9</xmax><ymax>8</ymax></bndbox></object></annotation>";
  const std::string file = dir.write("Annotations/1.xml", xml).string();
  CHECK(rejects_of(dir.path()) ==
        file +
            ", object 1: name 'Stra\\xdfe' is not UTF-8; save this XML as UTF-8, or let its "
            "first line say <?xml version=\"1.0\" encoding=\"ISO-8859-1\"?> if it is that\n");
  dir.write("Annotations/1.xml", R"(<?xml version="1.0" encoding="ISO-8859-1"?>)" + xml);
  CHECK(read_annotations(dir.path()).classes == std::vector<std::string>{"Stra\xC3\x9F"
                                                                         "e"});
}

TEST_CASE("a Supervisely shape of too few points is told with their number") {
  TempDir dir;
  write_pictures(dir, {"img/1.jpg"});
  const auto reject_of = [&](const std::string& type, const std::string& points) {
    dir.write("ann/1.jpg.json",
              R"({"size":{"width":20,"height":20},"objects":[{"classTitle":"cat",)"
              R"("geometryType":")" +
                  type + R"(","points":{"exterior":[)" + points + "]}}]}");
    return rejects_of(dir.path(), {.format = "supervisely"});
  };
  CHECK_CONTAINS(reject_of("rectangle", "[1,2]"),
                 "object 1: 'cat' is a rectangle of 1 point, must have its two corners; draw a "
                 "rectangle around it");
  CHECK_CONTAINS(reject_of("polygon", "[1,2],[3,4]"),
                 "object 1: 'cat' is a polygon of 2 points, must have three points or more; draw");
  CHECK_CONTAINS(reject_of("point", "[1,2]"),
                 "object 1: 'cat' is a point, must be a rectangle or a polygon; draw");
}

TEST_CASE("a FiftyOne label that is no place in its classes is told with their number") {
  TempDir dir;
  write_pictures(dir, {"data/a.jpg"});
  for (const char* label : {"2", "-1"}) {
    const std::string file =
        dir.write("labels.json", R"({"classes":["cat","dog"],"labels":{"a":[{"label":)" +
                                     std::string(label) +
                                     R"(,"bounding_box":[0.1,0.1,0.5,0.5]}]}})")
            .string();
    CHECK(rejects_of(file) == file + ": a: label " + label +
                                  " is no place in classes, which has 2 names, counted from 0; "
                                  "correct it, or export it again with its classes\n");
  }
}

TEST_CASE("a CSV may name pictures by an id without extension, where one picture is called so") {
  TempDir dir;
  write_pictures(dir, {"b6ab77fd7.jpg", "train/two.PNG", "three.jpg", "three.png", "plain"});
  dir.write("train/one.txt", "");
  const std::string file =
      dir.write("train.csv",
                "image_id,xmin,ymin,xmax,ymax,class\n"
                "b6ab77fd7,1,2,9,9,cat\nb6ab77fd7,2,2,9,9,cat\ntrain/two,1,2,9,9,cat\n"
                "three,1,2,9,9,cat\nfour,1,2,9,9,cat\n")
          .string();
  const AnnotationSet set = read_annotations(file);
  REQUIRE(set.items.size() == 2);
  CHECK(set.items[0].name == "b6ab77fd7.jpg");
  CHECK(set.items[0].boxes.size() == 2);
  CHECK(set.items[1].name == "train/two.PNG");
  const std::string rejects = rejects_of(file);
  CHECK_CONTAINS(rejects, file +
                              ":5: names 'three' without an extension, and 'three.jpg' and "
                              "'three.png' are there; write the extension\n");
  CHECK_CONTAINS(rejects, file + ":6: ");
  CHECK_CONTAINS(rejects, "'four'");
}

TEST_CASE("what Windows and a Mac leave beside pictures and labels is passed over and counted") {
  TempDir dir;
  write_pictures(dir, {"images/1.jpg"});
  dir.write("labels/1.txt", "0 .5 .5 .1 .1\n");
  for (const char* left : {"images/Thumbs.db", "images/desktop.ini", "images/Desktop.ini",
                           "images/._1.jpg", "labels/desktop.ini"})
    dir.write(left, "");
  const AnnotationSet set =
      read_annotations(dir.write("data.yaml", "train: images\nnames: [cat]\n"));
  CHECK(set.items.size() == 1);
  CHECK(set.rejects.empty());
  CHECK(set.remarks ==
        std::vector<std::string>{"passed over 5 files that systems and notebooks leave (._*, "
                                 "__MACOSX, .DS_Store, Thumbs.db, .ipynb_checkpoints)"});
}

TEST_CASE(
    "a folder whose table is UTF-16, as Excel's Unicode text, is refused with the file's name") {
  TempDir dir;
  write_pictures(dir, {"1.jpg"});
  const std::string table =
      dir.write("boxes.csv", as_utf16("path,xmin,ymin,xmax,ymax,class\n1.jpg,1,2,3,4,cat\n"))
          .string();
  CHECK(failure_of(dir.path()).message == table + kUtf16Said);
  CHECK(failure_of(table, {.format = "csv"}).message == table + kUtf16Said);
}

// Were it evaluated once more for the message, its REQUIRE would wait for ever.
TEST_CASE("a check of a text that fails evaluates the text once" * doctest::expected_failures(1)) {
  int n = 0;
  const auto text = [&] {
    REQUIRE(++n == 1);
    return std::string("a text");
  };
  CHECK_CONTAINS(text(), "what it does not hold");
}

}  // namespace letterpress
