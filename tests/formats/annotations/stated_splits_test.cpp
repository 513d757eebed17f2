// Splits that label files state of each picture, in words of their own.
#include <functional>
#include <set>

#include "exports.h"

namespace letterpress {
namespace {

using Words = std::vector<std::string>;  // of pictures 0.jpg, 1.jpg, ...; empty: none

std::string joined(const Words& words, const std::string& before, const std::string& after,
                   const std::function<std::string(const std::string&, const std::string&)>& text) {
  std::string all;
  for (std::size_t i = 0; i < words.size(); ++i)
    all += (i > 0 ? before : "") + text(std::to_string(i) + ".jpg", words[i]);
  return all + after;
}

struct Format {
  std::string name;
  /// Writes the labels of pictures with these words and returns the input.
  std::function<std::filesystem::path(const TempDir&, const Words&)> write;
  bool takes_any_word = true;  ///< else those that are of no split are tags like others
};

std::filesystem::path write_coco(const TempDir& dir, const Words& words) {
  return dir.write(
      "coco.json",
      R"({"categories":[{"id":1,"name":"nut"}],"annotations":[],"images":[)" +
          joined(words, ",", "]}", [](const std::string& name, const std::string& word) {
            return R"({"id":)" + name.substr(0, 1) + R"(,"file_name":")" + name + R"(","split":)" +
                   (word.empty() ? "null}" : "\"" + word + "\"}");
          }));
}

std::filesystem::path write_fiftyone(const TempDir& dir, const Words& words) {
  return dir.write(
      "samples.json",
      R"({"samples":[)" +
          joined(words, ",", "]}", [](const std::string& name, const std::string& word) {
            return R"({"filepath":")" + name + R"(","tags":["reviewed")" +
                   (word.empty() ? "" : ",\"" + word + "\"") +
                   R"(],"ground_truth":{"_cls":"Detections","detections":[{"label":"nut","bounding_box":[0.1,0.2,0.3,0.4]}]}})";
          }));
}

std::filesystem::path write_supervisely(const TempDir& dir, const Words& words) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string name = std::to_string(i) + ".jpg";
    write_pictures(dir, {"s/ds/img/" + name});
    const std::string tag =
        words[i].empty() ? "" : R"({"name":")" + words[i] + R"(","value":null})";
    dir.write("s/ds/ann/" + name + ".json",
              R"({"tags":[)" + tag + R"(],"size":{"width":100,"height":80},"objects":[]})");
  }
  return dir / "s";
}

// A field of text, or with a list to choose from.
std::filesystem::path write_labelbox(const TempDir& dir, const Words& words) {
  return dir.write(
      "export.ndjson", joined(words, "", "", [](const std::string& name, const std::string& word) {
        const std::string text = "\"" + word + "\"";
        const std::string value = name == "0.jpg" ? text : R"([{"schema_name":)" + text + "}]";
        return R"({"data_row":{"external_id":")" + name + R"("},"metadata_fields":[)" +
               (word.empty() ? "" : R"({"schema_name":"split","value":)" + value + "}") +
               R"(],"projects":{"p":{"labels":[{"annotations":{"objects":[]}}]}}})" + "\n";
      }));
}

std::filesystem::path write_huggingface(const TempDir& dir, const Words& words) {
  return dir.write("metadata.jsonl",
                   joined(words, "", "", [](const std::string& name, const std::string& word) {
                     return R"({"file_name":")" + name + R"(","split":")" + word +
                            R"(","objects":{"bbox":[],"categories":[]}})" + "\n";
                   }));
}

const std::vector<Format> kFormats{{"coco", write_coco},
                                   {"fiftyone", write_fiftyone, false},
                                   {"supervisely", write_supervisely, false},
                                   {"labelbox", write_labelbox},
                                   {"huggingface", write_huggingface}};

AnnotationSet read(const Format& format, const Words& words, bool by_label_file = true) {
  CAPTURE(format.name);
  TempDir dir;
  for (std::size_t i = 0; i < words.size(); ++i) write_pictures(dir, {std::to_string(i) + ".jpg"});
  AnnotationSet set =
      read_annotations(format.write(dir, words), {.splits_by_folders = by_label_file});
  CHECK(set.format == format.name);
  CHECK(set.items.size() == words.size());
  return set;
}

std::string splits_of(const AnnotationSet& set) {
  std::string text;
  for (const Item& item : set.items) text += item.split + ".";
  return text;
}

}  // namespace

TEST_CASE("splits that the label file states of all pictures are read, with a line") {
  for (const Format& format : kFormats) {
    const AnnotationSet set = read(format, {"train", "Validation", "train", "testing"});
    CHECK(splits_of(set) == "train.val.train.test.");
    CHECK_CONTAINS(remarks_of(set),
                   "splits as the label file states them: test 1, train 2, val 1; to read all as "
                   "train, pass --val 0\n");
  }
}

TEST_CASE("splits that the label file states in part, or of one kind, are told and not read") {
  struct Case {
    Words words;
    std::string told;
  };
  for (const Case& one : std::vector<Case>{
           {{"train", "", "val"}, "2 pictures state a split, the first 'train', and 1 does not"},
           {{"val", "val", "val"}, "3 pictures state a split, the first 'val', and none is train"},
           {{"val", "test", "val"},
            "3 pictures state a split, the first 'val', and none is train"}}) {
    for (const Format& format : kFormats) {
      CAPTURE(one.told);
      const AnnotationSet set = read(format, one.words);
      CHECK(splits_of(set) == "...");
      CHECK_CONTAINS(remarks_of(set),
                     one.told +
                         ": it is not read; state train, val or test of each picture, or write a "
                         "label file for each split\n");
    }
  }
}

TEST_CASE("where flags decide the splits, those of the label file are told and not read") {
  for (const Format& format : kFormats) {
    const AnnotationSet set = read(format, {"train", "val"}, false);
    CHECK(splits_of(set) == "..");
    CHECK_CONTAINS(remarks_of(set),
                   "2 pictures state splits (train 1, val 1) that are not read: --val, --split or "
                   "the label file's name decides\n");
    CHECK_CONTAINS(remarks_of(read(format, {"val", "", ""}, false)),
                   "1 picture states a split (val 1) that is not read: --val, --split or the label "
                   "file's name decides\n");
    CHECK_CONTAINS(remarks_of(read(format, {"train", "blue", "val"}, false)),
                   format.takes_any_word ? "3 pictures state splits (train 1, val 1, 1 not known)"
                                         : "2 pictures state splits (train 1, val 1)");
  }
}

TEST_CASE("where a share makes train and val anew, what the label file holds out stays so") {
  for (const Format& format : kFormats) {
    CAPTURE(format.name);
    TempDir dir;
    write_pictures(dir, {"0.jpg", "1.jpg", "2.jpg"});
    const auto labels = format.write(dir, {"train", "Validation", "testing"});
    const AnnotationSet set = read_annotations(labels, {.kept_splits = KeptSplits::held_out});
    CHECK(splits_of(set) == "..test.");
    CHECK(remarks_of(set) ==
          "2 pictures state splits (train 1, val 1) that are not read: --val, --split or the label "
          "file's name decides; read as stated: test 1\n");
  }
}

namespace {

// Three pictures for train and one each for val and test, in each way that states so by its form.
std::vector<std::filesystem::path> write_sets_with_splits(const TempDir& dir) {
  const std::vector<std::string> names{"train/1", "train/2", "train/3", "val/4", "test/5"};
  std::string cvat;
  for (const std::string& name : names) {
    const std::string split = name.substr(0, name.find('/'));
    const std::string id = name.substr(split.size() + 1),
                      of = id == "1" || id == "5" ? "/nut/" : "/bolt/";
    write_pictures(dir, {"yolo/images/" + name + ".jpg", "cvat/" + name + ".jpg",
                         "classes/" + split + of + id + ".jpg"});
    dir.write("yolo/labels/" + name + ".txt", "0 .5 .5 .2 .2\n");
    cvat += "<image id=\"1\" name=\"" + name + ".jpg\" subset=\"" + split + "\"></image>";
  }
  const std::string of_train = "images/train/1.jpg\nimages/train/2.jpg\nimages/train/3.jpg\n";
  dir.write("yolo/train.txt", of_train);
  dir.write("yolo/val.txt", "images/val/4.jpg\n");
  dir.write("yolo/test.txt", "images/test/5.jpg\n");
  dir.write("yolo/obj.names", "nut\n");
  return {
      dir.write("yolo/data.yaml",
                "names: [nut]\ntrain: images/train\nval: images/val\ntest: images/test\n"),
      dir.write("yolo/obj.data",
                "names = obj.names\ntrain = train.txt\nvalid = val.txt\ntest = test.txt\n"),
      dir.write("yolo/names.yaml", "names: [nut]\n"),
      dir.write("cvat/annotations.xml", "<annotations>" + cvat + "</annotations>"),
      dir / "classes",
  };
}

}  // namespace

TEST_CASE("splits of data.yaml, obj.data, CVAT and class folders give way to --val 0") {
  TempDir dir;
  for (const std::filesystem::path& input : write_sets_with_splits(dir)) {
    CAPTURE(input);
    const AnnotationSet stated = read_annotations(input);
    std::multiset<std::string> splits;
    for (const Item& item : stated.items) splits.insert(item.split);
    CHECK(splits == std::multiset<std::string>{"test", "train", "train", "train", "val"});
    CHECK(remarks_of(stated).find("not read") == std::string::npos);
    const AnnotationSet given =
        read_annotations(input, {.splits_by_folders = false, .kept_splits = KeptSplits::none});
    CHECK(splits_of(given) == ".....");
    CHECK_CONTAINS(remarks_of(given),
                   "5 pictures state splits (test 1, train 3, val 1) that are not read: --val, "
                   "--split or the label file's name decides\n");
    CHECK(remarks_of(given).find("folders may name splits") == std::string::npos);
  }
}

TEST_CASE("a reject's split gives way to --val 0 with those of the pictures") {
  TempDir dir;
  write_pictures(dir, {"1.jpg"});
  dir.write("1.txt", "0 .5 .5 .2 .2\n");
  dir.write("train.txt", "1.jpg\n");
  dir.write("val.txt", "2.jpg\n");
  const auto yaml = dir.write("data.yaml", "names: [nut]\ntrain: train.txt\nval: val.txt\n");
  REQUIRE(read_annotations(yaml).rejects.size() == 1);
  CHECK(read_annotations(yaml).rejects[0].split == "val");
  const AnnotationSet given =
      read_annotations(yaml, {.splits_by_folders = false, .kept_splits = KeptSplits::none});
  REQUIRE(given.rejects.size() == 1);
  CHECK(given.rejects[0].split.empty());
}

TEST_CASE("pictures that all state train, or no split, are train, without a word") {
  for (const Format& format : kFormats) {
    for (const Words& words : {Words{"train", "training"}, Words{"", ""}, Words{"train", ""}}) {
      const AnnotationSet set = read(format, words);
      CHECK(splits_of(set) == "..");
      CHECK(remarks_of(set).find("split") == std::string::npos);
    }
  }
}

TEST_CASE("FiftyOne: a picture with tags of two splits states none that can be read") {
  TempDir dir;
  write_pictures(dir, {"0.jpg", "1.jpg"});
  const AnnotationSet set = read_annotations(dir.write(
      "samples.json",
      R"({"samples":[{"filepath":"0.jpg","tags":["train","val"],"ground_truth":{"_cls":"Detections","detections":[{"label":"nut","bounding_box":[0.1,0.2,0.3,0.4]}]}},)"
      R"({"filepath":"1.jpg","tags":["train"]}]})"));
  CHECK(splits_of(set) == "..");
  CHECK_CONTAINS(
      remarks_of(set),
      "2 pictures state a split, the first 'train, val', and 1 is of none that is known");
}

TEST_CASE("Hugging Face: the folder of a split wins over the words in it, which are told") {
  TempDir dir;
  write_pictures(dir, {"set/train/a.jpg", "set/train/b.jpg", "set/validation/c.jpg"});
  const auto line = [](const std::string& name, const std::string& split) {
    return R"({"file_name":")" + name + R"(","split":")" + split +
           R"(","objects":{"bbox":[],"categories":[]}})" + "\n";
  };
  dir.write("set/train/metadata.jsonl", line("a.jpg", "train") + line("b.jpg", "val"));
  dir.write("set/validation/metadata.jsonl", line("c.jpg", "val"));
  const AnnotationSet set = read_annotations(dir / "set");
  CHECK(splits_of(set) == "train.train.val.");
  CHECK_CONTAINS(remarks_of(set),
                 "1 picture states another split than its folder; the folder's is read\n");
}

}  // namespace letterpress
