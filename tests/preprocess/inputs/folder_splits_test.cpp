#include <doctest/doctest.h>

#include <algorithm>

#include "preprocess/inputs/inputs.h"
#include "tests/contains.h"
#include "tests/temp_dir.h"

namespace letterpress {
namespace {

std::string splits_in_a_line(const Inputs& inputs) {
  std::string text;
  for (const Candidate& candidate : inputs.candidates)
    text += (text.empty() ? "" : " ") + candidate.split;
  return text;
}

// LabelMe's files of two train pictures and one of val.
BuildOptions labelme_folder(const TempDir& dir) {
  for (const char* name : {"train/1", "train/2", "val/3"}) {
    const std::string path = name;
    dir.write("set/" + path + ".jpg", "");
    dir.write("set/" + path + ".json",
              R"({"shapes": [], "imagePath": ")" + path.substr(path.rfind('/') + 1) + R"(.jpg"})");
  }
  BuildOptions options;
  options.store = dir / "store";
  options.inputs = {dir / "set"};
  return options;
}

}  // namespace

TEST_CASE("folders' names make splits where no flag does") {
  TempDir dir;
  BuildOptions options = labelme_folder(dir);
  CHECK(splits_in_a_line(gather(options, {})) == "train train val");
  for (const char* share : {"0", "0.5"}) {
    options.val = share;
    CHECK(splits_in_a_line(gather(options, {})) == "train train train");
  }
  options.val.clear();
  options.splits = {{"test", dir / "set/val"}};
  const Inputs inputs = gather(options, {});
  CHECK(splits_in_a_line(inputs) == "train train train test");
  CHECK(contains(inputs.recognised.at(1), "but --val or --split is given"));
}

TEST_CASE("inputs in one folder that are called after splits are them, as in their folder") {
  TempDir dir;
  BuildOptions options = labelme_folder(dir);
  const std::string set = (dir / "set").string();
  options.inputs = {set + "/train", set + "/val/"};
  Inputs inputs = gather(options, {});
  CHECK(splits_in_a_line(inputs) == "train train val");
  CHECK(inputs.recognised.back() == "splits by the names of inputs: " + set + "/train train, " +
                                        set + "/val/ val; to read all as train, pass --val 0");
  options.val = "0";
  inputs = gather(options, {});
  CHECK(splits_in_a_line(inputs) == "train train train");
  CHECK_FALSE(contains(inputs.recognised.back(), "splits"));
}

TEST_CASE(
    "an input that is called after val is read as train with a remark where no train is "
    "beside it") {
  TempDir dir;
  BuildOptions options = labelme_folder(dir);
  std::filesystem::create_directory(dir / "other");
  std::filesystem::rename(dir / "set/val", dir / "other/val");
  options.inputs = {dir / "set/train", dir / "other/val"};
  const Inputs inputs = gather(options, {});
  CHECK(splits_in_a_line(inputs) == "train train train");
  CHECK(inputs.recognised.back() ==
        (dir / "other/val").string() +
            ": read as train though it is called after val; give it with --val if it is not for "
            "training");
  options.inputs = {dir / "other/val"};
  CHECK(contains(gather(options, {}).recognised.back(), "read as train though it is called after"));
}

TEST_CASE("an input within another one is told, and not what it would be alone") {
  TempDir dir;
  BuildOptions options = labelme_folder(dir);
  const std::string set = (dir / "set").string();
  options.inputs = {set, set + "/val"};
  const Inputs inputs = gather(options, {});
  CHECK(splits_in_a_line(inputs) == "train train val train");  // joined by their bytes later
  CHECK(inputs.recognised.back() ==
        set + "/val: lies in " + set +
            ", which is an input too; a picture of both is stored once, one of this alone as "
            "train though it is called after val");
}

TEST_CASE("inputs that are called after splits are told where --val or --split is given") {
  TempDir dir;
  BuildOptions options = labelme_folder(dir);
  std::filesystem::create_directory(dir / "other");
  std::filesystem::copy(dir / "set/val", dir / "other/val");
  options.inputs = {dir / "set/train", dir / "set/val"};
  options.splits = {{"test", dir / "other/val"}};
  const Inputs inputs = gather(options, {});
  CHECK(splits_in_a_line(inputs) == "train train train test");
  CHECK(std::ranges::any_of(inputs.recognised, [](const std::string& line) {
    return contains(line, "set/val: read as train though it is called after val");
  }));
}

TEST_CASE(
    "label files called train and test may both be for training; with one of val they are "
    "splits") {
  TempDir dir;
  for (const char* name : {"train", "test", "val"}) {
    dir.write(std::string(name) + ".jpg", "");
    dir.write(std::string(name) + ".txt", std::string(name) + ".jpg 1,2,10,12,0\n");
  }
  dir.write("classes.txt", "cat\n");
  BuildOptions options;
  options.store = dir / "store";
  options.classes = dir / "classes.txt";
  options.inputs = {dir / "train.txt", dir / "test.txt"};
  Inputs inputs = gather(options, {});
  CHECK(splits_in_a_line(inputs) == "train train");
  CHECK(inputs.recognised.end()[-2] ==
        (dir / "test.txt").string() +
            ": read as train though it is called after test; give it with --split test=... if it "
            "is not for training");
  options.inputs.push_back(dir / "val.txt");
  inputs = gather(options, {});
  CHECK(splits_in_a_line(inputs) == "train test val");
}

TEST_CASE("a VOC folder's own lists are its splits; a flag of splits reads all its pictures") {
  TempDir dir;
  for (const char* id : {"1", "2", "3", "4"}) {
    dir.write("set/JPEGImages/" + std::string(id) + ".jpg", id);
    dir.write("set/Annotations/" + std::string(id) + ".xml",
              "<annotation><object><name>cat</name><bndbox><xmin>2</xmin><ymin>3</ymin>"
              "<xmax>9</xmax><ymax>8</ymax></bndbox></object></annotation>");
  }
  dir.write("set/ImageSets/Main/train.txt", "1\n2\n");
  dir.write("set/ImageSets/Main/val.txt", "3\n");
  BuildOptions options;
  options.store = dir / "store";
  options.inputs = {dir / "set"};
  const auto told = [](const Inputs& inputs, const std::string& text) {
    return std::ranges::any_of(inputs.recognised,
                               [&](const std::string& line) { return contains(line, text); });
  };
  const std::string listed = "splits by the lists in " + (dir / "set/ImageSets/Main").string() +
                             "; to read all pictures as train, pass --val 0";
  const Inputs inputs = gather(options, {});
  CHECK(splits_in_a_line(inputs) == "train train val");
  CHECK(told(inputs, listed));
  CHECK(told(inputs, "pictures beside these that none of the label files read names: 1, such as "));
  for (const char* share : {"0", "0.5"}) {
    options.val = share;
    const Inputs all = gather(options, {});
    CHECK(splits_in_a_line(all) == "train train train train");
    CHECK_FALSE(told(all, listed));
  }
  options.val = dir / "set/ImageSets/Main/val.txt";
  const Inputs with_val = gather(options, {});
  CHECK(splits_in_a_line(with_val) == "train train train train val");
  CHECK(told(with_val, "state splits, but --val or --split is given: all its pictures are read"));
}

TEST_CASE("splits of a data.yaml give way to a share, and not to a further --split") {
  TempDir dir;
  for (const char* name : {"train/1", "train/2", "val/3", "test/4"}) {
    dir.write("images/" + std::string(name) + ".jpg", name);
    dir.write("labels/" + std::string(name) + ".txt", "0 .5 .5 .2 .2\n");
  }
  BuildOptions options;
  options.store = dir / "store";
  options.inputs = {dir.write(
      "data.yaml", "names: [cat]\ntrain: images/train\nval: images/val\ntest: images/test\n")};
  CHECK(splits_in_a_line(gather(options, {})) == "train train val test");
  const auto is_told = [](const Inputs& inputs, const std::string& splits) {
    return std::ranges::any_of(inputs.recognised, [&](const std::string& line) {
      return contains(line, "pictures state splits (" + splits +
                                ") that are not read: --val, --split or the label file's name "
                                "decides");
    });
  };
  options.val = "0";
  CHECK(splits_in_a_line(gather(options, {})) == "train train train train");
  CHECK(is_told(gather(options, {}), "test 1, train 2, val 1"));
  options.val = "0.5";  // what is held out for a test stays so
  CHECK(splits_in_a_line(gather(options, {})) == "train train train test");
  CHECK(is_told(gather(options, {}), "train 2, val 1"));
  options.val.clear();
  options.splits = {{"test", dir.write("test.yaml", "names: [cat]\ntrain: images/test\n")}};
  const Inputs inputs = gather(options, {});
  CHECK(splits_in_a_line(inputs) == "train train val test test");
  CHECK(!is_told(inputs, "test 1, train 2, val 1"));
}

TEST_CASE("what a folder says of its parts is told once") {
  TempDir dir;
  const std::string coco =
      R"({"images": [{"id": 1, "file_name": "1.jpg", "width": 20, "height": 20}],
          "categories": [{"id": 1, "name": "cat"}], "annotations": []})";
  for (const char* split : {"train", "valid", "test"}) dir.write(std::string(split) + "/1.jpg", "");
  dir.write("train/_annotations.coco.json", coco);
  BuildOptions options;
  options.store = dir / "store";
  options.inputs = {dir.path()};
  const auto told = [&] {
    int n = 0;
    for (const std::string& line : gather(options, {}).recognised) n += contains(line, "left out");
    return n;
  };
  CHECK(told() == 2);  // valid and test
  dir.write("valid/_annotations.coco.json", coco);
  CHECK(told() == 1);
}

TEST_CASE("an input that may be called after a split by another word is told and read as train") {
  TempDir dir;
  BuildOptions options = labelme_folder(dir);
  std::filesystem::rename(dir / "set/val", dir / "set/dev");
  const std::string dev = (dir / "set/dev").string();
  const std::string told =
      ": read as train though 'dev' may stand for another split; give it with --val or --split if "
      "it is not for training";
  options.inputs = {dir / "set/train", dev};
  Inputs inputs = gather(options, {});
  CHECK(splits_in_a_line(inputs) == "train train train");
  CHECK(inputs.recognised.back() == dev + told);
  options.inputs = {dir / "set/train/1.json", dev + "/3.json"};
  const Inputs files = gather(options, {});
  CHECK(std::ranges::count(files.recognised, dev + "/3.json" + told) == 1);
  options.val = "0";
  CHECK_FALSE(contains(gather(options, {}).recognised.back(), "read as train"));
}

}  // namespace letterpress
