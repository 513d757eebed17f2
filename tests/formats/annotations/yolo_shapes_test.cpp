// YOLO's longer lines: outlines or boxes with keypoints, decided for the whole set.
#include "exports.h"

namespace letterpress {
namespace {

// Five corners, or a box and two keypoints of three numbers: 11 fields, and each third behind the
// box is 0, 1 or 2.
const std::string kEither = "0 0.1 0.25 0.4 0.25 0.4 0.75 1 0.1 0.75 0\n";

AnnotationSet read_set(const TempDir& dir, const std::string& a, const std::string& b,
                       const std::string& yaml = "") {
  write_pictures(dir, {"images/a.jpg", "images/b.jpg"});
  dir.write("labels/a.txt", a);
  dir.write("labels/b.txt", b);
  return read_annotations(dir.write("data.yaml", "train: images\nnames: [nut]\n" + yaml));
}

}  // namespace

TEST_CASE("a line that may be both is read as the others of its set are") {
  TempDir dir;
  const std::string triangle = "0 0.1 0.25 0.4 0.25 0.3 0.75\n";
  for (const bool first : {true, false}) {
    CAPTURE(first);
    const AnnotationSet set =
        first ? read_set(dir, kEither, triangle) : read_set(dir, triangle, kEither);
    REQUIRE(set.items.size() == 2);
    const CheckedBoxes checked = check_boxes(set.items[first ? 0 : 1], 100, 80);
    REQUIRE(checked.boxes.size() == 1);
    CHECK(checked.boxes[0].x2 == doctest::Approx(100));  // the corner at x = 1
    CHECK(checked.boxes[0].y1 == doctest::Approx(0));    // the corner at y = 0
    CHECK_CONTAINS(remarks_of(set), "2 outlines are read as the upright box around it");
    CHECK(remarks_of(set).find("keypoints") == std::string::npos);
  }
}

TEST_CASE(
    "lines that may all be both are boxes with keypoints, and the remark says how to differ") {
  TempDir dir;
  const AnnotationSet set = read_set(dir, kEither, kEither);
  REQUIRE(set.items.size() == 2);
  const CheckedBoxes checked = check_boxes(set.items[0], 100, 80);
  REQUIRE(checked.boxes.size() == 1);
  CHECK(checked.boxes[0].x1 == doctest::Approx(0));
  CHECK(checked.boxes[0].x2 == doctest::Approx(30));
  CHECK_CONTAINS(remarks_of(set), "2 boxes have keypoints, which are left out");
}

TEST_CASE("lines that end with a carriage return alone are boxes, not one outline") {
  TempDir dir;
  const std::string boxes = "0 .2 .2 .1 .1\r0 .5 .5 .2 .2\r0 .8 .8 .1 .1\r";
  const AnnotationSet set = read_set(dir, boxes, boxes);
  CHECK(set.boxes_found == 6);
  CHECK(remarks_of(set).find("outline") == std::string::npos);
}

TEST_CASE("a tracker's lines are refused") {
  TempDir dir;
  const std::string tracks = "0 .2 .2 .1 .1 .91 1\n0 .95 .5 .2 .1 .9 2\n";  // over the edge
  const AnnotationSet set = read_set(dir, "0 .2 .2 .1 .1\n", tracks);
  REQUIRE(set.items.size() == 1);
  CHECK(set.items[0].boxes.size() == 1);
  CHECK(set.boxes_found == 3);
  CHECK(set.boxes_rejected == 2);
  REQUIRE(set.rejects.size() == 1);
  CHECK(set.rejects[0].name == "b.jpg");
  CHECK_CONTAINS(set.rejects[0].where, "labels/b.txt:1");
  CHECK_CONTAINS(set.rejects[0].what, "the number of a track");
}

TEST_CASE(
    "triangles that could be a tracker's lines are none where most outlines are surely some") {
  TempDir dir;
  const AnnotationSet set =
      read_set(dir, "0 .2 .2 .3 .3 .25 1\n", "0 .2 .9 .3 .9 .25 1.0\n0 .1 .1 .3 .1 .3 .3 .1 .3\n");
  CHECK(set.rejects.empty());
  REQUIRE(set.items.size() == 2);
  CHECK(set.items[0].boxes.size() == 1);
  CHECK(set.items[1].boxes.size() == 2);
  CHECK_CONTAINS(remarks_of(set), "3 outlines are read as the upright box around it");
  CHECK_CONTAINS(
      remarks_of(set),
      "1 line is read as three corners that may be a box, a confidence and the number of "
      "a track, the first " +
          (dir / "labels/a.txt").string() + ":1");
}

TEST_CASE("outlines beside boxes with keypoints are refused, as is what kpt_shape does not fit") {
  TempDir dir;
  const std::string triangle = "0 0.1 0.25 0.4 0.25 0.3 0.75\n";
  const std::string pose = "0 0.25 0.5 0.3 0.5 0.1 0.1 2\n";
  write_pictures(dir, {"images/a.jpg", "images/b.jpg"});
  dir.write("labels/a.txt", triangle);
  dir.write("labels/b.txt", pose);
  const auto yaml = dir.write("data.yaml", "train: images\nnames: [nut]\n");
  const Failure failure = failure_of(yaml);
  CHECK(failure.exit == Exit::data);
  CHECK_CONTAINS(failure.message,
                 "labels/b.txt: has a box with keypoints (8 fields), but 1 line of this set is an "
                 "outline; write kpt_shape in data.yaml, or keep one kind of line");
  dir.write("labels/a.txt", "0 0.25 0.5 0.3 0.5 0.1 0.1 2\n");
  dir.write("labels/b.txt", triangle);
  CHECK_CONTAINS(only_reject(read_annotations(
                     dir.write("data.yaml", "train: images\nnames: [nut]\nkpt_shape: [1, 3]\n"))),
                 "b.txt:1: got 7 fields, must be 5, or 8 as kpt_shape says");
}

}  // namespace letterpress
