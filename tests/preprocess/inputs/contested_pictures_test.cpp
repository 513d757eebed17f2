#include "preprocess/inputs/contested_pictures.h"

#include <doctest/doctest.h>

#include "preprocess/inputs/inputs.h"
#include "tests/contains.h"
#include "tests/temp_dir.h"

namespace letterpress {
namespace {

namespace fs = std::filesystem;
using NameList = std::vector<std::string>;

// A label file of one box per name, beside the pictures of `dir`.
fs::path list_of(const TempDir& dir, const std::string& file,
                 const std::vector<std::string>& names) {
  std::string lines;
  for (const std::string& name : names) lines += name + ",1,2,3,4,nut\n";
  return dir.write(file, lines);
}

// "1.jpg" of pictures that stay, and what is said of the others, a line each.
struct Read {
  std::vector<std::string> kept{}, told{};
  Accounting sums{};
};
Read read(const std::vector<fs::path>& files, const std::string& val = "") {
  BuildOptions options;
  options.inputs = files;
  options.val = val;
  const Inputs inputs = gather(options, {});
  Read read;
  for (const Candidate& candidate : inputs.candidates) {
    if (candidate.reject) {
      read.told.push_back(to_string(*candidate.reject));
    } else {
      read.kept.push_back(candidate.item.name);
    }
  }
  read.sums = account(inputs);
  return read;
}
Read read_names(const TempDir& dir, const std::vector<std::string>& names) {
  return read({list_of(dir, "annots/train.csv", names)});
}

}  // namespace

TEST_CASE("the part of a name that its path lacks") {
  CHECK(part_that_differs("/old/cam1/1.jpg", "/set/1.jpg") == "cam1");
  CHECK(part_that_differs("cam1/1.jpg", "/set/cam1/1.jpg") == "");
  CHECK(part_that_differs("/set/1.jpg", "/set/1.jpg") == "");
  CHECK(part_that_differs("cam1/1.jpg", "/set/am1/1.jpg") == "cam1");
  CHECK(part_that_differs("am1/1.jpg", "/set/cam1/1.jpg") == "am1");
  CHECK(part_that_differs("a/A.jpg", "/set/a.jpg") == "A.jpg");
  CHECK(part_that_differs("A.jpg", "/set/a/a.jpg") == "A.jpg");
  CHECK(part_that_differs("left/b/1.jpg", "/set/b/1.jpg") == "left");
}

TEST_CASE("two names that would be one file by their ends: both are rejected") {
  TempDir dir;
  dir.write("annots/1.jpg", "");
  const Read both = read_names(dir, {"left/1.jpg", "right/1.jpg"});
  const std::string place = fs::canonical(dir / "annots/1.jpg").string();
  CHECK(both.kept.empty());
  REQUIRE(both.told.size() == 2);
  CHECK_CONTAINS(both.told[1], "'right/1.jpg' and 'left/1.jpg' would both be " + place +
                                   ", by the ends of their paths; give --root with");
  CHECK_CONTAINS(both.told[0], "train.csv:1: 'left/1.jpg' and 'right/1.jpg' would both be ");
  CHECK(both.sums.boxes_found == 2);
  CHECK(both.sums.boxes_rejected == 2);
  CHECK(both.sums.pictures_rejected == 2);
}

TEST_CASE("a name that leads by its end to a picture of another label is rejected, in any order") {
  TempDir dir;
  dir.write("annots/1.jpg", "");
  dir.write("annots/a.jpg", "");
  const std::string place = fs::canonical(dir / "annots/1.jpg").string();
  for (const NameList& names : {NameList{"1.jpg", "right/1.jpg"}, NameList{"right/1.jpg", "1.jpg"},
                                NameList{"right/1.jpg", "./1.jpg", "left/1.jpg"}}) {
    const Read found = read_names(dir, names);
    REQUIRE(found.kept.size() == 1);
    CHECK(found.kept[0].ends_with("1.jpg"));
    CHECK(found.kept[0].find("right") == std::string::npos);
    REQUIRE(found.told.size() == names.size() - 1);
    CHECK_CONTAINS(
        found.told[0],
        "'right/1.jpg' would be " + place +
            " by the end of its path, which another label names as it is; give --root "
            "with the folder that paths start from; if both mean this picture, put its boxes into "
            "one label file");
  }
  CHECK_CONTAINS(read_names(dir, {"a.jpg", "A.jpg"}).told.at(0), "'A.jpg' would be ");
}

TEST_CASE("names of two label files, too: train/1.png and val/1.png are not one 1.png") {
  TempDir dir;
  dir.write("1.png", "");
  const fs::path a = list_of(dir, "a.csv", {"train/1.png"}),
                 b = list_of(dir, "b.csv", {"val/1.png"});
  CHECK(read({a}, b.string()).told.size() == 2);
  CHECK(read({a, b}).told.size() == 2);
  // One name, or one place on another machine, is one picture.
  const fs::path again = list_of(dir, "again.csv", {"train/1.png"}),
                 windows = list_of(dir, "windows.csv", {R"(C:\old\train\1.png)"});
  CHECK(read({a, again, windows}).kept.size() == 3);
}

TEST_CASE("XMLs of two sub-folders that lead to one flat picture are rejected, in lists as well") {
  TempDir dir;
  dir.write("JPEGImages/0.png", "");
  for (const char* camera : {"cam1", "cam2"}) {
    dir.write(std::string("Annotations/") + camera + "/0.xml",
              "<annotation><filename>0.png</filename></annotation>");
  }
  const fs::path train = dir.write("ImageSets/Main/train.txt", "cam1/0\n"),
                 val = dir.write("ImageSets/Main/val.txt", "cam2/0\n");
  for (const Read& both : {read({dir / "Annotations"}), read({train}, val.string())}) {
    CHECK(both.kept.empty());
    REQUIRE(both.told.size() == 2);
    CHECK_CONTAINS(both.told[0], "'cam1/0.png' and 'cam2/0.png' would both be ");
  }
}

}  // namespace letterpress
