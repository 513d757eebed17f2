#include <doctest/doctest.h>

#include "tests/contains.h"
#include "tests/tools/preprocess/reported.h"

namespace letterpress {

// Frames of 64 pixels hold pictures of 80 x 60; the boxes below are shares of those.
TEST_CASE("places, sizes, splits and findings stand in the report as counted by hand") {
  Reported reported;
  reported.set.list("classes.txt", "cat\ndog\n");
  std::string train, val;
  for (int i = 0; i < 4; ++i) {
    reported.set.picture("p" + std::to_string(i) + ".png", i);
    (i < 3 ? train : val) += "p" + std::to_string(i) +
                             ".png 0,0,20,15,0 40,30,80,60,0 0,30,20,45,0" +
                             (i == 3 ? " 60,0,80,15,1\n" : "\n");
  }
  for (int i = 0; i < 2; ++i)
    reported.set.folder.write("w" + std::to_string(i) + ".png", drawn_png(i + 9, 120, 60));
  train += "w0.png 0,0,60,30,1\nw1.png 0,0,60,30,1\n";
  const std::string page = reported.page_of(train, val);
  // 4 pictures have a box of a quarter by a quarter: its centre is at 1/8, cell 4 of 32.
  CHECK(contains(page, "data-centre=\"4,4\" data-n=\"4\""));
  CHECK(contains(page, "data-centre=\"24,24\" data-n=\"4\""));
  CHECK(contains(page, "data-centre=\"4,20\" data-n=\"4\""));
  CHECK(contains(page, "data-centre=\"8,8\" data-n=\"2\""));
  CHECK(contains(page, "data-shape=\"8,8\" data-n=\"9\""));
  CHECK(contains(page, "data-shape=\"16,16\" data-n=\"6\""));
  CHECK(contains(page, "<td>80 × 60</td><td class=\"n\">1.33</td>"));
  CHECK(contains(page, "data-figure=\"size.80x60\">4<"));
  CHECK(contains(page, "data-figure=\"size.120x60\">2<"));
  CHECK(contains(page, "data-figure=\"finding.edge\">"));
  CHECK(contains(page, "<h2>Worth a look</h2>"));
  REQUIRE(reported.report({"--no-lint"}).exit_code == 0);
  CHECK(!contains(file_text(reported.out), "Worth a look"));
}

TEST_CASE("a class that a split has far too much, too little or nothing of is flagged") {
  Reported reported;
  const auto boxes = [](int cats, int dogs, int birds) {
    std::string line;
    for (int i = 0; i < cats + dogs + birds; ++i)
      line += " 10,10,40," + std::to_string(20 + i) + "," +
              (i < cats          ? "0"
               : i < cats + dogs ? "1"
                                 : "2");
    return line + "\n";
  };
  reported.set.picture("p0.png", 0);
  reported.set.picture("p1.png", 1);
  // Of 64 boxes val has 21, 32.8 %: 3 of 30 cats where 9.8 are expected, 18 of 28 dogs where 9.2
  // are, none of 6 birds where 2 are; so train has 10 dogs where 18.8 are expected.
  const std::string page =
      reported.page_of("p0.png" + boxes(27, 10, 6), "p1.png" + boxes(3, 18, 0));
  CHECK(contains(page, "<h2>Classes over splits</h2>"));
  CHECK(contains(page, "<td class=\"n\">27</td>"));
  CHECK(contains(page, "<td class=\"n\">3 <small class=\"warn\" data-flag=\"under\">▼ under"));
  CHECK(contains(page, "<td class=\"n\">10 <small class=\"warn\" data-flag=\"under\">▼ under"));
  CHECK(contains(page, "<td class=\"n\">18 <small class=\"warn\" data-flag=\"over\">▲ over"));
  CHECK(contains(page, "<td class=\"n\">6</td>"));
  CHECK(contains(page, "<td class=\"n\">0 <small class=\"bad\" data-flag=\"none\">none"));
}

TEST_CASE("pictures without a label file and duplicates are counted on the page, by hand") {
  Reported reported;
  for (int i = 0; i < 5; ++i)
    reported.set.picture("yolo/images/" + std::to_string(i) + ".png", i == 4 ? 0 : i);
  for (const char* name : {"0", "1", "4"})
    reported.set.list("yolo/labels/" + std::string(name) + ".txt", "0 0.5 0.5 0.2 0.2\n");
  reported.set.list("yolo/data.yaml", "train: images\nnames: [cat]\n");
  REQUIRE(preprocess({"build", "--store", reported.store, "--input",
                      (reported.set.folder / "yolo").string(), "--size", "64", "--views", "1"})
              .exit_code == 0);
  const std::string page = reported.page();
  CHECK(contains(page, "data-figure=\"pictures_found\">5<"));
  CHECK(contains(page, "data-figure=\"pictures_unlabelled\">2<"));
  CHECK(contains(page, "data-figure=\"pictures_duplicate\">1<"));
  CHECK(contains(page, "data-figure=\"pictures_stored\">4<"));
}

}  // namespace letterpress
