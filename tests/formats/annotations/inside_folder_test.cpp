#include "samples.h"

namespace letterpress {
namespace {

constexpr const char* kXml =
    "<annotation><filename>1.jpg</filename><object><name>cat</name><bndbox><xmin>2</xmin>"
    "<ymin>3</ymin><xmax>9</xmax><ymax>8</ymax></bndbox></object></annotation>";
constexpr const char* kCoco =
    R"({"images": [{"id": 1, "file_name": "1.jpg", "width": 20, "height": 20}],
        "categories": [{"id": 1, "name": "cat"}],
        "annotations": [{"id": 1, "image_id": 1, "category_id": 1, "bbox": [1, 2, 8, 6]}]})";

}  // namespace

// supervision's as_pascal_voc and as_coco write annotations/ and annotations.json beside images/.
TEST_CASE("a folder that holds one label file, or one folder of labels, stands for it") {
  TempDir dir;
  write_pictures(dir, {"voc/images/1.jpg", "coco/images/1.jpg"});
  dir.write("voc/annotations/1.xml", kXml);
  dir.write("coco/annotations.json", kCoco);
  dir.write("coco/notes.txt", "taken in May\n");

  const AnnotationSet voc = read_annotations(dir / "voc");
  CHECK(voc.format == "voc");
  CHECK(voc.recognised_by.starts_with("annotations in this folder: "));
  REQUIRE(voc.items.size() == 1);
  CHECK(voc.items[0].boxes == std::vector<LabelBox>{{1, 2, 9, 8, 0}});
  CHECK(voc.items[0].path == (dir / "voc/images/1.jpg").string());

  const AnnotationSet coco = read_annotations(dir / "coco");
  CHECK(coco.format == "coco");
  CHECK(coco.recognised_by.starts_with("annotations.json in this folder: "));
  REQUIRE(coco.items.size() == 1);
  CHECK(coco.items[0].boxes == std::vector<LabelBox>{{1, 2, 9, 8, 0}});
  CHECK(read_annotations(dir / "coco", {.format = "coco"}).items.size() == 1);
}

TEST_CASE("a folder of several label files lists them with their formats") {
  TempDir dir;
  write_pictures(dir, {"front/1.jpg", "rear/1.jpg"});
  dir.write("front/_annotations.coco.json", kCoco);
  dir.write("rear/_annotations.coco.json", kCoco);
  const Failure failure = failure_of(dir.path());
  CHECK(failure.exit == Exit::usage);
  CHECK(
      contains(failure.message, "may be class folders, or pictures whose labels are beside them"));
  CHECK(contains(failure.message, (dir / "front/_annotations.coco.json").string() + ": coco"));
  const Failure coco = failure_of(dir.path(), {.format = "coco"});
  CHECK(coco.exit == Exit::usage);
  CHECK(contains(coco.message, "holds 2 label files or folders of labels"));
  CHECK(contains(coco.message, (dir / "front/_annotations.coco.json").string() + ": coco"));
  CHECK(contains(coco.message, (dir / "rear/_annotations.coco.json").string() + ": coco"));
  CHECK(label_parts(dir / "front").parts.empty());
}

// The layouts that Roboflow and CVAT export, and COCO's own.
TEST_CASE("a folder that holds a label file of one format for each split stands for these") {
  TempDir dir;
  const auto parts_of = [&](const std::string& folder) {
    std::string text;
    for (const LabelPart& part : label_parts(dir / folder).parts)
      text += part.labels.lexically_relative(dir / folder).string() + " " + part.split + "\n";
    return text;
  };
  for (const char* split : {"train", "valid", "test"}) {
    dir.write("roboflow/" + std::string(split) + "/_annotations.coco.json", kCoco);
    dir.write("csv/" + std::string(split) + "/_annotations.csv",
              "filename,width,height,class,xmin,ymin,xmax,ymax\n1.jpg,20,20,cat,1,2,9,8\n");
    dir.write("voc/" + std::string(split) + "/1.xml", kXml);
    for (const char* set : {"roboflow", "csv", "voc"})
      write_pictures(dir, {std::string(set) + "/" + split + "/1.jpg"});
  }
  CHECK(parts_of("roboflow") ==
        "test/_annotations.coco.json test\ntrain/_annotations.coco.json train\n"
        "valid/_annotations.coco.json val\n");
  CHECK(parts_of("csv") ==
        "test/_annotations.csv test\ntrain/_annotations.csv train\nvalid/_annotations.csv val\n");
  CHECK(parts_of("voc") == "test test\ntrain train\nvalid val\n");

  // Folders of pictures beside the labels are not classes.
  write_pictures(dir, {"coco/train2017/1.jpg", "coco/val2017/1.jpg"});
  for (const char* split : {"train", "val"})
    dir.write("coco/annotations/instances_" + std::string(split) + "2017.json", kCoco);
  CHECK(parts_of("coco") ==
        "annotations/instances_train2017.json train\n"
        "annotations/instances_val2017.json val\n");
  CHECK(contains(failure_of(dir / "coco").message, "holds 2 label files"));
  const AnnotationSet train = read_annotations(dir / "coco/annotations/instances_train2017.json");
  REQUIRE(train.items.size() == 1);
  CHECK(train.items[0].path == (dir / "coco/train2017/1.jpg").string());

  // A split that is named twice is for people to settle.
  dir.write("coco/annotations/fixed_val2017.json", kCoco);
  CHECK(contains(failure_of(dir / "coco").message, "holds 3 label files"));
}

TEST_CASE("class folders with labels beside them are for people to settle, with one in them not") {
  TempDir dir;
  write_pictures(dir, {"set/left/1.jpg", "set/right/2.jpg", "pets/cat/1.jpg", "pets/dog/1.jpg",
                       "pets/dog/2.jpg"});
  dir.write("set/labels/all.json", kCoco);
  const Failure failure = failure_of(dir / "set");
  CHECK(failure.exit == Exit::usage);
  CHECK(contains(failure.message,
                 "may be class folders, or pictures whose labels are beside them; give --format "
                 "folder, or name the labels:"));
  CHECK(contains(failure.message, (dir / "set/labels/all.json").string() + ": coco"));
  CHECK(read_annotations(dir / "set", {.format = "folder"}).classes.size() == 2);
  dir.write("pets/dog/2.xml", kXml);
  CHECK(read_annotations(dir / "pets").classes == std::vector<std::string>{"cat", "dog"});
}

TEST_CASE("a folder whose only labels are those of another split is not trained on in silence") {
  TempDir dir;
  write_pictures(dir, {"train/1.jpg", "valid/1.jpg"});
  dir.write("train/_annotations.coco.json", "");
  dir.write("valid/_annotations.coco.json", kCoco);
  CHECK_THROWS_WITH_AS(
      label_parts(dir.path()),
      doctest::Contains("holds labels of val alone (valid/_annotations.coco.json in this folder: "),
      Error);
  dir.write("train/_annotations.coco.json", kCoco);
  CHECK(label_parts(dir.path()).parts.size() == 2);
  // In an archive a folder around all that it holds is looked through, but not that of a split.
  CHECK_THROWS_WITH_AS(
      label_parts(zipped_by_python(dir.path(), "valid")),
      doctest::Contains("holds labels of val alone (valid/_annotations.coco.json in this folder: "),
      Error);
}

TEST_CASE("folders that are called after splits and pictures are not classes") {
  TempDir dir;
  TempDir bare;
  write_pictures(dir, {"IMAGES/1.jpg", "Validation_Images/2.jpg"});
  write_pictures(bare, {"train2017/1.jpg", "val2017/2.jpg"});
  const std::string rows = "filename,xmin,ymin,xmax,ymax,class\n";
  dir.write("train.csv", rows + "1.jpg,1,2,9,8,cat\n");
  dir.write("val.csv", rows + "2.jpg,1,2,9,8,cat\n");
  const std::vector<LabelPart> parts = label_parts(dir.path()).parts;
  REQUIRE(parts.size() == 2);
  CHECK(parts[1].split == "val");
  const AnnotationSet val = read_annotations(parts[1].labels);
  REQUIRE(val.items.size() == 1);
  CHECK(val.items[0].path == (dir / "Validation_Images/2.jpg").string());

  CHECK(contains(failure_of(bare.path()).message,
                 "folder: folders of pictures are called train2017, val2017; if these are classes, "
                 "give --format folder"));
  CHECK(read_annotations(bare.path(), {.format = "folder"}).classes ==
        std::vector<std::string>{"train2017", "val2017"});
}

TEST_CASE("CVAT: the folder or zip of its XML and pictures stands for the XML") {
  TempDir dir;
  write_pictures(dir, {"cvat/images/1.jpg"});
  dir.write("cvat/annotations.xml",
            "<annotations><version>1.1</version><image id=\"0\" name=\"1.jpg\" width=\"20\" "
            "height=\"20\"><box label=\"cat\" xtl=\"1\" ytl=\"2\" xbr=\"9\" "
            "ybr=\"8\"></box></image></annotations>");
  const AnnotationSet set = read_annotations(dir / "cvat");
  CHECK(set.format == "cvat");
  REQUIRE(set.items.size() == 1);
  CHECK(set.items[0].path == (dir / "cvat/images/1.jpg").string());
}

TEST_CASE("VOC: another folder of XMLs beside Annotations is told, not passed over in silence") {
  TempDir dir;
  write_pictures(dir, {"IMAGES/1.jpg"});
  dir.write("Annotations/1.xml", kXml);
  CHECK(read_annotations(dir.path()).remarks.size() == 1);  // where the picture was found
  dir.write("Validation_Annotations/1.xml", kXml);
  const AnnotationSet set = read_annotations(dir.path());
  CHECK(set.items.size() == 1);
  REQUIRE(set.remarks.size() == 2);
  CHECK(set.remarks[0] == (dir / "Validation_Annotations").string() +
                              " holds XMLs too, which are not read: name it by a --val, --split or "
                              "--input of its own if it is of this set");
}

TEST_CASE("a zip that a Mac has packed: what the Mac adds beside the folder is passed over") {
  TempDir dir;
  write_pictures(dir, {"mac/set/images/1.jpg"});
  dir.write("mac/set/labels/1.txt", "0 .5 .5 .5 .5\n");
  dir.write("mac/set/data.yaml", "train: images\nnames: [cat]\n");
  dir.write("mac/set/.DS_Store", "x");
  dir.write("mac/__MACOSX/set/._data.yaml", "x");
  const AnnotationSet set = read_annotations(zipped_by_python(dir / "mac", "__MACOSX set"));
  CHECK(set.format == "yolo");
  CHECK(set.items.size() == 1);
  CHECK(set.classes == std::vector<std::string>{"cat"});
  CHECK(set.remarks ==
        std::vector<std::string>{"passed over 2 files that systems and notebooks leave (._*, "
                                 "__MACOSX, .DS_Store, Thumbs.db, .ipynb_checkpoints)"});
}

TEST_CASE("a folder without labels says why it is of no format") {
  TempDir dir;
  write_pictures(dir, {"1.jpg"});
  dir.write("notes/readme.txt", "taken in May\n");
  CHECK(contains(failure_of(dir.path()).message, "is not of a known label format"));
}

// supervision's as_yolo writes names alone; globox's save_yolo label files alone.
TEST_CASE("a data.yaml of names alone takes images/ beside it, by splits where there are folders") {
  TempDir dir;
  write_pictures(dir, {"flat/images/1.jpg", "split/images/train/1.jpg", "split/images/val/2.jpg",
                       "roboflow/train/images/1.jpg", "roboflow/valid/images/2.jpg"});
  const std::string names = "nc: 2\nnames: [cat, dog]\n";
  for (const char* folder : {"flat", "split", "roboflow", "alone"})
    dir.write(std::string(folder) + "/data.yaml", names);
  for (const char* label :
       {"flat/labels/1.txt", "split/labels/train/1.txt", "split/labels/val/2.txt",
        "roboflow/train/labels/1.txt", "roboflow/valid/labels/2.txt"})
    dir.write(label, "1 .5 .5 .5 .5\n");

  const AnnotationSet flat = read_annotations(dir / "flat/data.yaml");
  REQUIRE(flat.items.size() == 1);
  CHECK(flat.items[0].split.empty());
  CHECK(flat.items[0].boxes == std::vector<LabelBox>{{.25, .25, .75, .75, 1}});
  REQUIRE(flat.remarks.size() == 1);
  CHECK(flat.remarks[0] ==
        "data.yaml names none of train, val, test: the pictures of images beside it are taken");

  for (const char* folder : {"split", "roboflow"}) {
    CAPTURE(folder);
    const AnnotationSet set = read_annotations(dir / folder);
    REQUIRE(set.items.size() == 2);
    CHECK(set.items[0].split == "train");
    CHECK(set.items[1].split == "val");
  }
  CHECK(contains(failure_of(dir / "alone/data.yaml").message, "has none of train, val, test"));
}

TEST_CASE("a folder of YOLO label files alone finds its pictures near it or in a root") {
  TempDir dir;
  write_pictures(dir, {"near/images/b.png", "photos/deep/a.JPG", "photos/c.jpg"});
  dir.write("classes.txt", "cat\ndog\n");
  dir.write("near/labels/b.txt", "0 .5 .5 .5 .5\n");
  dir.write("alone/classes.txt", "cat\ndog\n");
  dir.write("alone/a.txt", "1 .5 .5 .5 .5\n");
  dir.write("alone/gone.txt", "1 .5 .5 .5 .5\n1 .5 .5 .1 .1\n");
  const AnnotationOptions options{.roots = {dir / "photos/deep"}, .classes = dir / "classes.txt"};

  const AnnotationSet near = read_annotations(dir / "near/labels", options);
  CHECK(near.format == "yolo");
  REQUIRE(near.items.size() == 1);
  CHECK(near.items[0].path == (dir / "near/images/b.png").string());

  const AnnotationSet alone = read_annotations(dir / "alone", options);
  CHECK(alone.recognised_by == "a folder of label files; a.txt holds boxes");
  REQUIRE(alone.items.size() == 1);
  CHECK(alone.items[0].path == (dir / "photos/deep/a.JPG").string());
  CHECK(alone.items[0].boxes == std::vector<LabelBox>{{.25, .25, .75, .75, 1}});
  REQUIRE(alone.rejects.size() == 1);
  CHECK(contains(alone.rejects[0].where, "gone.txt"));
  CHECK(alone.boxes_found == 3);
  CHECK(alone.boxes_rejected == 2);

  dir.write("pixels/a.txt", "2 260.0 177.0 491.0 376.0\n");
  CHECK(contains(failure_of(dir / "pixels", options).message,
                 "yolo: a folder without data.yaml or pictures, and a.txt:1: centre x 260.0 is "
                 "outside 0..1"));
}

TEST_CASE("label files behind hundreds of others in a folder are found, or it is said") {
  TempDir dir;
  write_pictures(dir, {"1.jpg"});
  dir.write("train.json", kCoco);
  dir.write("val.json", kCoco);
  for (int i = 0; i < 200; ++i) dir.write("txt/" + std::to_string(i) + ".txt", "a street\n");
  const auto parts = [&] {
    const LabelParts found = label_parts(dir.path());
    return text_of(found, dir.path(), found.remarks);
  };
  CHECK(parts() == "train.json train\nval.json val\n");
  dir.write("txt/200.txt", "a street\n");
  CHECK(parts() == "train.json train\nval.json val\n" + (dir / "txt").string() +
                       ": of its 201 files that may hold labels the first 200 are "
                       "looked at; name others by an --input of their own\n");
}

}  // namespace letterpress
