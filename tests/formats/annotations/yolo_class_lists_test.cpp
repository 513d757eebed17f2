#include "samples.h"

namespace letterpress {
namespace {

struct Named {
  TempDir dir;

  explicit Named(const std::string& names = "[bird, cat, dog]") {
    write_pictures(dir, {"images/train/1.jpg"});
    dir.write("labels/train/1.txt", "1 .5 .5 .5 .5\n");
    dir.write("data.yaml", "names: " + names + "\ntrain: images/train\n");
  }
  std::string told(const std::string& list, const std::string& names) {
    dir.write(list, names);
    std::string text;
    for (const std::string& remark : read_annotations(dir.path()).remarks) text += remark + "\n";
    return text;
  }
};

}  // namespace

TEST_CASE("a classes.txt among the labels that contradicts data.yaml is shown and refused") {
  for (const std::string list :
       {"labels/classes.txt", "labels/train/classes.txt", "images/train/classes.txt"}) {
    CAPTURE(list);
    Named set;
    CHECK(set.told(list, "bird\ncat\ndog\n").empty());
    set.dir.write(list, "cat\ndog\nbird\n");
    for (const char* input : {"", "data.yaml"}) {
      const Failure failure = failure_of(set.dir / input);
      CHECK(failure.exit == Exit::usage);
      CHECK(failure.message ==
            (set.dir / list).string() +
                ": names cat, dog, bird, but data.yaml names bird, cat, dog; the ids of the labels "
                "are those of one of them: if of data.yaml, remove this list, else write its names "
                "to data.yaml in this order");
    }
  }
}

TEST_CASE("a classes.txt that spells names otherwise, or has none of them, is told") {
  for (const std::string names : {"Bird\nCAT\ndog\n", "defect\nscratch\n"}) {
    Named set;
    CHECK_CONTAINS(set.told("labels/classes.txt", names),
                   ", but data.yaml names bird, cat, dog: those of data.yaml are taken\n");
  }
  Named spelled("[traffic light, dog]");
  CHECK_CONTAINS(spelled.told("labels/classes.txt", "traffic_light\ndog\n"), " are taken\n");
  CHECK(failure_of(spelled.dir.write("labels/classes.txt", "Dog\nTraffic-Light\n")
                       .parent_path()
                       .parent_path())
            .exit == Exit::usage);
}

TEST_CASE("the label file of a picture that is called classes stops nothing") {
  Named set;
  write_pictures(set.dir, {"images/train/classes.jpg"});
  CHECK_CONTAINS(set.told("labels/train/classes.txt", "0 0.5 0.5 0.3 0.3\n1 .5 .5 .1 .1\n"),
                 "names are those of data.yaml, not compared with ");
  CHECK(read_annotations(set.dir.path()).items.size() == 2);
}

TEST_CASE("a classes.txt with more or fewer names than data.yaml is told") {
  Named set;
  CHECK(set.told("labels/classes.txt", "bird\ncat\ndog\nemu\n") ==
        (set.dir / "labels/classes.txt").string() +
            " has 4 names, data.yaml 3: those of data.yaml are taken, the first 3 are the same\n");
  CHECK(set.told("labels/classes.txt", "bird\ncat\n") ==
        (set.dir / "labels/classes.txt").string() +
            " has 2 names, data.yaml 3: those of data.yaml are taken, the first 2 are the same\n");
}

TEST_CASE("a classes.txt beside data.yaml, which may be of another format, is told") {
  Named set;
  CHECK(set.told("classes.txt", "bird\ncat\ndog\n").empty());
  CHECK(set.told("classes.txt", "cat\ndog\nbird\n") ==
        (set.dir / "classes.txt").string() +
            " names cat, dog, bird, but data.yaml names bird, cat, dog: those of data.yaml are "
            "taken\n");
}

TEST_CASE("a classes.txt that is no list of names is told, and stops nothing") {
  Named set;
  CHECK_CONTAINS(set.told("classes.txt", "cat\ncat\n"),
                 "names are those of data.yaml, not compared with " +
                     (set.dir / "classes.txt").string() + ":");
}

TEST_CASE("labels far from data.yaml have their classes.txt compared, too") {
  TempDir dir;
  write_pictures(dir, {"set/a/images/1.jpg"});
  dir.write("set/a/labels/1.txt", "1 .5 .5 .5 .5\n");
  dir.write("set/a/labels/classes.txt", "cat\nbird\n");
  const auto yaml = dir.write("set/data.yaml", "names: [bird, cat]\ntrain: a/images\n");
  CHECK_CONTAINS(failure_of(yaml).message, "names cat, bird, but data.yaml names bird, cat; ");
}

TEST_CASE("an obj.data whose count of classes is not that of its names is refused") {
  TempDir dir;
  write_pictures(dir, {"obj_train_data/1.jpg"});
  dir.write("obj_train_data/1.txt", "2 .5 .5 .5 .5\n");
  dir.write("train.txt", "data/obj_train_data/1.jpg\n");
  dir.write("obj.names", "a\nb\nc\n");
  const auto data = [&](const std::string& n) {
    return dir.write("obj.data",
                     "classes = " + n + "\ntrain = data/train.txt\nnames = data/obj.names\n");
  };
  for (const char* right : {"3", "3 # three", "3;", "", "many"}) {
    CAPTURE(right);
    CHECK(read_annotations(data(right)).items.size() == 1);
  }
  CHECK(failure_of(data("2")).message ==
        (dir / "obj.data").string() + ": classes is '2', obj.names holds 3; make them agree");
  const auto classes = dir.write("names.txt", "a\nb\nd\n");
  CHECK(read_annotations(data("2"), {.classes = classes}).items.size() == 1);
}

}  // namespace letterpress
