// YOLO sets as tools and other machines leave them.
#include "exports.h"
#include "samples.h"

namespace letterpress {

TEST_CASE("a data.yaml of another machine: its own folder and the longest ends of its paths") {
  TempDir dir;
  write_pictures(dir, {"images/train/1.jpg", "images/val/2.jpg", "valid/3.jpg"});
  for (const char* label : {"labels/train/1.txt", "labels/val/2.txt", "valid/3.txt"})
    dir.write(label, "0 .5 .5 .1 .1\n");
  const auto remarks_of_yaml = [&](const std::string& yaml, std::size_t pictures) {
    const AnnotationSet set = read_annotations(dir.write("data.yaml", yaml + "names: [a]\n"));
    CHECK(set.items.size() == pictures);
    CHECK(set.rejects.empty());
    std::string text;
    for (const std::string& remark : set.remarks) text += remark + "\n";
    return text;
  };
  CHECK(remarks_of_yaml("path: /content/set\ntrain: images/train\nval: images/val\n", 2) ==
        "path '/content/set' is not here: the folder of data.yaml is taken for it\n");
  const std::string train = (dir / "images/train").string(), valid = (dir / "valid").string();
  CHECK(remarks_of_yaml("train: /content/set/images/train\nval: 'C:\\set\\valid'\n", 2) ==
        "train '/content/set/images/train' is not here: " + train +
            " is taken, by the longest end of the path\n"
            "val 'C:\\set\\valid' is not here: " +
            valid + " is taken, by the longest end of the path\n");
}

TEST_CASE("two splits do not come to one folder by the ends of their paths") {
  TempDir dir;
  write_pictures(dir, {"images/1.jpg"});
  const auto failure = failure_of(dir.write(
      "data.yaml", "train: /content/x/train/images\nval: /content/x/valid/images\nnames: [a]\n"));
  CHECK(failure.exit == Exit::data);
  CHECK_CONTAINS(failure.message, "train '/content/x/train/images' does not exist");
}

// https://github.com/HumanSignal/labelImg: classes.txt in the folder where labels are saved.
TEST_CASE("labelImg: the classes.txt beside labels names the classes, which is said") {
  TempDir dir;
  write_pictures(dir, {"two/images/1.jpg", "one/1.jpg"});
  for (const char* label : {"two/labels/1.txt", "one/1.txt"}) dir.write(label, "1 .5 .5 .1 .1\n");
  for (const char* list : {"two/labels/classes.txt", "one/classes.txt"}) {
    const std::string file = dir.write(list, "nut\nbolt\n").string();
    const AnnotationSet set = read_annotations(dir / std::string(list).substr(0, 3));
    CHECK(set.format == "yolo");
    CHECK(set.classes == std::vector<std::string>{"nut", "bolt"});
    REQUIRE(set.items.size() == 1);
    CHECK(set.items[0].boxes.at(0).class_id == 1);
    CHECK(set.rejects.empty());
    CHECK(set.remarks == std::vector<std::string>{"class names are those of " + file});
  }
  CHECK(read_annotations(dir / "one", {.classes = dir.write("own.txt", "a\nb\n")}).classes[0] ==
        "a");
}

TEST_CASE("two classes.txt that agree are one, two that differ are for people to settle") {
  TempDir dir;
  write_pictures(dir, {"set/images/1.jpg"});
  dir.write("set/labels/1.txt", "1 .5 .5 .1 .1\n");
  dir.write("set/labels/classes.txt", "nut\nbolt\n");
  dir.write("set/classes.txt", "nut\nbolt\n");
  CHECK(read_annotations(dir / "set").classes == std::vector<std::string>{"nut", "bolt"});
  dir.write("set/classes.txt", "bolt\nnut\n");
  const Failure failure = failure_of(dir / "set");
  CHECK(failure.exit == Exit::usage);
  CHECK(failure.message == (dir / "set/classes.txt").string() + ": names bolt, nut, but " +
                               (dir / "set/labels/classes.txt").string() +
                               " names nut, bolt; say by --classes which of them the labels go by, "
                               "or name folders that have lists of their own by an --input, --val "
                               "or --split each");
  CHECK(read_annotations(dir / "set", {.classes = dir / "set/classes.txt"}).classes[0] == "bolt");
}

TEST_CASE("labelImg's folder in a zip has the names that lie in it") {
  TempDir dir;
  write_pictures(dir, {"shots/1.jpg"});
  dir.write("shots/1.txt", "1 .5 .5 .1 .1\n");
  dir.write("shots/classes.txt", "nut\nbolt\n");
  const AnnotationSet set = read_annotations(zipped_by_python(dir.path(), "shots"));
  CHECK(set.classes == std::vector<std::string>{"nut", "bolt"});
  CHECK(set.items.size() == 1);
}

// docs.voxel51.com, "YOLOv5Dataset": dataset.yaml, images/train, labels/train, ...
TEST_CASE("FiftyOne: the only YAML with names and splits is the set's, whatever it is called") {
  TempDir dir;
  write_pictures(dir, {"set/images/train/1.jpg", "set/images/val/2.jpg"});
  for (const char* label : {"set/labels/train/1.txt", "set/labels/val/2.txt"})
    dir.write(label, "1 .5 .5 .1 .1\n");
  const std::string yaml =
      "names:\n  0: cat\n  1: dog\npath: /of/another\ntrain: ./images/train/\nval: ./images/val/\n";
  dir.write("set/dataset.yaml", yaml);
  dir.write("set/hyp.yaml", "lr0: 0.01\ntrain: false\n");
  for (const auto& input : {dir / "set", zipped_by_python(dir.path(), "set")}) {
    CAPTURE(input);
    const AnnotationSet set = read_annotations(input);
    CHECK_CONTAINS(set.recognised_by, "a folder with a dataset.yaml");
    CHECK(set.classes == std::vector<std::string>{"cat", "dog"});
    REQUIRE(set.items.size() == 2);
    CHECK(set.items[0].split == "train");
    CHECK(set.items[1].split == "val");
  }
  dir.write("set/other.yml", yaml);
  CHECK_CONTAINS(failure_of(dir / "set").message, "holds class ids without names");
}

TEST_CASE("folders in images/ with labels/ beside it are of the data.yaml's set, not of classes") {
  TempDir dir;
  write_pictures(dir, {"images/cam1/1.jpg", "images/cam2/2.jpg"});
  for (const char* label : {"labels/cam1/1.txt", "labels/cam2/2.txt"})
    dir.write(label, "0 .5 .5 .1 .1\n");
  dir.write("data.yaml", "names: [a]\ntrain: images\n");
  const AnnotationSet set = read_annotations(dir.path());
  CHECK(set.format == "yolo");
  CHECK(set.items.size() == 2);
  CHECK(set.rejects.empty());
}

TEST_CASE("YOLO: one label file of two pictures, 2.jpg and 2.png") {
  TempDir dir;
  write_pictures(dir,
                 {"images/1.jpg", "images/2.jpg", "images/2.png", "images/3.jpg", "images/3.png"});
  for (const char* label : {"1", "2"})
    dir.write("labels/" + std::string(label) + ".txt", "0 .5 .5 .25 .5\n");
  const std::filesystem::path yaml = dir.write("data.yaml", "train: images\nnames: [nut]\n");
  const AnnotationSet set = read_annotations(yaml);
  CHECK(set.items.size() == 5);
  CHECK(set.unlabelled == 2);
  CHECK(set.boxes_found == 3);
  CHECK_CONTAINS(remarks_of(set),
                 "1 picture has the label file of another whose name differs in its extension "
                 "alone, the first " +
                     (std::filesystem::canonical(dir.path()) / "images/2.png").string());
  const AnnotationSet labels =
      read_annotations(dir / "labels", {.classes = dir.write("names.txt", "nut\n")});
  CHECK(labels.items.size() == 1);
  CHECK_CONTAINS(only_reject(labels),
                 "2.txt: names '2' without an extension, and '2.jpg' and '2.png' are there");
}

TEST_CASE("a list of classes beside label files is not a label, in either of its names") {
  TempDir dir;
  write_pictures(dir, {"images/1.jpg"});
  dir.write("labels/1.txt", "0 .5 .5 .1 .1\n");
  const AnnotationOptions options{.classes = dir.write("names.txt", "nut\n")};
  for (const char* list : {"classes.txt", "labels.txt"}) {
    CAPTURE(list);
    dir.write("labels/" + std::string(list), "nut\n");
    for (const char* folder : {"", "images", "labels"}) {
      const AnnotationSet set = read_annotations(dir / folder, options);
      CHECK(set.items.size() == 1);
      CHECK(set.rejects.empty());
    }
  }
}

TEST_CASE("a line of a list that begins with # is a comment, but where a picture is called so") {
  TempDir dir;
  write_pictures(dir, {"images/0.png", "images/1.png", "images/2.png", "#3.png"});
  for (const char* label : {"labels/0.txt", "labels/1.txt", "labels/2.txt", "#3.txt"})
    dir.write(label, "0 .5 .5 .1 .1\n");
  dir.write("train.txt", "./images/0.png\n#./images/1.png\n# images/2.png\n#3.png\n");
  const AnnotationSet set =
      read_annotations(dir.write("data.yaml", "train: train.txt\nnames: [cat]\n"));
  REQUIRE(set.items.size() == 2);
  CHECK(set.items[1].name == "#3.png");
  CHECK(set.rejects.empty());
  CHECK(set.remarks == std::vector<std::string>{"2 lines of comment (#) are passed over"});
}

}  // namespace letterpress
