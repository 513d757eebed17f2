// Splits that a YOLO set states in a file: Darknet's obj.data and a data.yaml one folder down,
// lists of pictures beside them, and those that are not read.
#include <map>

#include "exports.h"
#include "samples.h"

namespace letterpress {
namespace {

constexpr const char* kBoxOfSplit = "0 .5 .5 .25 .5\n";

// "img0.jpg" -> "train"
std::map<std::string, std::string> splits_of(const AnnotationSet& set) {
  std::map<std::string, std::string> splits;
  for (const Item& item : set.items)
    splits[std::filesystem::path(item.member.empty() ? item.path : item.member).filename()] =
        item.split;
  return splits;
}

// img0 to img5 with their labels.
void write_set(const TempDir& dir, const std::string& pictures, const std::string& labels) {
  for (const char i : {'0', '1', '2', '3', '4', '5'}) {
    write_pictures(dir, {pictures + "/img" + i + ".jpg"});
    dir.write(labels + "/img" + i + ".txt", kBoxOfSplit);
  }
}

// A list of some of them, each line after `before`.
std::string list_of(const std::string& numbers, const std::string& before,
                    const std::string& after = ".jpg") {
  std::string text;
  for (const char i : numbers) text += before + "img" + i + after + "\n";
  return text;
}

const std::map<std::string, std::string> kFourAndTwo{{"img0.jpg", "train"}, {"img1.jpg", "train"},
                                                     {"img2.jpg", "train"}, {"img3.jpg", "train"},
                                                     {"img4.jpg", "val"},   {"img5.jpg", "val"}};

}  // namespace

// github.com/AlexeyAB/darknet, "How to train (to detect your custom objects)": obj.data and its
// lists are in data/, and their paths start from the folder above it.
TEST_CASE("Darknet's own layout is read by data/obj.data, from the folder above it or from data/") {
  TempDir dir;
  write_set(dir, "set/data/obj", "set/data/obj");
  dir.write("set/data/obj.names", "dog\n");
  dir.write("set/data/train.txt", list_of("0123", "data/obj/"));
  dir.write("set/data/test.txt", list_of("45", "data/obj/"));
  const std::string file =
      dir.write("set/data/obj.data",
                "classes= 1\ntrain  = data/train.txt\nvalid  = data/test.txt\nnames = "
                "data/obj.names\nbackup = backup/\n")
          .string();
  for (const bool has_classes : {false, true}) {
    CAPTURE(has_classes);
    AnnotationOptions options;
    if (has_classes) options.classes = dir.write("names.txt", "cat\n");
    const AnnotationSet set = read_annotations(dir / "set", options);
    CHECK(splits_of(set) == kFourAndTwo);
    CHECK(set.rejects.empty());
    CHECK(set.classes == std::vector<std::string>{has_classes ? "cat" : "dog"});
    CHECK(set.recognised_by == "data/obj.data in this folder");
    CHECK(set.remarks ==
          std::vector<std::string>{file + " says what this folder holds, and is read"});
  }
  CHECK(splits_of(read_annotations(dir / "set/data")) == kFourAndTwo);
  const AnnotationSet zipped = read_annotations(zipped_by_python(dir.path(), "set"));
  CHECK(splits_of(zipped) == kFourAndTwo);
}

TEST_CASE("a data.yaml one folder down is read, from a folder as from an archive") {
  TempDir dir;
  write_set(dir, "in/ds/images", "in/ds/labels");
  dir.write("in/ds/train.txt", list_of("0123", "./images/"));
  dir.write("in/ds/val.txt", list_of("45", "./images/"));
  const std::string yaml =
      dir.write("in/ds/data.yaml", "names: [cat, dog]\ntrain: train.txt\nval: val.txt\n").string();
  const AnnotationSet set = read_annotations(dir / "in");
  CHECK(splits_of(set) == kFourAndTwo);
  CHECK(set.classes == std::vector<std::string>{"cat", "dog"});
  CHECK(set.remarks ==
        std::vector<std::string>{yaml + " says what this folder holds, and is read"});
  CHECK(splits_of(read_annotations(zipped_by_python(dir / "in", "ds"))) == kFourAndTwo);
  std::filesystem::remove(dir / "in/packed.zip");
  CHECK(failure_of(dir / "in", {.classes = dir.write("names.txt", "cat\ndog\n")}).message ==
        yaml + ":1: has names of its own; leave --classes out");
  SUBCASE("beside another folder of pictures, which is counted") {
    write_pictures(dir, {"in/more/a.jpg", "in/more/b.jpg"});
    const AnnotationSet more = read_annotations(dir / "in");
    CHECK(splits_of(more) == kFourAndTwo);
    CHECK_CONTAINS(remarks_of(more),
                   (dir / "in/more").string() +
                       " holds 2 pictures that are not read; name it by an "
                       "--input, --val or --split of its own if the set is to have them");
    REQUIRE(more.left_out.size() == 1);
    CHECK(more.left_out[0].pictures == 2);
  }
  SUBCASE("beside another set of the kind: each is named") {
    write_set(dir, "in/other/images", "in/other/labels");
    const std::string other =
        dir.write("in/other/data.yaml", "names: [cat, dog]\ntrain: images\n").string();
    for (const auto& input : {dir / "in", zipped_by_python(dir.path(), "in")}) {
      const Failure failure = failure_of(input);
      CHECK(failure.exit == Exit::usage);
      CHECK_CONTAINS(failure.message,
                     "holds 2 sets of YOLO, each with a file that says what it holds; name each "
                     "that you want by an --input, --val or --split of its own:\n  ");
      CHECK_CONTAINS(failure.message, "in/ds/data.yaml\n  ");
      CHECK(failure.message.ends_with("in/other/data.yaml"));
    }
  }
}

TEST_CASE("folders called after splits, each with a copy of the data.yaml, are the splits") {
  TempDir dir;
  for (const char* split : {"train", "val"}) {
    const std::string folder = split;
    write_pictures(dir, {"set/" + folder + "/images/" + folder + ".jpg"});
    dir.write("set/" + folder + "/labels/" + folder + ".txt", kBoxOfSplit);
    dir.write("set/" + folder + "/data.yaml", "names: [dog]\ntrain: ../train\nval: ../val\n");
  }
  const AnnotationSet set =
      read_annotations(dir / "set", {.classes = dir.write("names.txt", "dog\n")});
  CHECK(splits_of(set) ==
        std::map<std::string, std::string>{{"train.jpg", "train"}, {"val.jpg", "val"}});
}

TEST_CASE("lists called after splits in a YOLO set's folder are its splits, as lists are written") {
  TempDir dir;
  write_set(dir, "set/images", "set/labels");
  dir.write("set/classes.txt", "dog\n");
  dir.write("set/README.txt", "img0 and others\n");
  const std::string absolute = (dir / "set/images").string() + "/";
  struct Names {
    const char *train, *val;
    std::string before;
    const char* after;
  };
  for (const Names& names :
       {Names{"train.txt", "val.txt", "./images/", ".jpg"},
        Names{"autosplit_train.txt", "autosplit_val.txt", "./images/", ".jpg"},
        Names{"Train.txt", "valid.txt", absolute, ".jpg"},
        Names{"train.txt", "validation.txt", "", ".jpg"}, Names{"train.txt", "val.txt", "", ""}}) {
    CAPTURE(names.val);
    CAPTURE(names.before);
    const auto train =
        dir.write("set/" + std::string(names.train), list_of("0123", names.before, names.after));
    const auto val =
        dir.write("set/" + std::string(names.val), list_of("45", names.before, names.after));
    const AnnotationSet set = read_annotations(dir / "set");
    CHECK(splits_of(set) == kFourAndTwo);
    CHECK(set.rejects.empty());
    CHECK(set.unlabelled == 0);
    CHECK(set.remarks.at(0) == "class names are those of " + (dir / "set/classes.txt").string());
    CHECK(set.remarks.at(1) == "splits by the lists in " + (dir / "set").string() + ": " +
                                   names.train + ", " + names.val +
                                   "; to read all pictures as train, pass --val 0");
    CHECK(set.remarks.size() == 2);
    if (!names.before.starts_with('/'))
      CHECK(splits_of(read_annotations(zipped_by_python(dir.path(), "set"))) == kFourAndTwo);
    for (const auto& list : {train, val}) std::filesystem::remove(list);
  }
}

TEST_CASE("lists beside a data.yaml of names alone, or Label Studio's notes.json, are its splits") {
  TempDir dir;
  write_set(dir, "images", "labels");
  dir.write("train.txt", list_of("0123", "images/"));
  dir.write("val.txt", list_of("45", "images/"));
  const auto yaml = dir.write("data.yaml", "names: [dog]\n");
  CHECK(splits_of(read_annotations(dir.path())) == kFourAndTwo);
  CHECK(splits_of(read_annotations(yaml)) == kFourAndTwo);
  dir.write("data.yaml", "names: [dog]\ntrain: images\n");
  CHECK(splits_of(read_annotations(yaml)).at("img5.jpg") == "train");
  std::filesystem::remove(yaml);
  dir.write("notes.json", R"({"categories": [{"id": 0, "name": "dog"}]})");
  CHECK(splits_of(read_annotations(dir.path())) == kFourAndTwo);
}

TEST_CASE("pictures in no list are left out; a list of test is read; a second of val is told") {
  TempDir dir;
  write_set(dir, "images", "labels");
  dir.write("train.txt", list_of("01", "images/"));
  dir.write("val.txt", list_of("2", "images/"));
  dir.write("autosplit_val.txt", list_of("3", "images/"));
  dir.write("test.txt", list_of("4", "images/"));
  const AnnotationSet set =
      read_annotations(dir.path(), {.classes = dir.write("names.txt", "dog\n")});
  CHECK(splits_of(set) == std::map<std::string, std::string>{{"img0.jpg", "train"},
                                                             {"img1.jpg", "train"},
                                                             {"img2.jpg", "val"},
                                                             {"img4.jpg", "test"}});
  CHECK_CONTAINS(remarks_of(set),
                 (dir / "autosplit_val.txt").string() + " is not read: another list is of val");
}

TEST_CASE("a text that names no picture is no list, and val alone does not leave the rest out") {
  TempDir dir;
  write_set(dir, "images", "labels");
  const AnnotationOptions options{.classes = dir.write("names.txt", "dog\n")};
  dir.write("train.txt", "0 .5 .5 .1 .1\nimg9.jpg\n");
  dir.write("val.txt", "these are for checking\n");
  CHECK(read_annotations(dir.path(), options).items.size() == 6);
  CHECK(remarks_of(read_annotations(dir.path(), options)).empty());
  dir.write("val.txt", list_of("45", "images/"));
  const AnnotationSet set = read_annotations(dir.path(), options);
  CHECK(set.items.size() == 6);
  CHECK(set.remarks == std::vector<std::string>{
                           "lists in " + dir.path().string() +
                           " may state splits (val.txt), but none is of train: all pictures are "
                           "read as one split"});
}

TEST_CASE("a list that Git LFS has not fetched is told: it may state a split") {
  TempDir dir;
  write_set(dir, "images", "labels");
  const auto list = dir.write("val.txt", "version https://git-lfs.github.com/spec/v1\noid x\n");
  CHECK(failure_of(dir.path(), {.classes = dir.write("names.txt", "dog\n")}).message ==
        list.string() +
            ": is a pointer of Git LFS, not the file itself; fetch it by `git lfs pull`");
}

TEST_CASE("a list of train alone does not leave the other pictures out, and is told") {
  TempDir dir;
  write_set(dir, "images", "labels");
  dir.write("train.txt", list_of("0123", "images/"));
  const AnnotationSet set =
      read_annotations(dir.path(), {.classes = dir.write("names.txt", "dog\n")});
  CHECK(set.items.size() == 6);
  CHECK(set.remarks ==
        std::vector<std::string>{"lists in " + dir.path().string() +
                                 " may state splits (train.txt), but none is of val or test: all "
                                 "pictures are read as one split"});
}

TEST_CASE("where --val or --split decides, lists of a YOLO set are told and not read") {
  TempDir dir;
  write_set(dir, "images", "labels");
  dir.write("train.txt", list_of("01", "images/"));
  dir.write("val.txt", list_of("2", "images/"));
  const AnnotationSet set = read_annotations(
      dir.path(), {.classes = dir.write("names.txt", "dog\n"), .splits_by_folders = false});
  CHECK(set.items.size() == 6);
  CHECK(set.remarks ==
        std::vector<std::string>{
            "lists in " + dir.path().string() +
            " may state splits (train.txt, val.txt), but --val or --split is given: all "
            "pictures are read"});
}

TEST_CASE("where a share makes train and val anew, a list of test holds its pictures out") {
  TempDir dir;
  write_set(dir, "images", "labels");
  dir.write("train.txt", list_of("01", "images/"));
  dir.write("val.txt", list_of("2", "images/"));
  const AnnotationOptions options{.classes = dir.write("names.txt", "dog\n"),
                                  .kept_splits = KeptSplits::held_out};
  CHECK_CONTAINS(remarks_of(read_annotations(dir.path(), options)), "all pictures are read");
  dir.write("test.txt", list_of("35", ""));
  const AnnotationSet set = read_annotations(dir.path(), options);
  std::map<std::string, std::string> two_of_test{{"img3.jpg", "test"}, {"img5.jpg", "test"}};
  for (const char* other : {"img0.jpg", "img1.jpg", "img2.jpg", "img4.jpg"}) two_of_test[other];
  CHECK(splits_of(set) == two_of_test);
  CHECK(set.items.size() == 6);
  CHECK(set.remarks ==
        std::vector<std::string>{
            "of the lists in " + dir.path().string() +
                " (train.txt, val.txt, test.txt) those of train and val are not read: --val draws "
                "from all other pictures",
            "splits as stated: test 2; to read all as train, pass --val 0"});
}

TEST_CASE("lists or a data.yaml above a folder of pictures are told, with the flag to read them") {
  TempDir dir;
  write_set(dir, "ds/images/all", "ds/labels/all");
  const AnnotationOptions options{.classes = dir.write("names.txt", "dog\n")};
  dir.write("ds/data.yaml", "names: [dog]\n");
  dir.write("ds/train.txt", list_of("01", "images/all/"));
  CHECK(remarks_of(read_annotations(dir / "ds/images", options)).empty());
  dir.write("ds/test.txt", list_of("2", "images/all/"));
  const std::string ds = (dir / "ds").string();
  CHECK(remarks_of(read_annotations(dir / "ds/images", options)) ==
        "lists in " + ds + " (train.txt, test.txt) state splits and are not read; to read them, " +
            "pass --input " + ds + "\n");
  const std::string yaml =
      dir.write("ds/data.yaml", "names: [dog]\ntrain: train.txt\nval: val.txt\n").string();
  for (const char* input : {"ds/images", "ds/images/all", "ds/labels"}) {
    CAPTURE(input);
    const AnnotationSet set = read_annotations(dir / input, options);
    CHECK(set.items.size() == 6);
    CHECK_CONTAINS(
        remarks_of(set),
        yaml + " states splits and is not read; to read it, pass --input " + yaml + "\n");
  }
}

}  // namespace letterpress
