#include "trainer/parity/found_pictures.h"

#include <doctest/doctest.h>

#include "letterpress/base/file.h"
#include "tests/message_of.h"
#include "tests/temp_dir.h"

namespace letterpress {
namespace {

using Boxes = std::vector<FoundPicture::Box>;

const ParityRule kRule{
    .confidence = 0.25, .tolerance = 1e-3, .most = 3, .classes = {"red", "blue"}};

ParityDifferences compared(const Boxes& ours, const Boxes& theirs) {
  return compare_found({{"a.jpg", 200, 100, ours}}, {{"a.jpg", 200, 100, theirs}}, kRule);
}

}  // namespace

TEST_CASE("counterparts are of one class and overlap most; the largest differences are told") {
  const ParityDifferences differences =
      compared({{0, 0, 10, 10, .9, 0}, {50, 50, 70, 70, .5, 1}, {0, 0, 10, 10, .4, 1}},
               {{50, 51.5, 70, 70, .4375, 1}, {0, 0, 10, 11, .90625, 0}, {0, 0, 10, 10, .4, 1}});
  CHECK(differences.detections == 3);
  CHECK(differences.counterparts == 3);
  CHECK(differences.score == doctest::Approx(.0625));
  CHECK(differences.corner == doctest::Approx(1.5));
  CHECK(differences.corner_share == doctest::Approx(1.5 / 200));
  CHECK(differences.unmatched_n == 0);
  CHECK(differences.unmatched.empty());
}

TEST_CASE("a detection of one program alone counts with what its score is over the confidence") {
  const Boxes ours{{0, 0, 10, 10, .75, 0}};
  for (const Boxes& theirs :
       {Boxes{}, Boxes{{0, 0, 10, 10, .75, 1}}, Boxes{{6, 0, 16, 10, .75, 0}}}) {
    CAPTURE(theirs.size());
    const ParityDifferences differences = compared(ours, theirs);
    CHECK(differences.alone == doctest::Approx(.5));
    CHECK((differences.score == 0 && differences.counterparts == 0));
    CHECK(differences.unmatched_n == static_cast<std::int64_t>(1 + theirs.size()));
    CHECK(differences.unmatched.front() == "a.jpg: red 0.750 of predict alone");
    if (!theirs.empty()) CHECK(differences.unmatched.back().ends_with(" of the runtime alone"));
  }
  const ParityDifferences at_the_edge = compared({{0, 0, 10, 10, .2505, 0}}, {});
  CHECK(at_the_edge.unmatched_n == 0);
  CHECK(at_the_edge.alone == doctest::Approx(.0005));
}

TEST_CASE("only the best of a picture count") {
  const Boxes three{{0, 0, 10, 10, .9, 0}, {20, 0, 30, 10, .8, 0}, {40, 0, 50, 10, .7, 0}};
  Boxes four = three;
  four.insert(four.begin(), {60, 0, 70, 10, .6, 0});
  const ParityDifferences differences = compared(three, four);
  CHECK(differences.score == 0);
  CHECK(differences.unmatched_n == 0);
}

TEST_CASE("where a list is full, the other program's are alone with what is over its lowest") {
  const Boxes ours{{0, 0, 10, 10, .9, 0}, {20, 0, 30, 10, .8, 0}, {40, 0, 50, 10, .7004, 0}};
  Boxes theirs = ours;
  theirs[2] = {60, 0, 70, 10, .7, 0};  // kMost is 3: each tells of its own third
  ParityDifferences differences = compared(ours, theirs);
  CHECK(differences.alone == doctest::Approx(.0004));
  CHECK(differences.unmatched_n == 0);
  theirs.pop_back();  // not full: it has nothing over the confidence
  differences = compared(ours, theirs);
  CHECK(differences.alone == doctest::Approx(.4504));
  CHECK(differences.unmatched_n == 1);
}

TEST_CASE("the best of each class count where the file's rule says so") {
  const ParityRule rule{
      .confidence = .25, .tolerance = 1e-3, .most = 300, .most_of_class = 1, .classes = {}};
  const Boxes all{{0, 0, 10, 10, .9, 0}, {20, 0, 30, 10, .8, 0}, {40, 0, 50, 10, .7, 1}},
      cut{all[0], all[2]}, other{{60, 0, 70, 10, .89, 0}, all[2]};
  const auto of = [&](const Boxes& ours, const Boxes& theirs) {
    return compare_found({{"a.jpg", 200, 100, ours}}, {{"a.jpg", 200, 100, theirs}}, rule);
  };
  CHECK((of(all, cut).detections == 2 && of(all, cut).unmatched_n == 0));
  CHECK((of(cut, all).detections == 2 && of(cut, all).unmatched_n == 0));
  CHECK(of(all, other).alone == doctest::Approx(.01));  // .9 over .89, the lowest of its class
}

TEST_CASE("names that are not UTF-8 are not compared") {
  const FoundPicture ours{"a\xEF\xBF\xBD.jpg", 4, 3}, theirs{"a??.jpg", 4, 3}, plain{"a.jpg", 4, 3};
  CHECK(compare_found({ours}, {theirs}, kRule).unmatched_n == 0);
  CHECK(message_of([&] { compare_found({plain}, {theirs}, kRule); }).starts_with("65 a??.jpg: "));
}

TEST_CASE("what is not predict's JSON, or of other pictures, is refused with the place") {
  TempDir dir;
  replace_file(dir / "a.json", "[{\"picture\": \"a.jpg\"}]");
  CHECK(message_of([&] { read_found_pictures(dir / "a.json"); })
            .starts_with("65 " + (dir / "a.json").string() +
                         ": is not what predict --format json writes: "));
  replace_file(dir / "a.json",
               R"([{"picture": "a.jpg", "width": 4, "height": 3, "detections":
                   [{"box": [1, 2, 3, 4.5], "score": 0.5, "class": 1, "name": "blue"}]}])");
  const auto read = read_found_pictures(dir / "a.json");
  REQUIRE(read.size() == 1);
  CHECK(read[0].picture == "a.jpg");
  CHECK((read[0].width == 4 && read[0].height == 3));
  REQUIRE(read[0].boxes.size() == 1);
  CHECK(read[0].boxes[0].y2 == 4.5);
  CHECK((read[0].boxes[0].score == 0.5 && read[0].boxes[0].class_id == 1));
  CHECK(message_of([&] { compare_found(read, {}, kRule); }) ==
        "65 what was found: the runtime's program wrote 0 pictures, predict 1; write an entry for "
        "each "
        "picture of the list, in its order");
  auto turned = read;
  std::swap(turned[0].width, turned[0].height);
  CHECK(message_of([&] { compare_found(read, turned, kRule); }) ==
        "65 a.jpg: is 3 x 4 to the runtime's program, to predict a.jpg is 4 x 3; pictures are in "
        "the order of the list, their size after EXIF's turn");
}

}  // namespace letterpress
