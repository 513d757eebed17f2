// Every bad label that a run must survive: it goes on, and the reject names file, line and object,
// what was got and how to fix it.
#include <doctest/doctest.h>

#include "preprocess/pipeline/build.h"
#include "tests/preprocess/trial.h"

namespace letterpress {

TEST_CASE("letters, NaN, inf and a class out of range reject the picture, with its line") {
  for (const auto& [box, text] : {std::pair{"1,1,x,5,0", "'x' is not a number"},
                                  std::pair{"nan,1,5,5,0", "'nan' is not finite"},
                                  std::pair{"1,1,inf,5,0", "'inf' is not finite"},
                                  std::pair{"1,1,5,5,3", "class 3 is out of range: "}}) {
    CAPTURE(box);
    DrawnSet drawn;
    const Trial trial([&, line = std::string("p1.png 1,1,9,9,0 ") + box](DrawnSet& set) {
      set.picture("p1.png", 1);
      set.list("train.txt", DrawnSet::line(0) + line + "\n");
    });
    CAPTURE(trial.reject());
    CHECK(trial.report.accounting.pictures_rejected == 1);
    CHECK(trial.report.accounting.boxes_rejected == 2);
    CHECK(trial.says("train.txt:2"));
    CHECK(trial.says(text));
  }
}

TEST_CASE(
    "an inverted or empty box, or one wholly outside, goes alone; the picture and its other boxes "
    "stay") {
  for (const auto& [box, text] :
       {std::pair{"9,1,5,5,0", "is inverted"}, std::pair{"5,1,5,9,0", "has no area"},
        std::pair{"500,500,600,600,0", "is wholly outside the 80x60 picture"}}) {
    CAPTURE(box);
    const Trial trial([&, line = std::string("p1.png 1,1,9,9,0 ") + box](DrawnSet& set) {
      set.picture("p1.png", 1);
      set.list("train.txt", DrawnSet::line(0) + line + "\n");
    });
    CHECK(trial.report.accounting.pictures_stored == 2);
    CHECK(trial.report.accounting.boxes_rejected == 1);
    CHECK(trial.report.accounting.boxes_stored == 2);
    CHECK(trial.says("train.txt:2, object 2: "));
    CHECK(trial.says(text));
  }
}

TEST_CASE("a box over the edge is clipped and counted") {
  const Trial trial([](DrawnSet& set) {
    set.picture("p1.png", 1);
    set.list("train.txt", DrawnSet::line(0) + "p1.png 40,30,95,59,0 1,1,80.4,20,0\n");
  });
  CHECK(trial.report.accounting.boxes_stored == 3);
  CHECK(trial.report.accounting.boxes_clipped == 1);
}

TEST_CASE("a line with a million boxes rejects its picture and counts every box") {
  const Trial trial([](DrawnSet& set) {
    set.picture("p1.png", 1);
    std::string line = "p1.png";
    for (int i = 0; i < 1'000'000; ++i) line += " 1,1,9,9,0";
    set.list("train.txt", DrawnSet::line(0) + line + "\n");
  });
  CHECK(trial.report.accounting.pictures_rejected == 1);
  CHECK(trial.report.accounting.boxes_found == 1'000'001);
  CHECK(trial.report.accounting.boxes_rejected == 1'000'000);
  CHECK(trial.says("train.txt:2: "));
  CHECK(trial.says("1000000"));
}

TEST_CASE("the same picture twice, under one name or two, is stored once with the boxes of all") {
  const Trial trial([](DrawnSet& set) {
    set.picture("copy.png", 0);
    set.list("train.txt",
             DrawnSet::line(0) + DrawnSet::line(0) + "copy.png 10,10,40,30,0 1,1,7,7,2\n");
  });
  CHECK(trial.report.accounting.pictures_found == 3);
  CHECK(trial.report.accounting.pictures_stored == 1);
  CHECK(trial.report.accounting.pictures_duplicate == 2);
  CHECK(trial.report.accounting.boxes_stored == 2);
  CHECK(trial.report.accounting.boxes_merged == 2);
  const auto ledger = Store::open(trial.set.folder / "store").ledger(1);
  CHECK(ledger.at(2).state == InputState::duplicate);
  CHECK(ledger[2].reason.find("same bytes as p0.png (") == 0);
}

TEST_CASE("a picture in two splits' lists stays in val with the boxes of both, and is counted") {
  const Trial trial(
      [](DrawnSet& set) {
        set.picture("copy.png", 0);
        set.picture("p1.png", 1);
        set.list("train.txt", DrawnSet::line(0) + DrawnSet::line(1));
        set.list("val.txt", "copy.png 1,1,7,7,2\n");
      },
      [](BuildOptions& options) {
        options.val = (options.store.parent_path() / "val.txt").string();
      });
  CHECK(trial.report.accounting.pictures_found == 3);
  CHECK(trial.report.accounting.pictures_duplicate == 1);
  CHECK(trial.report.accounting.moved_to_val == 1);
  CHECK(trial.report.pictures_per_split ==
        std::map<std::string, std::int64_t>{{"train", 1}, {"val", 1}});
  const std::string bytes = drawn_png(0);
  const std::string val = hash128(std::as_bytes(std::span(bytes))).hex();
  const auto rows = row_contents(trial.set.folder / "store");
  CHECK(rows.size() == 4);  // train: view 0 and two more; val: view 0 only
  REQUIRE(rows.contains({"val", val, 0}));
  const RowContent& content = rows.at({"val", val, 0});
  CHECK(content.find(" cat") != std::string::npos);
  CHECK(content.find(" bird") != std::string::npos);
}

TEST_CASE("a VOC file with a DOCTYPE is rejected and nothing it names is read") {
  const auto xml = [](const std::string& prologue) {
    return prologue +
           "<annotation><filename>p0.png</filename><size><width>80</width><height>60</"
           "height><depth>3</depth></size><object><name>cat</"
           "name>"
           "<bndbox><xmin>1</xmin><ymin>1</ymin><xmax>20</xmax><ymax>20</ymax></bndbox></object></"
           "annotation>";
  };
  const Trial trial(
      [&](DrawnSet& set) {
        set.picture("voc/p0.png", 0);
        set.folder.write("voc/good.xml", xml(""));
        set.folder.write("voc/bad.xml",
                         xml("<!DOCTYPE annotation [<!ENTITY x SYSTEM 'file:///etc/passwd'>]>"));
      },
      [](BuildOptions& options) {
        options.inputs = {options.store.parent_path() / "voc"};
        options.classes.clear();
      });
  CHECK(trial.report.accounting.pictures_rejected == 1);
  CHECK(trial.says(
      "bad.xml: has a DOCTYPE, which is never followed; remove the DOCTYPE and its entities"));
}

}  // namespace letterpress
