#include <doctest/doctest.h>

#include "preprocess/plan/software_version.h"
#include "tests/preprocess/drawn_jpeg.h"
#include "tests/preprocess/drawn_set.h"
#include "tests/preprocess/golden.h"
#include "tests/skip.h"

namespace letterpress {
namespace {

// What the newest revision makes with Debian 12's libraries; no other program can say it. When this
// digest changes, what two programs map of one plan differs: raise kPixelRevision in
// preprocess/plan/software_version.cpp, so that they refuse it, and write the new revision and
// digest here.
constexpr const char* kRevision = "(pixels 10, ";
constexpr const char* kLibraries = "OpenCV 4.6.0, libjpeg-turbo 2.1.5, HDF5 1.10.8)";
constexpr const char* kDigest = "781abd81545adcfc8ed6edb6225e97d3";
constexpr const char* kCrowdDigest =
    "b6fa9798536657fe0019d93c1a2586f1";  // of a crowd that views cut

constexpr const char* kEveryAugmentation = R"(
[letterbox]
scale = "fit"
rounding = "nearest"
place = "centre"
fill = 114
resize = "linear"
[boxes]
min_side = 0
min_area = 0
[[augment]]
kind = "affine"
rotation = 10
shear = 5
[[augment]]
kind = "turn90"
[[augment]]
kind = "hflip"
[[augment]]
kind = "vflip"
[[augment]]
kind = "crop"
[[augment]]
kind = "blur"
[[augment]]
kind = "hsv"
[[augment]]
kind = "tone"
[[augment]]
kind = "grey"
[[augment]]
kind = "noise"
[[augment]]
kind = "jpeg"
[[augment]]
kind = "cutout"
)";

// Photographs and drawings of every kind that is decoded without OpenCV's codecs, with a box each.
struct GoldenPictures : DrawnSet {
  GoldenPictures() {
    std::string lines;
    for (const char* name :
         {"photo.jpg", "grey.jpg", "cmyk.jpg", "exif.jpg", "rgb.png", "palette.png"}) {
      folder.write(name, golden(std::string("pictures/") + name));
      lines += std::string(name) + " 2,3,15,12,1\n";
    }
    folder.write("large.jpg", drawn_jpeg(3, 400, 300));  // decoded at a fraction of its size
    list("train.txt", lines + "large.jpg 20,30,150,120,2\n");
    folder.write("every.toml", kEveryAugmentation);
    // A crowd over all of a picture, which views cut.
    folder.write(
        "crowd.json",
        R"({"images":[{"id":1,"file_name":"photo.jpg"}],"categories":[{"id":1,"name":"cat"}],)"
        R"("annotations":[{"image_id":1,"category_id":1,"bbox":[0,0,4000,4000],)"
        R"("iscrowd":1},{"image_id":1,"category_id":1,"bbox":[2,3,13,9]}]})");
  }
};

}  // namespace

TEST_CASE("a change of what rows hold raises the producer's pixel revision" *
          doctest::test_suite("needs libraries of Debian 12")) {
  CHECK(software_version().find(kRevision) != std::string::npos);
  if (!software_version().ends_with(kLibraries))
    return skip("the digest is of " + std::string(kLibraries) + ", this is " + software_version());
  const GoldenPictures set;
  std::string contents;
  for (const std::string recipe :
       {"none", "classify", "detect", "inspect", "keras-yolo3", "every"}) {
    BuildOptions options = set.options(recipe);
    options.recipe = recipe == "every" ? (set.folder / "every.toml").string() : recipe;
    options.views = recipe == "none" ? 0 : 6;
    options.side = 96;
    build_quietly(options);
    for (const auto& [key, content] : row_contents(options.store)) contents += content + "\n";
  }
  CHECK(hash128(contents).hex() == kDigest);
  BuildOptions crowds = set.options("crowds");
  crowds.inputs = {set.folder / "crowd.json"};
  crowds.recipe = "detect";
  crowds.views = 12;
  crowds.side = 96;
  build_quietly(crowds);
  std::string of_crowds;
  for (const auto& [key, content] : row_contents(crowds.store)) of_crowds += content + "\n";
  CHECK(hash128(of_crowds).hex() == kCrowdDigest);
}

}  // namespace letterpress
