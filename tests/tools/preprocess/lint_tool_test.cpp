#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "letterpress/page/png.h"
#include "tests/contains.h"
#include "tests/tools/preprocess/linted.h"

namespace letterpress {
namespace {

std::string brighter_png(int seed, int levels = 3) {
  std::vector<std::uint8_t> rgb = drawn_pixels(seed, 80, 60);
  for (std::uint8_t& value : rgb) value = static_cast<std::uint8_t>(std::min(255, value + levels));
  const std::vector<std::byte> bytes = encode_png(rgb, 80, 60);
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// The drawing at twice its size.
std::string doubled_png(int seed) {
  const std::vector<std::uint8_t> drawn = drawn_pixels(seed, 80, 60);
  std::vector<std::uint8_t> rgb;
  for (std::size_t y = 0; y < 120; ++y) {
    for (std::size_t x = 0; x < 160; ++x) {
      for (std::size_t c = 0; c < 3; ++c) rgb.push_back(drawn[((y / 2) * 80 + x / 2) * 3 + c]);
    }
  }
  const std::vector<std::byte> bytes = encode_png(rgb, 160, 120);
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::string compressed_jpeg(int seed, int quality) {
  const std::vector<std::byte> bytes = encode_jpeg(drawn_pixels(seed, 80, 60), 80, 60, quality);
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// tests/golden's EXIF sample with another orientation: the byte after the tag's header, in either
// byte order.
std::string turned_jpeg(char orientation) {
  std::string content =
      file_text(std::string(LETTERPRESS_SOURCE_DIR) + "/tests/golden/pictures/exif.jpg");
  const std::size_t big = content.find(std::string("\x01\x12\x00\x03\x00\x00\x00\x01", 8));
  const std::size_t little = content.find(std::string("\x12\x01\x03\x00\x01\x00\x00\x00", 8));
  content[big != std::string::npos ? big + 9 : little + 8] = orientation;
  return content;
}

}  // namespace

TEST_CASE(
    "a brighter copy in val of a train picture is found and told with both names and the numbers; "
    "others are not") {
  Linted linted;
  linted.set.pictures(8);
  linted.set.folder.write("v0.png", brighter_png(5));
  linted.set.picture("v1.png", 40);
  linted.set.list("val.txt", "v0.png 10,10,40,30,0\nv1.png 10,10,40,30,1\n");
  linted.build({"--val", (linted.set.folder / "val.txt").string()});
  const auto found = linted.of("near-duplicate");
  REQUIRE(found.size() == 1);
  CHECK(found[0].at("picture") == "v0.png");
  CHECK(found[0].at("split") == "val");
  CHECK(contains(found[0].at("what"),
                 "looks like p5.png (" + linted.where("train.txt", 6) + ") of split train: "));
  CHECK(contains(found[0].at("what"), " of 64 hash bits and "));
  CHECK(contains(found[0].at("fix"), "keep them in one split (--group), or take one out"));
  CHECK(linted.of("near-duplicate", {"--grey", "1"}).empty());
}

TEST_CASE("pictures of train are told first, also where another split holds one that is closer") {
  Linted linted;
  linted.set.pictures(8);
  linted.set.folder.write("t0.png", brighter_png(5));
  linted.set.folder.write("v0.png", brighter_png(5, 4));
  linted.set.list("test.txt", "t0.png 10,10,40,30,0\n");
  linted.set.list("val.txt", "v0.png 10,10,40,30,0\n");
  linted.build({"--val", (linted.set.folder / "val.txt").string(), "--split",
                "test=" + (linted.set.folder / "test.txt").string()});
  const auto found = linted.of("near-duplicate");
  REQUIRE(found.size() == 2);
  for (const auto& one : found) {
    CHECK(contains(one.at("what"), "looks like p5.png ("));
    CHECK(contains(one.at("what"), ") of split train: "));
  }
}

TEST_CASE("a copy of another size and one compressed again are found as near-duplicates, too") {
  Linted linted;
  linted.set.pictures(8);
  linted.set.folder.write("v0.png", doubled_png(5));
  linted.set.folder.write("v1.jpg", compressed_jpeg(2, 40));
  linted.set.list("val.txt", "v0.png 20,20,80,60,0\nv1.jpg 10,10,40,30,1\n");
  linted.build({"--val", (linted.set.folder / "val.txt").string()});
  const auto found = linted.of("near-duplicate");
  REQUIRE(found.size() == 2);
  CHECK(found[0].at("picture") == "v0.png");
  CHECK(contains(found[0].at("what"),
                 "looks like p5.png (" + linted.where("train.txt", 6) + ") of split train: "));
  CHECK(found[1].at("picture") == "v1.jpg");
  CHECK(contains(found[1].at("what"),
                 "looks like p2.png (" + linted.where("train.txt", 3) + ") of split train: "));
}

TEST_CASE("the same bytes listed twice are a duplicate, named with the line that was kept") {
  Linted linted;
  linted.set.pictures(2);
  linted.set.folder.write("copy.png", file_text(linted.set.folder / "p1.png"));
  linted.set.list("train.txt",
                  file_text(linted.set.folder / "train.txt") + "copy.png 10,10,40,30,1\n");
  linted.build();
  const auto found = linted.of("duplicate");
  REQUIRE(found.size() == 1);
  CHECK(found[0].at("picture") == "copy.png");
  CHECK(
      contains(found[0].at("what"), "same bytes as p1.png (" + linted.where("train.txt", 2) + ")"));
  CHECK(found[0].at("fix") == "take one of the two lines out of the label file");
}

// 80 x 60 in a frame of 64: 0.8.
TEST_CASE("tiny, odd and edge boxes are told once per picture, with numbers counted by hand") {
  Linted linted;
  linted.set.pictures(3);
  linted.set.list(
      "train.txt",
      "p0.png 10,10,12,40,0 20,20,24,60,0 10,10,40,40,0\n"  // 1.6 x 24 and 3.2 x 32: tiny; the
                                                            // second ends at the edge
      "p1.png 5,10,75,16,0\n"                               // 56 x 4.8: 11.7 times
      "p2.png 0,0,20,20,0 60,40,80,60,0 30,30,50,50,1\n");  // two of three at the edge
  linted.build();
  const auto tiny = linted.of("tiny-box");
  REQUIRE(tiny.size() == 1);
  CHECK(tiny[0].at("picture") == "p0.png");
  CHECK(tiny[0].at("where") == linted.where("train.txt", 1));
  CHECK(tiny[0].at("what") ==
        "2 of 3 boxes too small to be seen in the 64 frame, the smallest 1.6 x 24.0 pixels");
  CHECK(linted.of("tiny-box", {"--tiny", "3"})[0].at("what") ==
        "1 of 3 boxes too small to be seen in the 64 frame, the smallest 1.6 x 24.0 pixels");
  const auto aspects = linted.of("aspect");
  REQUIRE(aspects.size() == 2);
  CHECK(aspects[1].at("picture") == "p1.png");
  CHECK(aspects[1].at("what") ==
        "1 of 1 boxes longer than 10 times their other side, the oddest 56.0 x 4.8 pixels");
  const auto edge = linted.of("edge");
  REQUIRE(edge.size() == 1);
  CHECK(edge[0].at("picture") == "p2.png");
  CHECK(edge[0].at("what") == "2 of 3 boxes touch the picture's edge");
  CHECK(linted.of("edge", {"--edge-share", "0.9"}).empty());
}

// IoU of boxes of 20 x 20 that lie 1 pixel apart: 380 / 420 = 0.905; 2 apart: 360 / 440 = 0.82.
TEST_CASE("boxes that lie on each other are told once per picture, those of two classes first") {
  Linted linted;
  linted.set.pictures(4);
  linted.set.list(
      "train.txt",
      "p0.png 10,10,30,30,0 40,10,60,30,1 41,10,61,30,0 10,10,30,30,0\n"  // two cats; a dog that is
                                                                          // a cat, too
      "p1.png 10,10,30,30,0 40,10,60,30,0 10,11,30,31,0\n"
      "p2.png 10,10,30,30,0 12,10,32,30,0 10,12,30,32,1\n"
      "p3.png 10.3,10.7,30.1,31.9,0 10.3,10.7,30.1,31.9,0 30,10,50,30,0\n");
  linted.build();
  const auto found = linted.of("double-box");
  REQUIRE(found.size() == 3);
  CHECK(found[0].at("picture") == "p0.png");
  CHECK(found[0].at("what") == "4 of 4 boxes lie on another one: a 'dog' and a 'cat', IoU 0.90");
  CHECK(found[1].at("picture") == "p1.png");
  CHECK(found[1].at("what") == "2 of 3 boxes lie on another one: two 'cat', IoU 0.90");
  const auto more = linted.of("double-box", {"--double-iou", "0.8"});
  REQUIRE(more.size() == 4);
  CHECK(more[2].at("what") == "3 of 3 boxes lie on another one: a 'cat' and a 'dog', IoU 0.82");
  const auto same = linted.of("double-box", {"--double-iou", "1"});
  REQUIRE(same.size() == 2);
  CHECK(same[0].at("what") == "2 of 4 boxes lie on another one: two 'cat', IoU 1.00");
  CHECK(same[1].at("what") == "2 of 3 boxes lie on another one: two 'cat', IoU 1.00");
}

TEST_CASE("one doubled label and nothing else fails --strict") {
  Linted linted;
  linted.set.pictures(1);
  linted.set.list("classes.txt", "cat\n");
  linted.set.list("train.txt", "p0.png 10,10,30,30,0 11,10,31,30,0\n");
  linted.build();
  const ProgramResult result = linted.lint({"--strict"});
  CHECK(result.exit_code == 65);
  CHECK(result.last_line() == linted.store + ": snapshot 1, 1 finding: 1 double-box");
}

TEST_CASE("a picture much longer than high is told with the share of its frame that is lost") {
  Linted linted;
  linted.set.pictures(1);
  linted.set.folder.write("wide.png", drawn_png(3, 200, 50));
  linted.set.list("train.txt", DrawnSet::line(0) + "wide.png 10,10,40,30,0\n");
  linted.build();
  const auto found = linted.of("aspect");
  REQUIRE(found.size() == 1);
  CHECK(found[0].at("what") == "is 200 x 50: 75% of its frame is padding");
}

TEST_CASE("a rare class, and one that no other split has, are told with their numbers") {
  Linted linted;
  linted.set.pictures(3);
  linted.set.list("train.txt",
                  "p0.png 1,1,9,9,0 11,11,19,19,0 21,21,29,29,0 31,31,39,39,0\np1.png 1,1,9,9,1\n");
  linted.set.list("val.txt", "p2.png 1,1,9,9,0\n");
  linted.build({"--val", (linted.set.folder / "val.txt").string()});
  const auto found = linted.of("imbalance", {"--imbalance", "3"});
  REQUIRE(found.size() == 3);
  CHECK(found[0].at("picture") == "dog");
  CHECK(found[0].at("what") == "has 1 in train, 'cat' has 4");
  CHECK(found[1].at("what") == "has 1 in train and none in val");
  CHECK(found[2].at("picture") == "bird");
  CHECK(found[2].at("what") == "has 0 in train, 'cat' has 4");
  CHECK(linted.of("imbalance").size() == 2);  // 20 times is the default: the dog is frequent enough
}

TEST_CASE("an EXIF turn that the label file says nothing about is told") {
  Linted linted;
  linted.set.pictures(1);
  linted.set.folder.write("turned.jpg", turned_jpeg(6));
  linted.set.folder.write("straight.jpg", turned_jpeg(1));
  linted.set.list("train.txt",
                  DrawnSet::line(0) + "turned.jpg 2,2,12,12,0\nstraight.jpg 2,2,12,12,0\n");
  linted.build();
  const auto found = linted.of("orientation");
  REQUIRE(found.size() == 1);
  CHECK(found[0].at("picture") == "turned.jpg");
  CHECK(contains(found[0].at("what"),
                 "has EXIF orientation 6, and its label file does not say whether"));
  CHECK(found[0].at("split") == "train");
  linted.build({"--val", "50%", "--group", "none"});
  const auto again = linted.of("orientation");
  REQUIRE(again.size() == 1);
  const ProgramResult in_split =
      preprocess({"ledger", "--store", linted.store, "--name", "turned.jpg", "--split",
                  again[0].at("split").get<std::string>()});
  CHECK(contains(in_split.out, "turned.jpg"));
  std::filesystem::remove(linted.set.folder / "train.txt");
  const ProgramResult result = linted.lint();
  CHECK(result.exit_code == 0);
  CHECK(contains(result.out, "note: orientation and size were not checked: "));
}

TEST_CASE("a label file that states another size than the picture has is told") {
  Linted linted;
  linted.set.picture("p0.png", 0);
  linted.set.picture("p1.png", 1);
  linted.set.list(
      "train.json",
      R"({"images":[{"id":1,"file_name":"p0.png","width":160,"height":120},{"id":2,"file_name":"p1.png","width":80,"height":60}],)"
      R"("annotations":[{"id":1,"image_id":1,"category_id":1,"bbox":[10,10,20,20]},)"
      R"({"id":2,"image_id":2,"category_id":1,"bbox":[10,10,20,20]}],"categories":[{"id":1,"name":"cat"}]})");
  REQUIRE(preprocess({"build", "--store", linted.store, "--input",
                      (linted.set.folder / "train.json").string(), "--size", "64", "--max-rejects",
                      "1"})
              .exit_code == 0);
  const auto found = linted.of("size");
  REQUIRE(found.size() == 1);
  CHECK(found[0].at("picture") == "p0.png");
  CHECK(found[0].at("what") == "is 80 x 60 pixels, its label file says 160 x 120");
  REQUIRE(preprocess({"build", "--store", linted.store, "--input",
                      (linted.set.folder / "train.json").string(), "--size", "64", "--label-size",
                      "scale"})
              .exit_code == 0);
  CHECK(linted.of("size").empty());
}

}  // namespace letterpress
