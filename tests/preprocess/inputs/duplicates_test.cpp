// Pictures of equal bytes whose boxes differ.
#include <doctest/doctest.h>

#include "preprocess/inputs/inputs.h"
#include "tests/contains.h"
#include "tests/preprocess/drawn_set.h"

namespace letterpress {
namespace {

// a.png and its copies b.png and c.png; b has another box, c the same.
BuildOptions copies(DrawnSet& set, Duplicates duplicates) {
  for (const char* name : {"a.png", "b.png", "c.png"}) set.picture(name, 1);
  set.list("train.txt", "a.png 5,5,30,30,0\nb.png 5,5,30,30,1\nc.png 5,5,30,30,0\n");
  BuildOptions options = set.options();
  options.duplicates = duplicates;
  return options;
}

}  // namespace

TEST_CASE("copies with other boxes are named, and their boxes united") {
  DrawnSet set;
  const BuildReport report = build_quietly(copies(set, Duplicates::unite));
  CHECK(report.accounting.boxes_stored == 2);
  CHECK(report.accounting.boxes_merged == 1);
  REQUIRE(report.recognised.size() == 2);
  const std::string list = (set.folder / "train.txt").string();
  CHECK_CONTAINS(report.recognised[1],
                 "1 pictures have the bytes of another and other boxes, which are united: b.png (" +
                     list + ":2) as a.png (" + list + ":1)");
}

TEST_CASE("boxes that were clipped are counted in each copy, whichever of them is kept") {
  DrawnSet set;
  for (const char* name : {"a.png", "b.png"}) set.picture(name, 1);
  for (const char* list : {"a.png 5,5,900,30,0\nb.png 5,5,900,30,0 2,2,9,9,0\n",
                           "a.png 5,5,900,30,0 2,2,9,9,0\nb.png 5,5,900,30,0\n"}) {
    CAPTURE(list);
    set.list("train.txt", list);
    const Accounting sums = build_quietly(set.options()).accounting;
    CHECK(sums.boxes_stored == 2);
    CHECK(sums.boxes_merged == 1);
    CHECK(sums.boxes_clipped == 2);
  }
}

TEST_CASE("--duplicates first keeps the first one's boxes and counts the others as rejected") {
  DrawnSet set;
  const BuildOptions options = copies(set, Duplicates::first);
  const BuildReport report = build_quietly(options);
  CHECK(report.accounting.boxes_stored == 1);
  CHECK(report.accounting.boxes_merged == 1);
  CHECK(report.accounting.boxes_rejected == 1);
  REQUIRE(report.recognised.size() == 2);
  CHECK_CONTAINS(report.recognised[1],
                 "1 pictures have the bytes of another and other boxes, the first one's are kept");
  REQUIRE(report.rejects.size() == 1);
  CHECK_CONTAINS(to_string(report.rejects[0]),
                 "train.txt:2: 1 boxes left out: the same bytes are labelled at ");
  CHECK_FALSE(build_quietly(options).published);
}

TEST_CASE("--duplicates error publishes nothing and names two of them") {
  DrawnSet set;
  const std::string message = message_of([&] { build_quietly(copies(set, Duplicates::error)); });
  CHECK(message.starts_with("65 "));
  CHECK_CONTAINS(message, "train.txt:2: b.png has the same bytes as a.png (");
  CHECK_CONTAINS(message,
                 ") and other boxes; nothing was published; remove the wrong one, or pass "
                 "--duplicates unite or first");
}

TEST_CASE("boxes that two formats round differently are the same") {
  DrawnSet set;
  set.picture("a.png", 1);
  set.list("train.txt", "a.png 7,10,23,31,0 40,10,60,30,0\n");
  // The first box within half a pixel, the second beyond it: its right side is at 60.6.
  set.list("more.csv",
           "filename,xmin,ymin,xmax,ymax,class\na.png,7.3,9.6,23.4,31.2,cat\n"
           "a.png,40,10,60.6,30,cat\n");
  BuildOptions options = set.options();
  options.inputs.push_back(set.folder / "more.csv");
  const BuildReport report = build_quietly(options);
  CHECK(report.accounting.boxes_found == 4);
  CHECK(report.accounting.boxes_merged == 1);
  CHECK(report.accounting.boxes_stored == 3);
}

TEST_CASE("copies with the same boxes are not named") {
  DrawnSet set;
  set.picture("a.png", 1);
  set.picture("b.png", 1);
  set.list("train.txt", "a.png 5,5,30,30,0 1,1,9,9,1\nb.png 1,1,9,9,1 5,5,30,30,0\n");
  CHECK(build_quietly(set.options()).recognised.size() == 1);
}

TEST_CASE("a box that one of two label files calls a crowd is one, in whatever order they come") {
  for (const auto& [first, second] : {std::pair{0, int{kCrowd}}, std::pair{int{kCrowd}, 0}}) {
    Inputs inputs;
    for (const int flags : {first, second}) {
      Candidate& candidate = inputs.candidates.emplace_back();
      candidate.picture_hash = hash128("bytes");
      candidate.item.name = "a.png";
      candidate.split = "train";
      LabelBox box{5, 5, 30, 30};
      box.flags = static_cast<decltype(box.flags)>(flags);
      candidate.boxes = {box};
    }
    merge_duplicates(inputs);
    REQUIRE(inputs.candidates[0].boxes.size() == 1);
    CHECK(inputs.candidates[0].boxes[0].flags == kCrowd);
    CHECK_CONTAINS(inputs.recognised.at(0), "1 pictures have the bytes of another and other boxes");
  }
}

}  // namespace letterpress
