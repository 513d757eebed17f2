// Labels that could be read as something else than they say are refused, and their place is told.
#include "exports.h"

namespace letterpress {
namespace {

constexpr const char* kCar = "Car 0.00 0 1.85 10 20 40 60 1.67 1.87 3.69 -16.53 2.39 58.49 1.57";

AnnotationSet kitti_of(const TempDir& dir, const std::string& line) {
  write_pictures(dir, {"image_2/1.png", "image_2/2.png"});
  dir.write("label_2/1.txt", std::string(kCar) + "\n");
  dir.write("label_2/2.txt", std::string(kCar) + "\n" + line + "\n");
  return read_annotations(dir.path());
}

}  // namespace

TEST_CASE("KITTI: a type of two words and numbers that are in the wrong places are rejected") {
  struct Case {
    const char *line, *message;
  };
  for (const Case& one :
       {Case{
            "red 1 0.0 0 0.0 10 20 60 70 1 1 1 0 0 10 0",
            "line 2 has the type 'red 1', must be one word; write it without blanks in every line"},
        Case{"red 1 0 0 0 10 20 60 70 1 1 1 0 0 10 0",
             "line 2 has the type 'red 1', must be one word; write it without blanks in every "
             "line"},
        Case{"red ball 0.0 0 0.0 10 20 60 70 1 1 1 0 0 10 0",
             "line 2 has the type 'red ball', must be one word"},
        Case{"Car 7 0 0 10 20 40 60 1 1 1 0 0 0 0", "line 2 truncated is '7', must be 0..1 or -1"},
        Case{"Car 0 9 0 10 20 40 60 1 1 1 0 0 0 0",
             "line 2 occluded is '9', must be 0, 1, 2, 3 or -1"},
        Case{"Car 0 0 90 10 20 40 60 1 1 1 0 0 0 0",
             "line 2 alpha is '90', must be an angle in radians or -10"},
        Case{"Car 0 0 0 10 20 40 60 1 1 1 0 0 0 nan",
             "line 2 rotation is 'nan', must be an angle in radians or -10"},
        Case{"Car 0 0", "line 2 has 3 fields, must be a type and 14 numbers"}}) {
    CAPTURE(one.line);
    TempDir dir;
    const AnnotationSet set = kitti_of(dir, one.line);
    CHECK(set.classes == std::vector<std::string>{"Car"});
    CHECK(set.items.size() == 1);
    CHECK_CONTAINS(only_reject(set), std::string("label_2/2.txt: ") + one.message);
  }
  for (const char* line : {"Van 1 3 -10 10 20 40 60 1 1 1 0 0 0 -10",
                           "Van -1 -1 -10 10 20 40 60 -1 -1 -1 -1000 -1000 -1000 -10 0.98"}) {
    CAPTURE(line);
    TempDir dir;
    CHECK(kitti_of(dir, line).items.size() == 2);
  }
}

TEST_CASE("KITTI: a set whose first type has a blank is known for what it is") {
  TempDir dir;
  write_pictures(dir, {"image_2/1.png"});
  dir.write("label_2/1.txt", "red ball 0.0 0 0.0 10 20 60 70 1 1 1 0 0 10 0\n");
  const AnnotationSet set = read_annotations(dir.path());
  CHECK(set.format == "kitti");
  CHECK_CONTAINS(only_reject(set), "has the type 'red ball', must be one word");
}

TEST_CASE("KITTI: of a set one damaged label file, the first too, costs its own picture") {
  TempDir dir;
  for (const char* split : {"train", "val"}) {
    for (const std::string name : {"0", "1", "2"}) {
      dir.write(std::string(split) + "/image_2/" + name + ".png", "");
      dir.write(std::string(split) + "/label_2/" + name + ".txt",
                "Car 0.0 0 0.0 10 20 60 70 1 1 1 0 0 10 0\n");
    }
  }
  dir.write("val/label_2/0.txt", "red cell 0.00 0 1.5 10 20 60 40 1.5 1.6 3.7 1 2 3 0.1 1.0\n");
  const LabelParts parts = label_parts(dir.path());
  REQUIRE(parts.parts.size() == 2);
  CHECK(parts.parts[1].split == "val");
  const AnnotationSet val = read_annotations(dir / "val");
  CHECK(val.items.size() == 2);
  CHECK_CONTAINS(only_reject(val), "line 1 has the type 'red cell', must be one word");
  dir.write("val/label_2/0.txt", "Car 0.00 0\n");
  CHECK_CONTAINS(only_reject(read_annotations(dir / "val")),
                 "line 1 has 3 fields, must be a type and 14 numbers");
}

// In GB2312 the cat is C3 A8, which is UTF-8 too: an e with a grave accent.
TEST_CASE("an XML whose declared encoding is not read is rejected unless it is ASCII") {
  TempDir dir;
  write_pictures(dir, {"1.jpg"});
  const auto voc = [&](const std::string& declaration, const std::string& name) {
    dir.write("1.xml", "<?xml version=\"1.0\" " + declaration + "?><annotation><object><name>" +
                           name +
                           "</name><bndbox><xmin>2</xmin><ymin>3</ymin><xmax>9</xmax><ymax>8</ymax>"
                           "</bndbox></object></annotation>");
    return read_annotations(dir.path(), {.format = "voc"});
  };
  const std::string message =
      "1.xml: declares the encoding 'GB2312', which is not read; save it as "
      "UTF-8";
  CHECK_CONTAINS(only_reject(voc("encoding=\"GB2312\"", "\xC3\xA8")), message);
  CHECK_CONTAINS(only_reject(voc("encoding = 'GB2312' standalone='yes'", "\xC3\xA8")), message);
  CHECK(voc("encoding=\"GB2312\"", "cat").classes == std::vector<std::string>{"cat"});
  for (const char* known : {"", "encoding=\"utf-8\"", "encoding='UTF8'"}) {
    CAPTURE(known);
    CHECK(voc(known, "\xC3\xA8").classes == std::vector<std::string>{"è"});
  }
  CHECK(voc("encoding='ISO-8859-1'", "\xE8").classes == std::vector<std::string>{"è"});
  const std::filesystem::path cvat =
      dir.write("cvat.xml",
                "<?xml version=\"1.0\" encoding=\"Big5\"?><annotations><image name=\"1.jpg\" "
                "width=\"9\" height=\"9\"><box label=\"\xC3\xA8\" xtl=\"1\" ytl=\"1\" xbr=\"3\" "
                "ybr=\"3\"/></image></annotations>");
  CHECK_CONTAINS(failure_of(cvat).message,
                 "cvat.xml: declares the encoding 'Big5', which is not read; save it as UTF-8");
}

TEST_CASE("comments and numbers in a list of classes are no part of names") {
  TempDir dir;
  write_pictures(dir, {"1.jpg"});
  dir.write("list.txt", "1.jpg 1,2,3,4,0\n");
  const auto failure = [&](const std::string& classes) {
    return failure_of(dir / "list.txt", {.classes = dir.write("classes.txt", classes)}).message;
  };
  CHECK_CONTAINS(failure("# list\ncat\n"),
                 "classes.txt:1: '# list' begins with #, which is not a comment here; remove the "
                 "line, or write the name of a class without it");
  for (const char* numbered : {"0: cat\n1: dog\n", "1:cat\n2:dog\n"})
    CHECK_CONTAINS(failure(numbered),
                   "cat'), must be the names alone; remove the numbers: a "
                   "line's place is its class id, from 0");
  CHECK(failure("cat\n1: dog\n").empty());
}

TEST_CASE("what is no list of names is not taken for one, whatever its lines are") {
  TempDir dir;
  write_pictures(dir, {"1.jpg"});
  dir.write("list.txt", "1.jpg 1,2,3,4,0\n");
  const auto failure = [&](const std::string& classes, const std::string& file = "classes.txt") {
    return failure_of(dir / "list.txt", {.classes = dir.write(file, classes)}).message;
  };
  const std::string rest =
      ", must be the names alone, one a line; write them so: a line's place "
      "is its class id, from 0";
  for (const auto& [classes, what] : std::vector<std::pair<std::string, std::string>>{
           {"path: .\nnc: 2\nnames: [a, b]\n", "is a YAML ('path: .')"},
           {"names:\n  0: cat\n  1: dog\n", "is a YAML ('names:')"},
           {"- cat\n- dog\n", "is a YAML ('- cat')"},
           {"item {\n  id: 1\n  name: 'cat'\n}\n", "is a label map ('item {')"},
           {"[\"cat\", \"dog\"]\n", "is JSON ('[\"cat\", \"dog\"]')"},
           {"id,name\n0,cat\n1,dog\n", "is a table with a header ('id,name')"},
           {"name;Class_ID\ncat;7\n", "is a table with a header ('name;Class_ID')"},
           {"\"cat\"\n\"dog\"\n", "has its names in quotes ('\"cat\"')"}})
    CHECK_CONTAINS(failure(classes), "classes.txt: " + what + rest);
  CHECK_CONTAINS(failure("cat\ndog\n", "coco.yaml"), "coco.yaml: is a YAML" + rest);
  for (const char* numbered : {"0 cat\n1 dog\n", "1 cat\n0 dog\n", "0,cat\n1,dog\n",
                               "1;cat\n2;dog\n", "cat,0\ndog,1\n", "1: dog\n0: cat\n"})
    CHECK_CONTAINS(failure(numbered), "must be the names alone; remove the numbers");
  for (const char* names :
       {"1 star\n2 stars\n", "0 cat\n", "7 cat\n8 dog\n", "red, small\n", "<unk>\n[pad]\ncat\n",
        "cat\n- dog\n", "it's\n'n'\n", "type 0\ntype 1\n"}) {
    CAPTURE(names);
    CHECK(failure(names).empty());
  }
}

TEST_CASE("Label Studio: a picture that was turned there is rejected") {
  TempDir dir;
  write_pictures(dir, {"a.jpg", "b.jpg"});
  const auto task = [](const std::string& name, const std::string& turn) {
    return R"({"id":7,"data":{"image":")" + name +
           R"("},"annotations":[{"result":[{"original_width":100,"original_height":80,)"
           R"("image_rotation":)" +
           turn +
           R"(,"value":{"x":50,"y":25,"width":20,"height":12.5,"rectanglelabels":["nut"]}}]}]})";
  };
  const AnnotationSet set = read_annotations(
      dir.write("ls.json", "[" + task("a.jpg", "0") + "," + task("b.jpg", "90") + "]"));
  check_pictures(set, dir, {{"a.jpg", {{"nut", 50, 20, 70, 30}}}});
  CHECK_CONTAINS(only_reject(set),
                 "ls.json: task 7: is turned by 90 degrees in Label Studio (image_rotation), which "
                 "is not read; turn the picture's file, and label it again");
}

}  // namespace letterpress
