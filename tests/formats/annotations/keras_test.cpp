#include <chrono>

#include "samples.h"

namespace letterpress {
namespace {

// A list beside pictures 1.jpg and "a b.jpg", with classes cat and dog.
struct KerasSet {
  TempDir dir;
  AnnotationOptions options;

  KerasSet() {
    write_pictures(dir, {"1.jpg", "a b.jpg", "x, y,z 1,2,3,4,0 w.png"});
    options.classes = dir.write("classes.txt", "cat\ndog\n");
    options.format = "keras";
  }
  AnnotationSet read(const std::string& text) {
    return read_annotations(dir.write("train.txt", text), options);
  }
};

}  // namespace

TEST_CASE("a keras list's boxes are corners in pixels and a class id") {
  KerasSet keras;
  const AnnotationSet set = keras.read("1.jpg 1,2,30,40,0 5.5,6,70,80.25,1\n");
  REQUIRE(set.items.size() == 1);
  CHECK(set.items[0].boxes == std::vector<LabelBox>{{1, 2, 30, 40, 0}, {5.5f, 6, 70, 80.25f, 1}});
  CHECK(set.items[0].where == (keras.dir / "train.txt").string() + ":1");
  CHECK(set.items[0].name == "1.jpg");
  CHECK_FALSE(set.items[0].normalised);
  CHECK(set.boxes_found == 2);
}

TEST_CASE(
    "paths with blanks, commas and even boxes in them end at the last field that is not a box") {
  KerasSet keras;
  const AnnotationSet set =
      keras.read("a b.jpg 1,2,3,4,0\na b.jpg\nx, y,z 1,2,3,4,0 w.png 5,6,7,8,1\n");
  REQUIRE(set.items.size() == 3);
  CHECK(set.items[0].name == "a b.jpg");
  CHECK(set.items[0].boxes.size() == 1);
  CHECK(set.items[1].boxes.empty());
  CHECK(set.items[2].name == "x, y,z 1,2,3,4,0 w.png");
  CHECK(set.items[2].boxes == std::vector<LabelBox>{{5, 6, 7, 8, 1}});
}

TEST_CASE("a byte order mark, CRLF, tabs, empty lines and a missing line end change nothing") {
  KerasSet keras;
  const AnnotationSet set = keras.read(
      "\xEF\xBB\xBF"
      "1.jpg 1,2,3,4,0\r\n\r\n  \na b.jpg\t5,6,7,8,1  9,9,10,10,0 \r\n1.jpg 1,1,2,2,1");
  CHECK(set.rejects.empty());
  REQUIRE(set.items.size() == 3);
  CHECK(set.items[1].boxes.size() == 2);
  CHECK_CONTAINS(set.items[2].where, "train.txt:5");
}

TEST_CASE("a picture listed twice stays twice") {
  KerasSet keras;
  const AnnotationSet set = keras.read("1.jpg 1,2,3,4,0\n1.jpg 5,6,7,8,1\n");
  REQUIRE(set.items.size() == 2);
  CHECK(set.items[0].path == set.items[1].path);
}

TEST_CASE("a bad line is reported with its number and the good ones are kept") {
  const std::string fix =
      "; write path x1,y1,x2,y2,class ... with five numbers and no blanks in a box";
  const std::string coordinate =
      "; correct this corner, in pixels of the picture, or remove the box";
  const std::string id = "; correct the id or add the class to classes.txt",
                    number = "; write its number among the classes of classes.txt, 0..1";
  const std::string blank = "; remove the blank inside the box";
  struct Case {
    std::string line, what;
    int boxes;
  };
  const std::vector<Case> cases{
      {"1.jpg 1,2,x,4,0", "object 1 '1,2,x,4,0': 'x' is not a number" + fix, 1},
      {"1.jpg 1,2,3,4,0 1,2,nan,4,0", "object 2 '1,2,nan,4,0': 'nan' is not finite" + coordinate,
       2},
      {"1.jpg 1,inf,3,4,0", "object 1 '1,inf,3,4,0': 'inf' is not finite" + coordinate, 1},
      {"1.jpg 1,2,-1e300,4,0", "object 1 '1,2,-1e300,4,0': '-1e300' is beyond 1e7" + coordinate, 1},
      {"1.jpg 1,2,1e999,4,0", "object 1 '1,2,1e999,4,0': '1e999' is not finite" + coordinate, 1},
      {"1.jpg 1,2,3,4", "object 1 '1,2,3,4': got 4 numbers, must be 5" + fix, 1},
      {"1.jpg 1,2,3,4,0,7", "object 1 '1,2,3,4,0,7': got 6 numbers, must be 5" + fix, 1},
      {"1.jpg 1,2,,4,0", "object 1 '1,2,,4,0': '' is not a number" + fix, 1},
      {"1.jpg 5 ,5,20,20,0", "object 1 ',5,20,20,0': '' is not a number" + blank, 1},
      {"1.jpg 5, 5,20,20,0", "object 1 '5,': got 2 numbers, must be 5" + blank, 2},
      {"1.jpg 1,2,3,4,2",
       "object 1 '1,2,3,4,2': class 2 is out of range: classes.txt names 2 classes, 0..1" + id, 1},
      {"1.jpg 1,2,3,4,-1",
       "object 1 '1,2,3,4,-1': class -1 is out of range: classes.txt names 2 classes, 0..1; "
       "correct the id",
       1},
      {"1.jpg 1,2,3,4,cat", "object 1 '1,2,3,4,cat': class 'cat' is not an integer" + number, 1},
      {"1.jpg 1,2,3,4,0.5", "object 1 '1,2,3,4,0.5': class '0.5' is not an integer" + number, 1},
      {"none.jpg 1,2,3,4,0", "there is no picture 'none.jpg', tried ", 1},
      {"1.jpg 10", "got '10' behind the picture, must be boxes" + fix, 0},
      {"a b.jpg 20, 20, 70, 70, 1 1,2,3,4,0",
       "got '20, 20, 70, 70, 1' behind the picture, must be boxes" + fix, 1},
      {"1.jpg 1,2,3,4,0 20 20 70 70 1",
       "got '1,2,3,4,0 20 20 70 70 1' behind the picture, must be boxes" + fix, 0},
  };
  for (const Case& c : cases) {
    CAPTURE(c.line);
    KerasSet keras;
    const AnnotationSet set = keras.read("1.jpg 1,2,3,4,0\n" + c.line + "\na b.jpg\n");
    CHECK(set.items.size() == 2);
    CHECK_CONTAINS(only_reject(set), "train.txt:2: " + c.what);
    CHECK(set.rejects[0].scope == Reject::Scope::picture);
    CHECK(set.boxes_found == 1 + c.boxes);
    CHECK(set.boxes_rejected == c.boxes);
  }
}

TEST_CASE(
    "a list of pictures without boxes is not taken for a keras list unasked; the error says how to "
    "ask") {
  TempDir dir;
  write_pictures(dir, {"1.jpg", "a b.jpg"});
  const AnnotationOptions options{.classes = dir.write("classes.txt", "cat\n")};
  const std::filesystem::path list = dir.write("train.txt", "1.jpg\na b.jpg\n");
  const auto message = [&](const std::filesystem::path& input) -> std::string {
    try {
      read_annotations(input, options);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  CHECK_CONTAINS(
      message(list),
      "keras: every line is a picture without a box; if none has one, give --format keras");
  CHECK_CONTAINS(message(dir.write("other.txt", "1.jpg\nnowhere.jpg\n")),
                 "keras: no line holds a path and a box x1,y1,x2,y2,class");
  AnnotationOptions asked = options;
  asked.format = "keras";
  CHECK(read_annotations(list, asked).items.size() == 2);
}

TEST_CASE("a million boxes in one line are rejected at once") {
  KerasSet keras;
  std::string line = "1.jpg";
  for (int i = 0; i < 1000000; ++i) line += " 1,2,3,4,0";
  const std::filesystem::path list = keras.dir.write("train.txt", line + "\na b.jpg 1,2,3,4,0\n");
  const auto start = std::chrono::steady_clock::now();
  const AnnotationSet set = read_annotations(list, keras.options);
  CHECK(std::chrono::steady_clock::now() - start <
        std::chrono::seconds(10));  // linear: about 0.05 s; quadratic: hours
  CHECK_CONTAINS(only_reject(set),
                 "train.txt:1: holds 1000000 boxes, at most 10000 are allowed; split the picture "
                 "or remove boxes");
  CHECK(set.items.size() == 1);
  CHECK(set.boxes_found == 1000001);
  CHECK(set.boxes_rejected == 1000000);
}

TEST_CASE("max_boxes is the largest number that passes") {
  KerasSet keras;
  keras.options.max_boxes = 2;
  const AnnotationSet set =
      keras.read("1.jpg 1,2,3,4,0 1,2,3,4,0\n1.jpg 1,2,3,4,0 1,2,3,4,0 1,2,3,4,0\n");
  CHECK(set.items.size() == 1);
  CHECK_CONTAINS(only_reject(set), "train.txt:2: holds 3 boxes, at most 2 are allowed");
}

TEST_CASE("keras lists need class names, and a classes.txt beside them is proposed") {
  KerasSet keras;
  keras.options.classes.clear();
  const std::filesystem::path list = keras.dir.write("train.txt", "1.jpg 1,2,3,4,0\n");
  const Failure near = failure_of(list, keras.options);
  CHECK(near.exit == Exit::usage);
  CHECK_CONTAINS(near.message, "train.txt: holds class ids without names; give --classes " +
                                   (keras.dir / "classes.txt").string());
  std::filesystem::remove(keras.dir / "classes.txt");
  CHECK_CONTAINS(failure_of(list, keras.options).message,
                 "give --classes FILE (one class name per line)");
}

TEST_CASE("class files must leave no doubt about ids") {
  KerasSet keras;
  keras.dir.write("train.txt", "1.jpg 1,2,3,4,0\n");
  struct Case {
    std::string text, message;
  };
  const std::vector<Case> cases{
      {"cat\n\ndog\n", "classes.txt:2: is empty, so the ids of the names below it are unclear"},
      {"cat\ndog\ncat\n", "classes.txt: classes 0 and 2 are both called 'cat'; rename one"},
      {"\n \n", "classes.txt: holds no class name; write one name per line"},
      {"cat\n\xFF\n", "classes.txt: class '\\xff' is not UTF-8"},
      {"cat\nd\tog\n",
       "classes.txt: class 'd\\x09og' holds a control character; write its name in printable "
       "characters"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.text);
    keras.dir.write("classes.txt", c.text);
    CHECK_CONTAINS(failure_of(keras.dir / "train.txt", keras.options).message, c.message);
  }
  keras.dir.write("classes.txt", "\xEF\xBB\xBFtraffic light\r\nStraße\r\n\r\n");
  CHECK(keras.read("1.jpg\n").classes == std::vector<std::string>{"traffic light", "Straße"});
}

// Roboflow's "Keras TXT" and "YOLO v3/v4 PyTorch TXT".
TEST_CASE("Roboflow: _classes.txt beside _annotations.txt names the classes, which is said") {
  TempDir dir;
  write_pictures(dir, {"train/1.jpg", "valid/2.jpg"});
  for (const std::string split : {"train", "valid"}) {
    dir.write(split + "/_annotations.txt",
              (split == "train" ? "1" : "2") + std::string(".jpg 1,2,3,4,1\n"));
    dir.write(split + "/_classes.txt", "cat\ndog\n");
  }
  CHECK(label_parts(dir.path()).parts.size() == 2);
  const AnnotationSet set = read_annotations(dir / "train/_annotations.txt");
  CHECK(set.classes == std::vector<std::string>{"cat", "dog"});
  REQUIRE(set.items.size() == 1);
  CHECK(set.items[0].boxes == std::vector<LabelBox>{{1, 2, 3, 4, 1}});
  CHECK(set.remarks == std::vector<std::string>{"class names are those of " +
                                                (dir / "train/_classes.txt").string()});
  CHECK(
      read_annotations(dir / "train/_annotations.txt", {.classes = dir.write("own.txt", "a\nb\n")})
          .classes == std::vector<std::string>{"a", "b"});
}

TEST_CASE("a line that begins with # is a comment, but where a picture is called so") {
  KerasSet keras;
  write_pictures(keras.dir, {"#2.jpg", "images/#3.jpg"});
  const AnnotationSet set = keras.read(
      "1.jpg 1,2,3,4,0\n#1.jpg 1,2,3,4,1\n# 1.jpg 1,2,3,4,1\n# a note\n#2.jpg 1,2,3,4,1\n"
      "#3.jpg 1,2,3,4,0\n");
  REQUIRE(set.items.size() == 3);
  CHECK(set.items[0].boxes == std::vector<LabelBox>{{1, 2, 3, 4, 0}});
  CHECK(set.items[1].name == "#2.jpg");
  CHECK(set.items[2].name == "#3.jpg");
  CHECK(set.rejects.empty());
  REQUIRE(!set.remarks.empty());
  CHECK(set.remarks.front() == "3 lines of comment (#) are passed over");
}

}  // namespace letterpress
