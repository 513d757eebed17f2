// Labels that are read as something else than was meant: gates and notes.
#include <doctest/doctest.h>

#include <cstdlib>

#include "tests/contains.h"
#include "tests/preprocess/heard_notes.h"

namespace letterpress {

TEST_CASE("more than 1 % of boxes that cannot be used publish nothing; --max-rejected-boxes does") {
  DrawnSet set;
  set.pictures(1);
  set.list("train.txt", "p0.png 10,10,40,30,0 40,30,10,10,0\n");
  BuildOptions options = set.options();
  options.max_rejected_boxes = BuildOptions{}.max_rejected_boxes;
  const std::string message = message_of([&] { build_quietly(options); });
  CHECK_CONTAINS(message,
                 "65 1 of 2 boxes (50%) cannot be used, --max-rejected-boxes allows 1%; nothing "
                 "was published\n  ");
  CHECK_CONTAINS(message, "train.txt:1, object 2: box 40,30,10,10 is inverted");
  CHECK_FALSE(std::filesystem::exists(options.store / "snapshots"));
  options.max_rejected_boxes = 0.5;
  CHECK(build_quietly(options).accounting.boxes_rejected == 1);
}

TEST_CASE("boxes of rejected pictures and those over --max-boxes are not behind that gate") {
  DrawnSet set;
  set.pictures(2);
  set.list("train.txt", DrawnSet::line(1) + "gone.png 1,1,9,9,0 1,1,9,9,1\n");
  BuildOptions options = set.options();
  options.max_rejected_boxes = 0;
  options.max_boxes = 1;
  options.on_overflow = Overflow::largest;
  CHECK(build_quietly(options).accounting.boxes_rejected == 3);
}

TEST_CASE("a build notes when more than a fifth of the boxes is clipped") {
  DrawnSet set;
  set.pictures(5);
  // 80 x 60 pictures; the first box ends at 95.
  const std::string clipped = "p0.png 10,10,95,40,0\n";
  std::string lines;
  for (int i = 1; i < 5; ++i) lines += "p" + std::to_string(i) + ".png 10,10,40,40,0\n";
  set.list("train.txt", clipped + lines);
  CHECK(notes_of_build(set.options("a")) == "");
  set.list("train.txt", clipped + lines.substr(0, lines.size() / 2));
  CHECK(notes_of_build(set.options("b")) ==
        "1 of 3 boxes reach beyond their pictures and were clipped: are these x,y,w,h, or labels "
        "of pictures of another size?\n");
}

TEST_CASE("a build notes when nothing at all is labelled") {
  DrawnSet set;
  set.pictures(3);
  set.list("train.txt", "p0.png\np1.png\np2.png\n");
  BuildOptions options = set.options("a");
  options.format = "keras";
  CHECK(notes_of_build(options) ==
        "none of the 3 pictures has a box or a class: nothing can be learned from them; are these "
        "the right label files?\n");
  set.list("train.txt", "p0.png\np1.png\np2.png 10,10,40,40,0\n");
  CHECK(notes_of_build(set.options("b")) == "");
}

TEST_CASE(
    "pictures without a label file are told apart from empty ones, --max-unlabelled is their "
    "gate") {
  DrawnSet set;
  for (int i = 0; i < 4; ++i) set.picture("yolo/images/" + std::to_string(i) + ".png", i);
  set.list("yolo/labels/0.txt", "0 0.5 0.5 0.2 0.2\n");
  set.list("yolo/labels/1.txt", "");
  BuildOptions options = set.options();
  options.inputs = {set.folder / "yolo"};
  const BuildReport report = build_quietly(options);
  CHECK(report.accounting.pictures_background == 3);
  REQUIRE(report.recognised.size() == 2);
  CHECK(report.recognised[1] ==
        (set.folder / "yolo").string() + ": pictures without a box: no label file 2, empty 1");
  options.store = set.folder / "other";
  options.max_unlabelled = 0.49;
  CHECK(message_of([&] { build_quietly(options); }) ==
        "65 2 of 4 pictures (50%) have no label file or annotation among those read, "
        "--max-unlabelled allows 49%; "
        "nothing was "
        "published; label them, add an empty label file for each picture without objects, or "
        "raise "
        "--max-unlabelled");
  options.max_unlabelled = 0.5;
  CHECK(build_quietly(options).published);
}

TEST_CASE("pictures that no label file names are told and behind that gate, in every layout") {
  struct Layout {
    std::string input, label, pictures, text;
  };
  const std::string voc =
      "<annotation><filename>0.png</filename><object><name>cat</name><bndbox><xmin>10</xmin>"
      "<ymin>10</ymin><xmax>40</xmax><ymax>30</ymax></bndbox></object></annotation>";
  for (const Layout& layout : std::vector<Layout>{
           {"set", "set/0.json", "set",
            R"({"version":"5","shapes":[{"label":"cat","shape_type":"rectangle","points":)"
            R"([[10,10],[40,30]]}],"imagePath":"0.png"})"},
           {"set", "set/Annotations/0.xml", "set/JPEGImages", voc},
           {"set", "set/label_2/0.txt", "set/image_2", "cat 0 0 0 10 10 40 30 1 1 1 1 1 1 0\n"},
           {"set", "set/a/ann/0.png.json", "set/a/img",
            R"({"objects":[{"classTitle":"cat","geometryType":"rectangle","points":)"
            R"({"exterior":[[10,10],[40,30]]}}]})"},
           {"set/boxes.csv", "set/boxes.csv", "set", "0.png,10,10,40,30,cat\n"}}) {
    CAPTURE(layout.label);
    DrawnSet set;
    for (int i = 0; i < 3; ++i) set.picture(layout.pictures + "/" + std::to_string(i) + ".png", i);
    set.list(layout.pictures + "/._0.png", "left by a system");
    set.list(layout.label, layout.text);
    BuildOptions options = set.options();
    options.inputs = {set.folder / layout.input};
    const BuildReport report = build_quietly(options);
    CHECK(report.accounting.pictures_found == 1);
    CHECK(report.accounting.pictures_unlabelled == 0);
    const std::string first =
        (std::filesystem::canonical(set.folder / layout.pictures) / "1.png").string();
    CHECK(report.recognised.back() ==
          "pictures beside these that none of the label files read names: 2, such as " + first +
              "; they are not read");
    options.store = set.folder / "other";
    options.max_unlabelled = 0.6;
    CHECK_CONTAINS(message_of([&] { build_quietly(options); }),
                   "65 2 of 3 pictures (66.7%) have no label file or annotation among those read, "
                   "--max-unlabelled allows 60%");
  }
}

TEST_CASE(
    "pictures of a split's folder without labels are behind that gate, unless --val reads them") {
  for (const std::string label : {"train/boxes.csv", "train/metadata.jsonl"}) {
    CAPTURE(label);
    DrawnSet set;
    for (int i = 0; i < 3; ++i)
      set.picture((i == 0 ? "set/train/" : "set/valid/") + std::to_string(i) + ".png", i);
    set.list("set/" + label, label.ends_with(".csv")
                                 ? "0.png,10,10,40,30,cat\n"
                                 : R"({"file_name": "0.png", "objects": )"
                                   R"({"bbox": [[10, 10, 30, 20]], "categories": ["cat"]}})");
    BuildOptions options = set.options();
    options.inputs = {set.folder / "set"};
    options.max_unlabelled = 0.6;
    CHECK_CONTAINS(message_of([&] { build_quietly(options); }),
                   "65 2 of 3 pictures (66.7%) have no label file or annotation among those read, "
                   "--max-unlabelled allows 60%");
    set.list("val.csv", "set/valid/1.png,10,10,40,30,cat\nset/valid/2.png,10,10,40,30,cat\n");
    options.val = (set.folder / "val.csv").string();
    CHECK(build_quietly(options).accounting.pictures_found == 3);
  }
}

TEST_CASE(
    "a JPEG that is called as a named picture but for its extension is told, a PNG may be a mask") {
  DrawnSet set;
  for (const char* name : {"a.jpg", "a.JPG", "a.png", "b.jpg", "b.png"}) set.picture(name, 1);
  set.picture("b.jpg", 2);
  set.list("a.xml",
           "<annotation><filename>a.png</filename><object><name>cat</name><bndbox><xmin>10</xmin>"
           "<ymin>10</ymin><xmax>40</xmax><ymax>30</ymax></bndbox></object></annotation>");
  set.list("b.xml",
           "<annotation><filename>b.jpg</filename><object><name>cat</name><bndbox><xmin>10</xmin>"
           "<ymin>10</ymin><xmax>40</xmax><ymax>30</ymax></bndbox></object></annotation>");
  BuildOptions options = set.options();
  options.inputs = {set.folder.path()};
  options.format = "voc";
  const BuildReport report = build_quietly(options);
  CHECK(report.accounting.pictures_found == 2);
  CHECK(report.recognised.back() ==
        "pictures beside these that none of the label files read names: 2, such as " +
            (std::filesystem::canonical(set.folder.path()) / "a.JPG").string() +
            "; they are not read");
}

TEST_CASE("folders of pictures among named ones are told, though not those elsewhere") {
  DrawnSet set;
  for (const char* folder : {"images/a", "images/b", "images/c", "images/notes", "other"})
    std::filesystem::create_directories(set.folder / folder);
  const auto draw = [&](const std::string& name) { set.picture(name, 1); };
  for (const char* name : {"images/a/1.png", "images/b/1.png", "images/3.png", "images/c/4.png",
                           "images/c/5.png", "other/6.png"})
    draw(name);
  set.list("train.txt", "images/a/1.png 10,10,40,40,0\nimages/b/1.png 10,10,40,40,0\n");
  const std::string images = std::filesystem::canonical(set.folder / "images").string();
  BuildOptions options = set.options();
  CHECK(build_quietly(options).recognised.back() ==
        "folders among theirs of which the label files read name no picture: 2, with 3 pictures, "
        "the first " +
            images + "/; they are not read");
  set.list("train.txt", "images/a/1.png 10,10,40,40,0\n");
  options.store = set.folder / "other store";
  for (const std::string& line : build_quietly(options).recognised) {
    CAPTURE(line);
    CHECK_FALSE(contains(line, "folders among theirs"));
  }
}

TEST_CASE("the folder of a split that nothing states is told, in a folder and in an archive") {
  DrawnSet set;
  for (const std::string split : {"train", "valid", "test"}) {
    std::filesystem::create_directories(set.folder / "ds" / split / "images");
    set.picture("ds/" + split + "/images/" + split + ".png", split == "train" ? 1 : 2);
    set.folder.write("ds/" + split + "/labels/" + split + ".txt", "0 .5 .5 .2 .2\n");
  }
  set.folder.write("ds/data.yaml", "names: [cat]\ntrain: train/images\nval: valid/images\n");
  REQUIRE(std::system(("cd " + set.folder.path().string() + " && tar -cf ds.tar ds").c_str()) == 0);
  for (const std::string input : {"ds", "ds.tar"}) {
    CAPTURE(input);
    const std::filesystem::path ds = std::filesystem::canonical(set.folder / input);
    const std::string folder = (input == "ds" ? ds : ds / "ds").string() + "/test/images/";
    const BuildReport report = build_quietly(set.options_of(input, "store of " + input));
    CHECK(report.recognised.back() ==
          "folders among theirs of which the label files read name no picture: 1, with 1 pictures, "
          "the first " +
              folder + "; they are not read");
  }
}

TEST_CASE("a picture that a second label file names, or by another way to its folder, is named") {
  DrawnSet set;
  set.pictures(2);
  std::filesystem::create_directory_symlink(set.folder.path(), set.folder / "link");
  set.list("train.txt", DrawnSet::line(0));
  set.list("val.txt", "link/p1.png 10,10,40,40,0\n");
  BuildOptions options = set.options();
  options.val = set.folder / "val.txt";
  for (const std::string& line : build_quietly(options).recognised) {
    CAPTURE(line);
    CHECK_FALSE(contains(line, "that no label file names"));
  }
}

}  // namespace letterpress
