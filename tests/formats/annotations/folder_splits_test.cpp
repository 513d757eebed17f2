#include "exports.h"
#include "formats/annotations/files/split_words.h"
#include "samples.h"

namespace letterpress {
namespace {

constexpr const char* kSplitXml =
    "<annotation><object><name>cat</name><bndbox><xmin>2</xmin><ymin>3</ymin><xmax>9</xmax>"
    "<ymax>8</ymax></bndbox></object></annotation>";

// LabelMe's file beside its picture: "train/1" is train/1.json of train/1.jpg.
void write_labelme(const TempDir& dir, const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    write_pictures(dir, {name + ".jpg"});
    dir.write(name + ".json",
              R"({"shapes": [{"label": "cat", "points": [[1, 2], [9, 8]], "shape_type":
                  "rectangle"}], "imagePath": ")" +
                  name.substr(name.rfind('/') + 1) + R"(.jpg"})");
  }
}

// "train train val", in the order of the items.
std::string splits_of(const AnnotationSet& set) {
  std::string text;
  for (const Item& item : set.items)
    text += (text.empty() ? "" : " ") + (item.split.empty() ? "-" : item.split);
  return text;
}

constexpr const char* kTaken =
    "splits by the names of folders: train 2, val 1; to read all as train, pass --val 0";

}  // namespace

TEST_CASE("folders that are called after a split alone name it, and those of other words do not") {
  struct Case {
    const char* folders;
    const char* split;
  };
  for (const Case& one :
       {Case{"train", "train"}, Case{"images/val2017", "val"}, Case{"valid/labels", "val"},
        Case{"Validation_Images/day 1", "val"}, Case{"a/b/test/c", "test"}, Case{"", ""},
        Case{"train_station", ""}, Case{"pcb_val", ""}, Case{"train/val", ""}, Case{"trainval", ""},
        Case{"leftImg8bit/train/aachen", "train"}}) {
    CAPTURE(one.folders);
    CHECK(annotations::split_of_folders(one.folders) == one.split);
  }
}

TEST_CASE("LabelMe: folders train and val are splits") {
  TempDir dir;
  write_labelme(dir, {"train/1", "train/2", "val/3"});
  const AnnotationSet set = read_annotations(dir.path());
  CHECK(splits_of(set) == "train train val");
  CHECK(remarks_of(set) == std::string(kTaken) + "\n");
  CHECK(splits_of(read_annotations(dir / "train")) == "- -");
}

TEST_CASE("what all pictures are in says nothing about splits, in a folder and in an archive") {
  TempDir dir;
  write_labelme(dir, {"train_data/train/1", "train_data/train/2", "train_data/val/3"});
  const std::filesystem::path archive = zipped_by_python(dir.path(), "train_data");
  for (const std::filesystem::path& input : {dir / "train_data", dir.path(), archive}) {
    CAPTURE(input);
    const AnnotationSet set = read_annotations(input);
    CHECK(splits_of(set) == "train train val");
    CHECK(contains(remarks_of(set), kTaken));
  }
}

TEST_CASE("a class that is called train is an object, whatever folders are called") {
  TempDir dir;
  for (const std::string name : {"day1/1", "day2/2"}) {
    write_pictures(dir, {name + ".jpg"});
    dir.write(name + ".json",
              R"({"shapes": [{"label": "train", "points": [[1, 2], [9, 8]], "shape_type":
                  "rectangle"}], "imagePath": ")" +
                  name.substr(5) + R"(.jpg"})");
  }
  const AnnotationSet days = read_annotations(dir.path());
  CHECK(days.classes == std::vector<std::string>{"train"});
  CHECK(splits_of(days) == "- -");
  dir.write("yolo/classes.txt", "train\n");
  for (const std::string name : {"train2017/1", "val2017/2"}) {
    write_pictures(dir, {"yolo/images/" + name + ".jpg"});
    dir.write("yolo/labels/" + name + ".txt", "0 .5 .5 .5 .5\n");
  }
  CHECK(splits_of(read_annotations(dir / "yolo")) == "train val");
}

TEST_CASE("folders val and test without train are told and not taken: nothing would train") {
  TempDir dir;
  write_labelme(dir, {"val/1", "test/2"});
  const AnnotationSet set = read_annotations(dir.path());
  CHECK(splits_of(set) == "- -");
  CHECK(remarks_of(set) ==
        "folders may name splits (test 1, val 1), but none is called train: they are read as one "
        "split; for more, name that of train by --input, that of val by --val\n");
}

TEST_CASE("YOLO without data.yaml: images/train and images/val are splits, train/images too") {
  TempDir dir;
  dir.write("classes.txt", "cat\n");
  for (const char* picture : {"train/1", "train/2", "val/3"}) {
    const std::string name = picture, base = name.substr(name.rfind('/') + 1),
                      split = name.substr(0, name.rfind('/'));
    write_pictures(dir, {"a/images/" + name + ".jpg", "b/" + split + "/images/" + base + ".jpg",
                         "photos/" + base + ".jpg"});
    for (const std::string& label :
         {"a/labels/" + name, "b/" + split + "/labels/" + base, "alone/" + name})
      dir.write(label + ".txt", "0 .5 .5 .5 .5\n");
  }
  const AnnotationOptions options{.roots = {dir / "photos"}, .classes = dir / "classes.txt"};
  for (const char* folder : {"a", "a/images", "a/labels", "b", "alone"}) {
    CAPTURE(folder);
    const AnnotationSet set = read_annotations(dir / folder, options);
    CHECK(splits_of(set) == "train train val");
    CHECK(contains(remarks_of(set), kTaken));
  }
}

TEST_CASE("VOC: XMLs in folders of Annotations are read, and name the splits") {
  TempDir dir;
  write_pictures(dir,
                 {"flat/JPEGImages/1.jpg", "flat/JPEGImages/2.jpg", "flat/JPEGImages/3.jpg",
                  "deep/images/train/1.jpg", "deep/images/train/2.jpg", "deep/images/val/3.jpg"});
  for (const char* xml : {"train/1.xml", "train/2.xml", "val/3.xml"}) {
    dir.write("flat/Annotations/" + std::string(xml), kSplitXml);
    dir.write("deep/annotations/" + std::string(xml), kSplitXml);
  }
  for (const char* folder : {"flat", "flat/Annotations", "deep", "deep/annotations"}) {
    CAPTURE(folder);
    const AnnotationSet set = read_annotations(dir / folder);
    CHECK(set.format == "voc");
    CHECK(splits_of(set) == "train train val");
    CHECK(contains(remarks_of(set), kTaken));
    CHECK(set.items[0].boxes == std::vector<LabelBox>{{1, 2, 9, 8, 0}});
  }
  CHECK(read_annotations(dir / "flat").recognised_by ==
        "a folder with XMLs in folders of Annotations, the first train");
}

TEST_CASE("where flags state the splits, folders' names are told and not taken") {
  TempDir dir;
  write_labelme(dir, {"train/1", "val/2"});
  const AnnotationSet set = read_annotations(dir.path(), {.splits_by_folders = false});
  CHECK(splits_of(set) == "- -");
  CHECK(remarks_of(set) ==
        "folders may name splits (train 1, val 1), but --val or --split is given: they are read "
        "as one split\n");
}

TEST_CASE("where a share makes train and val anew, folders called test are of test") {
  const AnnotationOptions share{.kept_splits = KeptSplits::held_out};
  const std::string unread =
      "2 pictures state splits (train 1, val 1) that are not read: --val, --split or the label "
      "file's name decides";
  TempDir dir;
  write_labelme(dir, {"set/train/1", "set/val/2", "set/test2017/3", "set/4"});
  const AnnotationSet set = read_annotations(dir / "set", share);
  CHECK(splits_of(set) == "- test - -");
  CHECK(remarks_of(set) == unread + "; read as stated: test 1\n");
  std::filesystem::remove_all(dir / "set/val");
  CHECK(remarks_of(read_annotations(dir / "set", share)) ==
        "splits as stated: test 1; to read all as train, pass --val 0\n");
  std::filesystem::rename(dir / "set/test2017", dir / "set/val");
  CHECK(remarks_of(read_annotations(dir / "set", share)) == unread + "\n");
}

TEST_CASE("a folder called test beside others, none of them train, is told and read with them") {
  TempDir dir;
  write_labelme(dir, {"1", "2", "test/3"});
  const AnnotationSet set = read_annotations(dir.path());
  CHECK(splits_of(set) == "- - -");
  CHECK(remarks_of(set) ==
        "folders may name splits (test 1), but none is called train: they are read as one split; "
        "for more, name that of train by --input, that of val by --val\n");
}

TEST_CASE("with a share, folders that may hold out a test and are not taken are told, with why") {
  const AnnotationOptions share{.kept_splits = KeptSplits::held_out};
  TempDir dir;
  write_labelme(dir, {"a/pcb_train/1", "a/pcb_test/2", "b/pcb_train/1", "b/pcb_val/2", "c/val/1",
                      "c/test/2"});
  CHECK_CONTAINS(
      remarks_of(read_annotations(dir / "a", share)),
      "folders may name splits (test 1, train 1), but not each picture's by such a word");
  CHECK_CONTAINS(remarks_of(read_annotations(dir / "b", share)), "but --val or --split is given");
  CHECK_CONTAINS(remarks_of(read_annotations(dir / "c", share)), "but none is called train");
  const std::string rows =
      "filename,xmin,ymin,xmax,ymax,class\nval/1.jpg,1,2,9,8,cat\ntest/2.jpg,1,2,9,8,cat\n";
  CHECK_CONTAINS(remarks_of(read_annotations(dir.write("c/all.csv", rows), share)),
                 "but one label file lists them all");
}

TEST_CASE("a picture beside the splits' folders is of train, and moves none of the others") {
  TempDir dir;
  write_labelme(dir, {"train/1", "val/2", "new/3", "4"});
  const AnnotationSet set = read_annotations(dir.path());
  CHECK(splits_of(set) == "train train train val");
  CHECK(remarks_of(set) ==
        "splits by the names of folders: train 1, val 1, and 2 pictures of other folders read as "
        "train; to read all as train, pass --val 0\n");
}

TEST_CASE("class folders beside those of splits are for people to settle") {
  TempDir dir;
  write_pictures(dir, {"train/cat/1.jpg", "train/dog/2.jpg", "val/cat/3.jpg", "extra/dog/4.jpg"});
  CHECK(contains(failure_of(dir.path()).message,
                 "folders train, val hold folders and are called after splits, extra beside them "
                 "is not; move it into one of them, or give --format folder if all of them are "
                 "classes"));
  std::filesystem::rename(dir / "extra/dog/4.jpg", dir / "extra/4.jpg");
  CHECK(contains(failure_of(dir.path()).message, "extra beside them is not"));
  std::filesystem::remove_all(dir / "extra");
  CHECK(read_annotations(dir.path()).classes == std::vector<std::string>{"cat", "dog"});
}

TEST_CASE("folders whose names hold other words beside those of splits are told and not taken") {
  TempDir dir;
  write_labelme(dir, {"pcb_train/1", "pcb_train/2", "pcb_val/3"});
  const std::string fix =
      "but not each picture's by such a word alone (train/, val2017/): they are read as one "
      "split; for more, name that of train by --input, that of val by --val\n";
  const AnnotationSet set = read_annotations(dir.path());
  CHECK(splits_of(set) == "- - -");
  CHECK(remarks_of(set) == "folders may name splits (train 2, val 1), " + fix);
}

TEST_CASE("folders of one split, of scenes and of classes say nothing about splits") {
  TempDir dir;
  write_labelme(dir, {"one/train/1", "one/train/2", "scenes/train_station/1", "scenes/harbour/2"});
  write_pictures(dir, {"classes/cat/1.jpg", "classes/test/2.jpg", "called/train2017/1.jpg",
                       "called/val2017/2.jpg"});
  for (const char* folder : {"one", "scenes", "classes"}) {
    CAPTURE(folder);
    const AnnotationSet set = read_annotations(dir / folder);
    CHECK(splits_of(set) == "- -");
    CHECK(remarks_of(set).empty());
  }
  const AnnotationSet called = read_annotations(dir / "called", {.format = "folder"});
  CHECK(called.classes == std::vector<std::string>{"train2017", "val2017"});
  CHECK(splits_of(called) == "- -");
}

TEST_CASE("one label file of pictures in folders of several splits is told, unless it names one") {
  TempDir dir;
  write_pictures(dir, {"train/1.jpg", "val/2.jpg"});
  const std::string rows =
      "filename,xmin,ymin,xmax,ymax,class\ntrain/1.jpg,1,2,9,8,cat\nval/2.jpg,1,2,9,8,cat\n";
  const AnnotationSet all = read_annotations(dir.write("all.csv", rows));
  CHECK(splits_of(all) == "- -");
  CHECK(contains(remarks_of(all),
                 "folders may name splits (train 1, val 1), but one label file lists them all: "
                 "they are read as one split; for more, write a label file for each"));
  CHECK(remarks_of(read_annotations(dir.write("train.csv", rows))).empty());
}

TEST_CASE("a picture that is rejected for its class moves no other into its folder's split") {
  TempDir dir;
  write_labelme(dir, {"train/1", "train/2", "val/3", "val/4"});
  dir.write("train/1.json",
            R"({"shapes": [{"label": "dog", "points": [[1, 2], [9, 8]], "shape_type":
                "rectangle"}], "imagePath": "1.jpg"})");
  const AnnotationSet set =
      read_annotations(dir.path(), {.classes = dir.write("names.txt", "cat\n")});
  CHECK(set.rejects.size() == 1);
  CHECK(splits_of(set) == "train val val");
}

TEST_CASE("folders that may be called after a split by other words are told and not taken") {
  for (const std::string word : {"dev", "devel", "eval", "evaluation", "validate", "holdout",
                                 "tests", "minival2014", "unseen", "Eval_Images"}) {
    CAPTURE(word);
    TempDir dir;
    write_labelme(dir, {"labelme/train/1", "labelme/train/2", "labelme/" + word + "/3"});
    for (const std::string& name : {std::string("train/1"), std::string("train/2"), word + "/3"}) {
      write_pictures(dir, {"yolo/images/" + name + ".jpg"});
      dir.write("yolo/labels/" + name + ".txt", "0 .5 .5 .5 .5\n");
    }
    dir.write("yolo/labels/classes.txt", "cat\n");
    for (const char* folder : {"labelme", "yolo"}) {
      const AnnotationSet set = read_annotations(dir / folder);
      CHECK(splits_of(set) == "- - -");
      CHECK_CONTAINS(remarks_of(set), "folders may name splits (");
      CHECK_CONTAINS(remarks_of(set), "train 2");
      CHECK_CONTAINS(remarks_of(set),
                     "), but not each picture's by such a word alone (train/, val2017/): they are "
                     "read as one split; for more, name that of train by --input, that of val by "
                     "--val\n");
    }
  }
  TempDir dir;
  write_labelme(dir, {"one/dev/1", "one/dev/2", "scenes/evaluated/1", "scenes/train_yard/2"});
  CHECK(remarks_of(read_annotations(dir / "one")).empty());
  CHECK(remarks_of(read_annotations(dir / "scenes")).empty());
}

}  // namespace letterpress
