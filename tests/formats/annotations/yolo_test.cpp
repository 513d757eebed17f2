#include <sys/stat.h>

#include "samples.h"

namespace letterpress {
namespace {

// images/1.jpg with labels/1.txt, and a data.yaml with classes cat and dog.
struct YoloSet {
  TempDir dir;

  YoloSet() {
    write_pictures(dir, {"images/1.jpg"});
    dir.write("data.yaml", "train: images\nnames: [cat, dog]\n");
  }
  AnnotationSet read(const std::string& labels) {
    dir.write("labels/1.txt", labels);
    return read_annotations(dir / "data.yaml");
  }
  Failure failure(const std::string& yaml, const AnnotationOptions& options = {.format = "yolo"}) {
    dir.write("labels/1.txt", "");
    return failure_of(dir.write("data.yaml", yaml), options);
  }
};

std::vector<std::string> names_and_splits(const AnnotationSet& set) {
  std::vector<std::string> list;
  for (const Item& item : set.items) list.push_back(item.name + " " + item.split);
  return list;
}

}  // namespace

TEST_CASE("YOLO boxes are corners in 0..1, flagged as normalised") {
  YoloSet yolo;
  const AnnotationSet set = yolo.read(
      "\xEF\xBB\xBF"
      "1 0.5 0.25 0.5 0.25\r\n\r\n0.0 .75 .5 .25 1\r\n");
  REQUIRE(set.items.size() == 1);
  CHECK(set.items[0].normalised);
  CHECK(set.items[0].boxes ==
        std::vector<LabelBox>{{0.25f, 0.125f, 0.75f, 0.375f, 1}, {0.625f, 0, 0.875f, 1, 0}});
  CHECK(set.items[0].where == (yolo.dir / "labels/1.txt").string());
  CHECK(set.classes == std::vector<std::string>{"cat", "dog"});
}

TEST_CASE("data.yaml: folders, lists and lists of them give the splits") {
  TempDir dir;
  write_pictures(dir, {"set/images/train/b.jpg", "set/images/train/sub/a.png",
                       "set/images/more/c.jpg", "set/images/val/d.jpg", "set/e.jpg"});
  dir.write("set/labels/train/b.txt", "0 .5 .5 .1 .1\n");
  dir.write("set/notes.txt", "no picture\n");
  dir.write("set/val.txt", "./images/val/d.jpg\n\n./images/train/b.jpg\n");
  dir.write("set/test.txt", "e.jpg\n");
  const std::filesystem::path yaml =
      dir.write("yaml/data.yaml",
                "# made by hand\npath: ../set\ntrain:\n  - images/train\n  - images/more\nval: "
                "val.txt\ntest: test.txt\nnc: 1\nnames:\n  0: cat\n");
  const AnnotationSet set = read_annotations(yaml);
  CHECK(set.rejects.empty());
  CHECK(names_and_splits(set) == std::vector<std::string>{"b.jpg train", "sub/a.png train",
                                                          "c.jpg train", "./images/val/d.jpg val",
                                                          "./images/train/b.jpg val",
                                                          "e.jpg test"});
  CHECK(set.items[0].path == set.items[4].path);
  CHECK(set.boxes_found == 2);
}

TEST_CASE("a folder with a data.yaml means the data.yaml") {
  YoloSet yolo;
  yolo.dir.write("labels/1.txt", "1 .5 .5 .1 .1");
  CHECK(read_annotations(yolo.dir.path()).items[0].split == "train");
}

TEST_CASE("a data.yaml whose ../train does not exist means the train beside it") {
  TempDir dir;
  write_pictures(dir, {"set/train/images/1.jpg"});
  dir.write("set/train/labels/1.txt", "0 .5 .5 .1 .1\n");
  const AnnotationSet set =
      read_annotations(dir.write("set/data.yaml", "train: ../train/images\nnames: ['a']\n"));
  CHECK(set.boxes_found == 1);
}

TEST_CASE("a picture without label file is a background, in labels/ or beside") {
  TempDir dir;
  write_pictures(dir, {"images/1.jpg", "images/2.jpg", "images/3.jpg"});
  dir.write("labels/1.txt", "0 .5 .5 .1 .1\n");
  dir.write("images/3.txt", "0 .5 .5 .1 .1\n0 .5 .5 .2 .2\n");
  const AnnotationSet set =
      read_annotations(dir / "images", {.classes = dir.write("names.txt", "cat\n")});
  REQUIRE(set.items.size() == 3);
  CHECK(set.items[0].boxes.size() == 1);
  CHECK(set.items[1].boxes.empty());
  CHECK(set.items[2].boxes.size() == 2);
  CHECK(set.rejects.empty());
}

TEST_CASE("of several folders called images the last one has labels beside it") {
  TempDir dir;
  write_pictures(dir, {"images/set/images/1.jpg"});
  dir.write("images/set/labels/1.txt", "0 .5 .5 .1 .1\n");
  CHECK(read_annotations(dir.write("images/set/data.yaml", "train: images\nnames: [a]\n"))
            .boxes_found == 1);
}

TEST_CASE("a bad label line rejects its picture and names file and line") {
  const std::string fix =
      ", or class and the corners of an outline; write class, centre x, centre y, width, height, "
      "divided by the image size";
  const std::vector<std::pair<std::string, std::string>> cases{
      {"0 .5 .5 .1", "got 4 fields, must be 5" + fix},
      {"0 .5 .5 .1 .1 .9", "got 6 fields, must be 5" + fix},
      {"0 .1 .1 .2 .1 .2 x", "coordinate 6 'x' is not a number"},
      {"0 .5 x .1 .1", "centre y 'x' is not a number; write class"},
      {"0 nan .5 .1 .1", "centre x 'nan' is not finite"},
      {"0 .5 .5 inf .1", "width 'inf' is not finite"},
      {"2 .5 .5 .1 .1",
       "class 2 is out of range: data.yaml names 2 classes, 0..1; correct the id or add the class "
       "to data.yaml"},
      {"-1 .5 .5 .1 .1", "class -1 is out of range: data.yaml names 2 classes, 0..1"},
      {"cat .5 .5 .1 .1", "class 'cat' is not an integer"},
      {"0 320 240 50 60",
       "centre x 320 is outside 0..1; are these pixels? divide by the image size"},
      {"0 .5 .5 .1 60", "height 60 is outside 0..1; are these pixels? divide by the image size"},
  };
  for (const auto& [line, message] : cases) {
    CAPTURE(line);
    YoloSet yolo;
    const AnnotationSet set = yolo.read("1 .5 .5 .1 .1\n" + line + "\n");
    CHECK(set.items.empty());
    CHECK_CONTAINS(only_reject(set), "labels/1.txt:2: " + message);
    CHECK(set.boxes_found == 2);
    CHECK(set.boxes_rejected == 2);
  }
}

TEST_CASE("a label file with too many boxes, or that is a folder, rejects its picture") {
  YoloSet yolo;
  std::string labels;
  for (int i = 0; i < 10001; ++i) labels += "0 .5 .5 .1 .1\n";
  CHECK_CONTAINS(only_reject(yolo.read(labels)),
                 "labels/1.txt: holds 10001 boxes, at most 10000 are allowed");
  std::filesystem::remove(yolo.dir / "labels/1.txt");
  std::filesystem::create_directory(yolo.dir / "labels/1.txt");
  CHECK_CONTAINS(only_reject(read_annotations(yolo.dir / "data.yaml")),
                 "labels/1.txt: is a folder, must be a file; restore this label file");
}

TEST_CASE("pictures in a folder that are not files are rejected") {
  YoloSet yolo;
  REQUIRE(mkfifo((yolo.dir / "images/2.jpg").c_str(), 0600) == 0);
  const AnnotationSet set = yolo.read("");
  CHECK(set.items.size() == 1);
  CHECK_CONTAINS(only_reject(set),
                 "images/2.jpg: is a FIFO, must be a file; replace it by a picture file");
}

TEST_CASE("a list's missing pictures are rejected with their line") {
  YoloSet yolo;
  yolo.dir.write("labels/1.txt", "");
  yolo.dir.write("train.txt", "images/1.jpg\nimages/gone.jpg\n");
  const AnnotationSet set =
      read_annotations(yolo.dir.write("data.yaml", "train: train.txt\nnames: [a]\n"));
  CHECK(set.items.size() == 1);
  CHECK_CONTAINS(only_reject(set), "train.txt:2: there is no picture 'images/gone.jpg', tried ");
}

TEST_CASE("a damaged or contradictory data.yaml is an error that names the line") {
  YoloSet yolo;
  const std::vector<std::pair<std::string, std::string>> cases{
      {"train: [images\nnames: [a]\n", "data.yaml:2: is not YAML: "},
      {"- a\n- b\n", "data.yaml:1: is not a map of names, train, val"},
      {"train: images\nnc: 3\n",
       "data.yaml:1: has no names of the classes; write `names: [first, second]`"},
      {"train: images\nnc: 3\nnames: [a, b]\n",
       "data.yaml:2: nc is '3', names holds 2; make them agree"},
      {"train: images\nnames: [a, a]\n", "classes 0 and 1 are both called 'a'; rename one"},
      {"train: images\nnames: {0: a, 2: b}\n",
       "data.yaml:2: class id '2' does not fit 0..1, each once; number the 2 names from 0"},
      {"train: images\nnames: {x: a}\n", "data.yaml:2: class id 'x' does not fit 0..0"},
      {"train: images\nnames: []\n", "names is neither a list nor a map of class names"},
      {"train: images\nnames: [[a]]\n", "data.yaml:2: a class name is not a text"},
      {"train: pictures\nnames: [a]\n",
       "data.yaml:1: train 'pictures' does not exist, tried " + (yolo.dir / "pictures").string()},
      {"train: images/1.jpg\nnames: [a]\n",
       "images/1.jpg: train: is a picture, must be a folder or a list of pictures"},
  };
  for (const auto& [yaml, message] : cases) {
    CAPTURE(yaml);
    const Failure failure = yolo.failure(yaml);
    CHECK(failure.exit == Exit::data);
    CHECK_CONTAINS(failure.message, message);
  }
}

TEST_CASE("a.TXT belongs to a.JPG; without its picture it is rejected as a.txt is") {
  TempDir dir;
  write_pictures(dir, {"images/A.JPG", "images/b.jpg"});
  dir.write("data.yaml", "train: images\nnames: [cat]\n");
  dir.write("labels/A.TXT", "0 .5 .5 .1 .1\n");
  const AnnotationSet set = read_annotations(dir / "data.yaml");
  CHECK(set.boxes_found == 1);
  CHECK(set.unlabelled == 1);
  CHECK(set.remarks ==
        std::vector<std::string>{"pictures without a box: no label file 1, empty 0"});
  CHECK(set.rejects.empty());
  dir.write("labels/C.TXT", "0 .5 .5 .1 .1\n");
  CHECK_CONTAINS(only_reject(read_annotations(dir / "data.yaml")),
                 "/labels/C.TXT: there is no picture of this name in ");
}

TEST_CASE("data.yaml has names of its own and refuses --classes") {
  YoloSet yolo;
  const std::filesystem::path classes = yolo.dir.write("classes.txt", "x\n");
  CHECK_CONTAINS(yolo.failure("train: images\nnames: [a]\n", {.classes = classes}).message,
                 "has names of its own; leave --classes out");
}

TEST_CASE("a data.yaml may not lead out of its folder") {
  TempDir dir;
  write_pictures(dir, {"other/1.jpg", "set/2.jpg"});
  dir.write("other/1.txt", "0 .5 .5 .1 .1\n");
  const std::filesystem::path yaml = dir.write("set/data.yaml", "train: ../other\nnames: [a]\n");
  CHECK_CONTAINS(failure_of(yaml).message, "outside the dataset's folder " +
                                               (dir / "set").string() +
                                               "; give --allow-outside, or --root");
  CHECK(read_annotations(yaml, {.allow_outside = true}).items.size() == 1);
  CHECK(read_annotations(yaml, {.roots = {dir.path()}}).items.size() == 1);
}

TEST_CASE("a label file without its picture is counted and rejected with its boxes") {
  TempDir dir;
  write_pictures(dir, {"images/train/1.jpg", "images/train/sub/2.png", "images/val/3.jpg"});
  dir.write("data.yaml", "train: images/train\nval: images/val\nnames: [cat]\n");
  for (const char* name : {"train/1", "train/sub/2", "val/3"})
    dir.write(std::string("labels/") + name + ".txt", "0 .5 .5 .1 .1\n");
  dir.write("labels/train/classes.txt", "cat\n");
  CHECK(read_annotations(dir / "data.yaml").rejects.empty());
  dir.write("labels/train/sub/gone.txt", "0 .5 .5 .1 .1\n0 .2 .2 .1 .1\n");
  dir.write("labels/val/empty.txt", "");
  const AnnotationSet set = read_annotations(dir / "data.yaml");
  CHECK(set.items.size() == 3);
  CHECK(set.boxes_found == 5);
  CHECK(set.boxes_rejected == 2);
  REQUIRE(set.rejects.size() == 2);
  const std::string folder = std::filesystem::canonical(dir.path()).string();
  CHECK(to_string(set.rejects[0]) ==
        folder + "/labels/train/sub/gone.txt: there is no picture of this name in " + folder +
            "/images/train/sub; restore the picture, or remove this label file");
  CHECK(set.rejects[0].path == folder + "/images/train/sub/gone.jpg");
  CHECK(set.rejects[1].where == folder + "/labels/val/empty.txt");
}

TEST_CASE(
    "beside pictures, only a text file of boxes is a label file without its picture; a list "
    "chooses among pictures") {
  TempDir dir;
  write_pictures(dir, {"set/1.jpg", "set/2.jpg"});
  const AnnotationOptions options{.format = "yolo", .classes = dir.write("names", "cat\n")};
  dir.write("set/1.txt", "0 .5 .5 .1 .1\n");
  dir.write("set/notes.txt", "drawn by hand\n");
  dir.write("set/empty.txt", "");
  const std::filesystem::path list = dir.write("set/train.txt", "1.jpg\n");
  CHECK(read_annotations(dir / "set", options).rejects.empty());
  dir.write("set/3.txt", "0 .5 .5 .1 .1\n");
  CHECK_CONTAINS(only_reject(read_annotations(dir / "set", options)),
                 "set/3.txt: there is no picture of this name in ");
  CHECK(read_annotations(list, options).rejects.empty());
}

}  // namespace letterpress
