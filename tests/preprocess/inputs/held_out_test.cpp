#include <doctest/doctest.h>

#include <algorithm>
#include <set>
#include <string>

#include "letterpress/base/hash.h"
#include "preprocess/inputs/inputs.h"
#include "tests/contains.h"
#include "tests/temp_dir.h"

namespace letterpress {
namespace {

using Splits = std::multiset<std::string>;

// A picture each of train, val and test, as VOC's lists, LabelMe's folders and COCO's files in
// folders state them, and another one in no list.
void write_sets(const TempDir& dir) {
  for (const std::string id : {"1", "2", "3", "4"}) {
    dir.write("voc/JPEGImages/" + id + ".jpg", id);
    dir.write("voc/Annotations/" + id + ".xml",
              "<annotation><filename>" + id + ".jpg</filename></annotation>");
    if (id == "4") continue;
    const std::string split = id == "1" ? "train" : id == "2" ? "valid" : "test";
    dir.write("voc/ImageSets/Main/" + split + ".txt", id + "\n");
    dir.write("labelme/" + split + "/1.jpg", id);
    dir.write("labelme/" + split + "/1.json", R"({"shapes": [], "imagePath": "1.jpg"})");
    dir.write("coco/" + split + "/1.jpg", id);
    dir.write("coco/" + split + "/_annotations.coco.json",
              R"({"images": [{"id": 1, "file_name": "1.jpg", "width": 20, "height": 20}],
                  "categories": [{"id": 1, "name": "cat"}], "annotations": []})");
  }
}

BuildOptions options_of(const TempDir& dir, const std::vector<std::string>& inputs) {
  BuildOptions options;
  options.store = dir / "store";
  for (const std::string& input : inputs) options.inputs.push_back(dir / input);
  return options;
}

Splits splits_of(const BuildOptions& options) {
  Splits found;
  for (const Candidate& one : gather(options, {}).candidates) found.insert(one.split);
  return found;
}

bool is_told(const BuildOptions& options, const std::string& text) {
  for (const std::string& line : gather(options, {}).recognised) {
    if (contains(line, text)) return true;
  }
  return false;
}

}  // namespace

TEST_CASE("a share leaves what folders and label files hold out for a test") {
  TempDir dir;
  write_sets(dir);
  for (const char* set : {"labelme", "coco"}) {
    CAPTURE(set);
    BuildOptions options = options_of(dir, {set});
    CHECK(splits_of(options) == Splits{"test", "train", "val"});
    options.val = "0.5";
    CHECK(splits_of(options) == Splits{"test", "train", "train"});
    options.val = "0";
    CHECK(splits_of(options) == Splits{"train", "train", "train"});
  }
}

TEST_CASE("a share leaves what VOC's list holds out, and takes the pictures of no list too") {
  TempDir dir;
  write_sets(dir);
  BuildOptions options = options_of(dir, {"voc"});
  CHECK(splits_of(options) == Splits{"test", "train", "val"});
  options.val = "0.5";
  CHECK(splits_of(options) == Splits{"test", "train", "train", "train"});
  CHECK(is_told(options,
                "Main/test.txt: its pictures stay test (1), --val draws from all others; to read "
                "all as train, pass --val 0"));
  CHECK_FALSE(is_told(options, "none of the label files read names"));
  dir.write("voc/ImageSets/Main/test.txt", "3\n9\n");  // 9 is nowhere
  CHECK(splits_of(options) == Splits{"test", "test", "train", "train", "train"});
  const Inputs inputs = gather(options, {});
  CHECK(std::ranges::count_if(inputs.candidates, [](const Candidate& one) {
          return one.reject && one.split == "test" && one.item.where.ends_with("test.txt:2");
        }) == 1);
  std::filesystem::remove(dir / "voc/JPEGImages/3.jpg");  // a reject of the list and the label file
  CHECK(splits_of(options) == Splits{"test", "test", "train", "train", "train"});
  dir.write("voc/JPEGImages/3.jpg", "3");
  std::filesystem::rename(dir / "voc/Annotations/4.xml", dir / "voc/Annotations/4.XML");
  dir.write("voc/ImageSets/Main/test.txt", "3\n4\n");  // which is not 4.xml, but of 4.jpg
  CHECK(splits_of(options) == Splits{"test", "test", "train", "train"});
  std::filesystem::remove(dir / "voc/ImageSets/Main/train.txt");
  CHECK(splits_of(options) == Splits{"train", "train", "train", "train"});
  CHECK(is_told(options, "there is no list of train beside it"));
  options.val = "0";
  CHECK(splits_of(options) == Splits{"train", "train", "train", "train"});
}

TEST_CASE("--val 0 tells of what it reads as train") {
  TempDir dir;
  write_sets(dir);
  BuildOptions options = options_of(dir, {"voc"});
  options.val = "0";
  CHECK(is_told(options, "state splits, but --val or --split is given: all its pictures are read"));
  options.inputs = {dir / "labelme/train", dir / "labelme/test"};
  CHECK(is_told(options, "labelme/test: read as train though it is called after test"));
}

TEST_CASE("a share leaves what a folder beside others holds out, where each is given") {
  TempDir dir;
  write_sets(dir);
  BuildOptions options = options_of(dir, {"labelme/train", "labelme/valid", "labelme/test"});
  options.val = "0.5";
  CHECK(splits_of(options) == Splits{"test", "train", "train"});
  CHECK(is_told(options, "splits by the names of inputs: " + (dir / "labelme/test").string() +
                             " test; to read all as train, pass --val 0"));
  options.val = "0";
  CHECK(splits_of(options) == Splits{"train", "train", "train"});
  options.val = "0.5";
  options.inputs = {dir / "labelme/test"};
  CHECK(splits_of(options) == Splits{"train"});
  CHECK(is_told(options, "labelme/test: --val draws from it though it is called after test"));
}

TEST_CASE("a share and a further --split leave what is held out, too") {
  TempDir dir;
  write_sets(dir);
  BuildOptions options = options_of(dir, {"labelme"});
  options.val = "0.5";
  options.splits = {{"more", dir / "coco/train"}};
  CHECK(splits_of(options) == Splits{"more", "test", "train", "train"});
  options.splits = {{"test", dir / "coco/test"}, {"hold", dir / "labelme/test"}};
  Inputs inputs = gather(options, {});
  for (Candidate& one : inputs.candidates) one.picture_hash = hash128(one.item.path);
  merge_duplicates(inputs);
  Splits stored;
  for (const Candidate& one : inputs.candidates) {
    if (one.stored()) stored.insert(one.split);
  }
  CHECK(stored == Splits{"hold", "test", "train", "train"});  // as the command line has them
}

TEST_CASE("a picture that is rejected is of train where a share leaves none of its split") {
  TempDir dir;
  for (const std::string name : {"train/1", "val/2", "test/3"}) {
    if (name != "train/1") dir.write("images/" + name + ".jpg", name);
    dir.write("labels/" + name + ".txt", "0 .5 .5 .2 .2\n");
  }
  dir.write("train.txt", "images/train/1.jpg\n");
  BuildOptions options = options_of(dir, {"data.yaml"});
  dir.write("data.yaml", "names: [cat]\ntrain: train.txt\nval: images/val\ntest: images/test\n");
  options.val = "0.5";
  for (const Candidate& one : gather(options, {}).candidates) {
    if (one.reject) CHECK(one.split == "train");
  }
  CHECK(splits_of(options) == Splits{"test", "train", "train"});
}

}  // namespace letterpress
