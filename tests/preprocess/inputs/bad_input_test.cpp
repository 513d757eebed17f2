// What ends a build: nothing is published and the exit code says why.
#include <doctest/doctest.h>

#include "preprocess/pipeline/build.h"
#include "tests/contains.h"
#include "tests/preprocess/drawn_jpeg.h"
#include "tests/preprocess/drawn_set.h"

namespace letterpress {

TEST_CASE("a COCO JSON cut in half ends the build with exit 65 and publishes nothing") {
  DrawnSet set;
  set.pictures(1);
  const std::string json =
      R"({"images":[{"id":1,"file_name":"p0.png","width":80,"height":60}],"categories":[{"id":1,"name":"cat"}],)"
      R"("annotations":[{"id":1,"image_id":1,"category_id":1,"bbox":[1,1,20,20],"area":400,"iscrowd":0}]})";
  set.folder.write("whole.json", json);
  set.folder.write("half.json", json.substr(0, json.size() / 2));
  BuildOptions options = set.options_of("half.json");
  const std::string message = message_of([&] { build_quietly(options); });
  CHECK(message.starts_with("65 "));
  CHECK(message.find("half.json") != std::string::npos);
  CHECK_FALSE(std::filesystem::exists(options.store));
  options.inputs = {set.folder / "whole.json"};
  CHECK(build_quietly(options).accounting.boxes_stored == 1);
}

TEST_CASE("no picture at all is exit 66 and leaves no store behind") {
  DrawnSet set;
  set.list("train.txt", "");
  BuildOptions options = set.options();
  options.format = "keras";
  const std::string message = message_of([&] { build_quietly(options); });
  CHECK(message.starts_with("66 "));
  CHECK(message.find("train.txt") != std::string::npos);
  CHECK_FALSE(std::filesystem::exists(options.store));
}

TEST_CASE(
    "pictures to train on that all are validation pictures, too: exit 66 and nothing published") {
  DrawnSet set;
  set.pictures(3);
  BuildOptions options = set.options();
  const auto refused = [&] {
    CHECK(
        message_of([&] { build_quietly(options); })
            .starts_with("66 no picture to train on: every picture of --input is also in --val or "
                         "another --split, and stays there"));
    CHECK_FALSE(std::filesystem::exists(options.store));
  };
  options.val = (set.folder / "train.txt").string();
  refused();
  options.val.clear();
  options.splits = {{"test", set.folder / "train.txt"}};
  refused();
}

namespace {

// A picture that can be used in val.txt, and p1.png, which cannot be decoded.
BuildOptions with_val(DrawnSet& set) {
  set.picture("p0.png", 0);
  set.list("val.txt", DrawnSet::line(0));
  const std::string whole = drawn_png(1);
  set.folder.write("p1.png", whole.substr(0, whole.size() / 2));
  BuildOptions options = set.options();
  options.val = (set.folder / "val.txt").string();
  return options;
}

const std::string kBrokenOff =
    "cannot be decoded: end of stream; copy the file again, or remove it";

}  // namespace

TEST_CASE("a set of which no picture to train on can be used is exit 65, whenever that shows") {
  DrawnSet set;
  const BuildOptions options = with_val(set);
  set.list("train.txt", "p1.png 1,1,9,9,0\n");
  const std::string start =
      "65 no picture to train on: 1 of 2 pictures (50%) cannot be used, all that are left to train "
      "on; nothing was published\n  " +
      (set.folder / "train.txt").string() + ":1: " + (set.folder / "p1.png").string() + ": ";
  CHECK(message_of([&] { build_quietly(options); }) == start + kBrokenOff);  // seen by its pixels
  CHECK(Store::open(options.store).generations().empty());
  set.folder.write("p1.png", "no picture");  // seen by its first bytes
  CHECK(message_of([&] { build_quietly(options); }).starts_with(start + "is not a picture: "));
  std::filesystem::remove(set.folder / "p1.png");
  CHECK(message_of([&] { build_quietly(options); }).starts_with(start));
  CHECK(Store::open(options.store).generations().empty());
}

TEST_CASE("where the others are in val, too, that is said with the rejects") {
  DrawnSet set;
  const BuildOptions options = with_val(set);
  set.list("train.txt", DrawnSet::line(0) + "p1.png 1,1,9,9,0\n");
  const std::string start =
      "65 no picture to train on: 1 of 3 pictures (33.3%) cannot be used, "
      "all that are left to train on, and the other 1 are in val, too, and "
      "stay there; nothing was published\n  ";
  CHECK_CONTAINS(message_of([&] { build_quietly(options); }), start);
}

TEST_CASE("pictures of val alone are built, although one of them cannot be used") {
  DrawnSet set;
  for (int i = 0; i < 3; ++i) {
    const std::string name = "images/" + std::to_string(i);
    set.picture(name + ".png", i);
    set.list(name + ".txt", i == 2 ? "no label\n" : "0 .5 .5 .4 .4\n");
  }
  set.list("data.yaml", "names: [a]\nval: images\n");
  const BuildReport report = build_quietly(set.options_of("data.yaml"));
  CHECK(report.published);
  CHECK(report.accounting.pictures_stored == 2);
  CHECK(report.accounting.pictures_rejected == 1);
}

TEST_CASE(
    "of a data.yaml whose train pictures are all gone nothing is built, whatever gates allow") {
  DrawnSet set;
  for (const std::string name : {"train/0", "train/1", "val/2"}) {
    set.list("labels/" + name + ".txt", "0 .5 .5 .4 .4\n");
    if (name == "val/2") set.picture("images/" + name + ".png", 2);
  }
  set.list("data.yaml", "names: [a]\ntrain: labels/train\nval: images/val\n");
  CHECK(message_of([&] {
          build_quietly(set.options_of("data.yaml"));
        }).starts_with("65 no picture to train on: 2 of 3 pictures (66.7%) cannot be used"));
}

// coco128's data.yaml: train and val are images/train2017.
TEST_CASE("a data.yaml whose train and val are one folder: the message tells how to split it") {
  DrawnSet set;
  for (int i = 0; i < 4; ++i) {
    const std::string name = "images/" + std::to_string(i);
    set.picture(name + ".png", i);
    set.list(name + ".txt", "0 .5 .5 .4 .4\n");
  }
  const auto built = [&](const std::string& val, const std::string& share) {
    set.list("data.yaml", "names: [a]\ntrain: images\n" + val);
    BuildOptions options = set.options_of("data.yaml");
    options.val = share;
    return message_of([&] { build_quietly(options); });
  };
  CHECK(built("val: images\n", "")
            .ends_with("state other pictures for train and val, or give --val 0.1 for a share of "
                       "all of them"));
  CHECK(built("val: images\n", "0.1") == "no error");
}

TEST_CASE(
    "a share of validation pictures that leaves none to train on: exit 66 and nothing published") {
  DrawnSet set;
  set.pictures(3);
  BuildOptions options = set.options();
  options.val = "0.999999";
  const std::string message = message_of([&] { build_quietly(options); });
  CHECK(
      message.starts_with("66 no picture to train on: --val 0.999999 has taken all of them; "
                          "nothing was published; lower it"));
  CHECK_FALSE(std::filesystem::exists(options.store));
}

TEST_CASE(
    "pictures that leave train for another split, and a share of which none falls to val, are "
    "said") {
  struct Notes : BuildListener {
    std::vector<std::string> texts;
    void note(const std::string& text) override { texts.push_back(text); }
  };
  DrawnSet set;
  set.pictures(2);
  set.list("test.txt", DrawnSet::line(1));
  BuildOptions options = set.options();
  options.splits = {{"test", set.folder / "test.txt"}};
  options.val = "0.0001";
  Notes notes;
  build(options, notes, kNoStop);
  CHECK(notes.texts ==
        std::vector<std::string>{"1 pictures were in two splits and stay in test",
                                 "--val 0.0001: no picture has fallen to val, there are too few of "
                                 "them; raise it, or name a label file",
                                 "1 pictures of other splits are where their files state it; "
                                 "whether they show what train shows was not looked at "
                                 "(`letterpress-preprocess lint` tells)"});
}

TEST_CASE("a label file that is missing is exit 66") {
  DrawnSet set;
  CHECK(message_of([&] { build_quietly(set.options()); }).starts_with("66 "));
}

TEST_CASE(
    "too many rejected pictures: exit 65 with their lines, also when only decoding finds them "
    "out") {
  for (const bool header_is_good : {false, true}) {
    CAPTURE(header_is_good);
    DrawnSet set;
    set.pictures(4);
    const std::string bytes = drawn_jpeg(5, 160, 120);
    set.folder.write("cut.jpg", header_is_good ? bytes.substr(0, 2500) : "");
    set.list("train.txt",
             DrawnSet::line(0) + DrawnSet::line(1) + DrawnSet::line(2) + "cut.jpg 1,1,9,9,0\n");
    BuildOptions options = set.options();
    options.max_rejects = 0.2;
    const std::string message = message_of([&] { build_quietly(options); });
    CHECK(
        message.starts_with("65 1 of 4 pictures (25%) cannot be used, --max-rejects allows 20%; "
                            "nothing was published\n  "));
    CHECK(message.find("train.txt:4: " + (set.folder / "cut.jpg").string()) != std::string::npos);
    options.max_rejects = 0.25;
    CHECK(build_quietly(options).published);
  }
}

TEST_CASE("a build that is refused for pictures that lie elsewhere says which --root to give") {
  DrawnSet set;  // beside the folders of other tests, which are looked through too
  set.picture("shots/in_shots_alone.png", 0);
  set.list("train.txt", "in_shots_alone.png 1,1,9,9,0\n");
  const std::string shots = std::filesystem::canonical(set.folder / "shots").string();
  CHECK_CONTAINS(message_of([&] { build_quietly(set.options()); }),
                 "train.txt: 1 picture not found; 'in_shots_alone.png' is in " + shots +
                     ": add --root " + shots);
}

}  // namespace letterpress
