#include "preprocess/options/root_flag.h"

#include <doctest/doctest.h>

#include "preprocess/inputs/inputs.h"
#include "tests/message_of.h"
#include "tests/temp_dir.h"

namespace letterpress {
namespace {

// Training and validation pictures of one name in folders of their own.
BuildOptions two_folders(const TempDir& dir) {
  for (const char* picture : {"IMAGES/1.jpg", "Validation_Images/1.jpg"}) dir.write(picture, "");
  BuildOptions options;
  options.store = dir / "store";
  options.inputs = {dir.write("labels/train.csv", "1.jpg,1,2,30,40,nut\n")};
  options.val = dir.write("labels/val.csv", "1.jpg,1,2,30,40,nut\n").string();
  options.roots = {{"train", dir / "IMAGES"}, {"val", dir / "Validation_Images"}};
  return options;
}

}  // namespace

TEST_CASE("each split may have a root of its own") {
  TempDir dir;
  const BuildOptions options = two_folders(dir);
  CHECK(message_of([&] { validate(options); }) == "no error");
  const Inputs inputs = gather(options, {});
  REQUIRE(inputs.candidates.size() == 2);
  const std::string top = std::filesystem::canonical(dir.path()).string();
  CHECK(inputs.candidates[0].item.path == top + "/IMAGES/1.jpg");
  CHECK(inputs.candidates[0].split == "train");
  CHECK(inputs.candidates[1].item.path == top + "/Validation_Images/1.jpg");
  CHECK(inputs.candidates[1].split == "val");
}

TEST_CASE("the split of a root may be of a label file in a folder; no other is taken") {
  TempDir dir;
  BuildOptions options = two_folders(dir);
  options.inputs = {dir / "labels"};
  options.val = "";
  CHECK(message_of([&] { validate(options); }) == "no error");
  const Inputs inputs = gather(options, {});
  REQUIRE(inputs.candidates.size() == 2);
  CHECK(inputs.candidates[1].item.path.ends_with("/Validation_Images/1.jpg"));
  options.roots.push_back({"test", dir / "IMAGES"});
  CHECK(message_of([&] { gather(options, {}); }) ==
        "64 --root test=" + (dir / "IMAGES").string() +
            ": no label file is of split 'test'; give its labels by --val or --split, or leave "
            "'test=' out");
}

TEST_CASE("a root of a split without label file, or that is not there, is refused") {
  TempDir dir;
  BuildOptions options = two_folders(dir);
  options.val = "0.1";
  CHECK(message_of([&] { validate(options); }) ==
        "64 --root val=" + (dir / "Validation_Images").string() +
            ": no label file is of split 'val'; give its labels by --val or --split, or leave "
            "'val=' out");
  options.roots = {{"", dir / "gone"}};
  CHECK(message_of([&] { validate(options); }) ==
        "66 --root " + (dir / "gone").string() +
            ": there is no such file or folder (is a mount missing?)");
  options.roots = {{"", dir.write("pictures.zip", "")}};
  CHECK(message_of([&] { validate(options); }) ==
        "64 --root " + (dir / "pictures.zip").string() +
            ": is a file, must be a folder; unpack an archive of pictures first; pictures in one "
            "archive with their labels are found by --input alone");
  options.roots = {{"val", ""}};
  CHECK(message_of([&] { validate(options); }) ==
        "64 --root val= names no folder, must be FOLDER, or SPLIT=FOLDER");
}

TEST_CASE("roots survive the stored configuration; one alone is the text that it always was") {
  TempDir dir;
  BuildOptions options = two_folders(dir);
  CHECK(build_options_from_json(to_json(options)).roots == options.roots);
  options.roots = {{"", "/r"}};
  CHECK(to_json(options).find("\"root\":\"/r\"") != std::string::npos);
  CHECK(build_options_from_json(to_json(options)).roots == options.roots);
  options.roots.clear();
  CHECK(to_json(options).find("\"root\":\"\"") != std::string::npos);
  CHECK(build_options_from_json(to_json(options)).roots.empty());
}

}  // namespace letterpress
