// Class folders below folders that are called after splits.
#include <map>

#include "samples.h"

namespace letterpress {
namespace {

// "train:cat train/cat/1.jpg\n", then the rejects.
std::string placed_in(const AnnotationSet& set) {
  std::string text;
  for (const Item& item : set.items)
    text += item.split + ":" + set.classes.at(static_cast<std::size_t>(item.label)) + " " +
            item.name + "\n";
  for (const Reject& reject : set.rejects) text += reject.name + ": " + reject.what + "\n";
  return text;
}

}  // namespace

TEST_CASE("folders called after splits in any way are splits where they hold the same classes") {
  for (const auto& [train, test] :
       {std::pair{"Training", "Testing"}, std::pair{"Train", "TEST"},
        std::pair{"training_set", "test_set"}, std::pair{"train_images", "test_images"},
        std::pair{"WIDER_train", "WIDER_test"},
        std::pair{"seg_train/seg_train", "seg_test/seg_test"},
        std::pair{"set/Train", "set/Test"}}) {
    CAPTURE(train);
    TempDir dir;
    const std::string a = train, b = test;
    write_pictures(dir, {a + "/cat/1.jpg", a + "/dog/2.jpg", b + "/cat/more/3.jpg"});
    const AnnotationSet set = read_annotations(dir.path());
    CHECK(set.classes == std::vector<std::string>{"cat", "dog"});
    std::map<std::string, std::string> splits;
    for (const Item& item : set.items) splits[item.name] = item.split;
    CHECK(splits == std::map<std::string, std::string>{{a + "/cat/1.jpg", "train"},
                                                       {a + "/dog/2.jpg", "train"},
                                                       {b + "/cat/more/3.jpg", "test"}});
  }
}

TEST_CASE(
    "folders called after splits beside others are refused, and what the message proposes works") {
  TempDir dir;
  write_pictures(dir, {"seg_train/seg_train/ice/1.jpg", "seg_train/seg_train/sea/2.jpg",
                       "seg_test/seg_test/ice/3.jpg", "seg_test/seg_test/sea/4.jpg",
                       "seg_pred/seg_pred/5.jpg"});
  const std::string folder = dir.path().string();
  CHECK(failure_of(dir.path()).message ==
        folder +
            ": folders seg_test, seg_train hold folders and are called after splits, seg_pred "
            "beside them is not; move it into one of them, or give --format folder if all of "
            "them are classes, or --input " +
            folder + "/seg_train --split test=" + folder + "/seg_test if they are splits");
  CHECK(read_annotations(dir / "seg_test").classes == std::vector<std::string>{"ice", "sea"});
  const AnnotationSet all = read_annotations(dir.path(), {.format = "folder"});
  CHECK(all.classes == std::vector<std::string>{"seg_pred", "seg_test", "seg_train"});
  CHECK(all.items.size() == 5);
}

TEST_CASE("a folder train that holds folders is not taken for a class") {
  TempDir dir;
  write_pictures(dir, {"train/cat/1.jpg", "train/dog/2.jpg", "extra/3.jpg"});
  const std::string folder = dir.path().string();
  CHECK(failure_of(dir.path()).message ==
        folder +
            ": folder train holds folders and is called after a split, extra beside it is "
            "not; move it away, or give --format folder if all of them are classes, or "
            "--input " +
            folder + "/train if they are splits");
  CHECK(placed_in(read_annotations(dir / "train")) == ":cat cat/1.jpg\n:dog dog/2.jpg\n");
}

TEST_CASE("folders called after splits that share no class are refused") {
  TempDir dir;
  write_pictures(dir, {"Train/cat/1.jpg", "Test/dog/2.jpg"});
  CHECK_CONTAINS(failure_of(dir.path()).message,
                 ": folders Test, Train hold folders and are called after splits, but they do not "
                 "hold the same class folders; give --format folder");
  CHECK(read_annotations(dir.path(), {.format = "folder"}).classes ==
        std::vector<std::string>{"Test", "Train"});
}

TEST_CASE("a split of pictures alone beside splits of class folders is refused, with a way out") {
  for (const auto& [train, test] : {std::pair{"train", "test"}, std::pair{"Train", "Test"}}) {
    CAPTURE(train);
    TempDir dir;
    const std::string with = train, without = test, folder = dir.path().string();
    write_pictures(dir, {with + "/cat/1.jpg", with + "/dog/2.jpg", without + "/3.jpg"});
    CHECK(failure_of(dir.path()).message ==
          folder + ": picture " + without +
              "/3.jpg is not in a class folder, and other splits have "
              "class folders; sort those of " +
              without +
              " into class folders, or leave them out: "
              "--input " +
              folder + "/" + with);
    CHECK(placed_in(read_annotations(dir.path(), {.format = "folder"})) ==
          "train:cat " + with + "/cat/1.jpg\ntrain:dog " + with + "/dog/2.jpg\n" + without +
              "/3.jpg: is not in a class folder\n");
  }
}

TEST_CASE("classes called after splits are told as such, and none where all are") {
  TempDir dir;
  write_pictures(dir, {"a/cat/1.jpg", "a/test/2.jpg", "b/WIDER_train/1.jpg", "b/WIDER_val/2.jpg"});
  CHECK(read_annotations(dir / "a").recognised_by ==
        "2 folders of pictures, named by their classes: cat, test; called after a split: test, "
        "move away what is no class");
  CHECK_CONTAINS(failure_of(dir / "b").message,
                 "folder: folders of pictures are called WIDER_train, WIDER_val; if these are "
                 "classes, give --format folder");
}

TEST_CASE("folders of detection sets whose labels are of no known format are not classes") {
  TempDir dir;
  for (const std::string split : {"train", "val"}) {
    write_pictures(dir, {"drone/VisDrone2019-DET-" + split + "/images/1.jpg",
                         "face/WIDER_" + split + "/images/0--Parade/1.jpg",
                         "own/night-" + split + "-1/pictures/1.jpg", "own/day/pictures/2.jpg"});
    dir.write("drone/VisDrone2019-DET-" + split + "/annotations/1.txt", "10,20,30,40,1,4,0,0\n");
    dir.write("own/night-" + split + "-1/annotations/1.txt", "10,20,30,40,1,4,0,0\n");
    dir.write("own/day/annotations/2.txt", "10,20,30,40,1,4,0,0\n");
  }
  CHECK_CONTAINS(failure_of(dir / "drone").message,
                 "folder: a folder images belongs to a detection set: "
                 "VisDrone2019-DET-train/images\n");
  CHECK_CONTAINS(failure_of(dir / "face").message,
                 "folder: a folder images belongs to a detection set: WIDER_train/images\n");
  CHECK_CONTAINS(failure_of(dir / "own").message,
                 "folder: folder day holds annotations beside its pictures, as detection sets "
                 "do\n");
}

TEST_CASE("--format folder takes every picture below the input for one of a class or rejects it") {
  TempDir dir;
  write_pictures(dir, {"a/animals/cat/1.jpg", "a/animals/dog/2.jpg", "a/vehicles/3.jpg",
                       "a/images/4.jpg", "b/train/cat/1.jpg", "b/val/cat/2.jpg",
                       "b/unlabelled/3.jpg", "c/train/cat/1.jpg", "c/val/cat/2.jpg", "c/3.jpg"});
  const auto placed = [&](const char* folder) {
    return placed_in(read_annotations(dir / folder, {.format = "folder"}));
  };
  CHECK(placed("a") ==
        ":animals animals/cat/1.jpg\n:animals animals/dog/2.jpg\n:images images/4.jpg\n"
        ":vehicles vehicles/3.jpg\n");
  CHECK(placed("b") ==
        ":train train/cat/1.jpg\n:unlabelled unlabelled/3.jpg\n:val val/cat/2.jpg\n");
  CHECK(read_annotations(dir / "b", {.format = "folder"}).remarks ==
        std::vector<std::string>{"read as classes, though called after splits: train, val; folders "
                                 "in them say nothing"});
  CHECK(placed("c") ==
        "train:cat train/cat/1.jpg\nval:cat val/cat/2.jpg\n3.jpg: is not in a class folder\n");
}

}  // namespace letterpress
