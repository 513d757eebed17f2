#include "samples.h"

namespace letterpress {
namespace {

constexpr const char* kPartCoco =
    R"({"images": [{"id": 1, "file_name": "1.jpg", "width": 20, "height": 20}],
        "categories": [{"id": 1, "name": "cat"}],
        "annotations": [{"id": 1, "image_id": 1, "category_id": 1, "bbox": [1, 2, 8, 6]}]})";
constexpr const char* kCaptions =
    R"({"images": [{"id": 1, "file_name": "1.jpg", "width": 20, "height": 20}],
        "annotations": [{"id": 1, "image_id": 1, "caption": "a cat on a wall"}]})";

// "train/labels.csv train\n", then the remarks.
std::string parts_of(const std::filesystem::path& folder) {
  const LabelParts parts = label_parts(folder);
  return text_of(parts, folder, parts.remarks);
}

}  // namespace

TEST_CASE("a split's folder of pictures without a label file is told, with its count") {
  TempDir dir;
  write_pictures(dir, {"two/train/1.jpg", "two/valid/1.jpg", "two/test/1.jpg", "two/test/2.jpg",
                       "one/train/1.jpg", "one/valid/1.jpg", "coco/images/train2017/1.jpg",
                       "coco/images/val2017/1.jpg", "coco/images/test2017/1.jpg"});
  for (const char* file :
       {"two/train/_annotations.coco.json", "two/valid/_annotations.coco.json",
        "one/train/_annotations.coco.json", "coco/annotations/instances_train2017.json",
        "coco/annotations/instances_val2017.json"})
    dir.write(file, kPartCoco);
  const std::string end = ", but no label file for them could be read: they are left out";
  CHECK(parts_of(dir / "two") ==
        "train/_annotations.coco.json train\nvalid/_annotations.coco.json val\n" +
            (dir / "two/test").string() + " holds 2 pictures" + end + "\n");
  CHECK(contains(parts_of(dir / "coco"),
                 (dir / "coco/images/test2017").string() + " holds 1 picture" + end));
  CHECK(parts_of(dir / "one").empty());
  const AnnotationSet one = read_annotations(dir / "one");
  REQUIRE(one.remarks.size() == 1);
  CHECK(one.remarks[0] == (dir / "one/valid").string() + " holds 1 picture" + end);
}

TEST_CASE("one label file that names no split may list the pictures of folders that do") {
  TempDir dir;
  write_pictures(dir, {"train/1.jpg", "val/1.jpg"});
  dir.write("all.json", kPartCoco);
  for (const std::string& remark : read_annotations(dir.path()).remarks)
    CHECK_FALSE(contains(remark, "left out"));
}

// annotations_trainval2017.zip of cocodataset.org holds instances, captions and keypoints.
TEST_CASE("COCO's captions beside instances are passed over, and alone they are not") {
  TempDir dir;
  write_pictures(dir, {"train2017/1.jpg", "val2017/1.jpg"});
  for (const char* split : {"train", "val"}) {
    dir.write("annotations/instances_" + std::string(split) + "2017.json", kPartCoco);
    dir.write("annotations/captions_" + std::string(split) + "2017.json", kCaptions);
    dir.write("annotations/person_keypoints_" + std::string(split) + "2017.json", kPartCoco);
  }
  CHECK(parts_of(dir.path()) ==
        "annotations/instances_train2017.json train\nannotations/instances_val2017.json val\n"
        "passed over 2 COCO files of keypoints (person_keypoints_*) beside instances_*\n"
        "passed over 2 COCO files without boxes (annotations/captions_train2017.json, ...)\n");
  std::filesystem::remove(dir / "annotations/instances_train2017.json");
  std::filesystem::remove(dir / "annotations/instances_val2017.json");
  CHECK(parts_of(dir.path()) ==
        "annotations/person_keypoints_train2017.json train\n"
        "annotations/person_keypoints_val2017.json val\n"
        "passed over 2 COCO files without boxes (annotations/captions_train2017.json, ...)\n");
  for (const char* split : {"train", "val"})
    std::filesystem::remove(dir /
                            ("annotations/person_keypoints_" + std::string(split) + "2017.json"));
  CHECK(contains(parts_of(dir.path()), "annotations/captions_train2017.json train\n"));
}

TEST_CASE("annots beside Validation_annots are train and val; beside other names they are not") {
  TempDir dir;
  write_pictures(dir, {"IMAGES/1.jpg", "Validation_Images/2.jpg"});
  dir.write("annots/1.xml", kCatXml);
  dir.write("Validation_annots/2.xml", kCatXml);
  CHECK(parts_of(dir.path()) ==
        "Validation_annots val\nannots train\n"
        "annots is read as train, since Validation_annots beside it names a split\n");
  dir.write("Validation_boxes/2.xml", kCatXml);
  std::filesystem::remove_all(dir / "Validation_annots");
  CHECK(contains(failure_of(dir.path()).message, "holds 2 label files or folders of labels"));
}

// supervision's as_pascal_voc, called once for each split.
TEST_CASE("train/annotations beside train/images is the part of its split") {
  TempDir dir;
  write_pictures(dir, {"train/images/1.jpg", "valid/images/2.jpg"});
  dir.write("train/annotations/1.xml", kCatXml);
  dir.write("valid/annotations/2.xml", kCatXml);
  const LabelParts parts = label_parts(dir.path());
  CHECK(text_of(parts, dir.path(), parts.remarks) ==
        "train/annotations train\nvalid/annotations val\n");
  const AnnotationSet valid = read_annotations(parts.parts.at(1).labels);
  REQUIRE(valid.items.size() == 1);
  CHECK(valid.items[0].path == (dir / "valid/images/2.jpg").string());
  CHECK(valid.items[0].boxes == std::vector<LabelBox>{{1, 2, 9, 8, 0}});
}

TEST_CASE("a VOC set's lists of train, val and test are its parts, in folders and in zips") {
  TempDir dir;
  write_pictures(dir, {"set/JPEGImages/1.jpg", "set/JPEGImages/2.jpg", "set/JPEGImages/3.jpg"});
  for (const char* id : {"1", "2", "3"})
    dir.write("set/Annotations/" + std::string(id) + ".xml", kCatXml);
  const std::string lists = "set/ImageSets/Main/";
  dir.write(lists + "trainval.txt", "1\n2\n");
  dir.write(lists + "cat_train.txt", "1 1\n");
  CHECK(parts_of(dir / "set") == "ImageSets/Main/trainval.txt train\n");
  dir.write(lists + "test.txt", "3\n");
  CHECK(parts_of(dir / "set") ==
        "ImageSets/Main/trainval.txt train\nImageSets/Main/test.txt test\n");
  dir.write(lists + "train.txt", "1\n");
  dir.write(lists + "val.txt", "2\n");
  const std::string three =
      "ImageSets/Main/train.txt train\nImageSets/Main/val.txt val\nImageSets/Main/test.txt test\n";
  CHECK(parts_of(dir / "set") == three);
  CHECK(label_parts(dir / "set").are_lists);
  CHECK(parts_of(dir.path()) == "set/" + std::string("ImageSets/Main/train.txt train\nset/") +
                                    "ImageSets/Main/val.txt val\nset/" +
                                    "ImageSets/Main/test.txt test\n");
  const LabelParts zipped = label_parts(zipped_by_python(dir.path(), "set"));
  REQUIRE(zipped.parts.size() == 3);
  CHECK(read_annotations(zipped.parts[1].labels).items.at(0).name == "2.jpg");
  CHECK(read_annotations(dir / "set").items.size() == 3);  // whole, where nobody asks for parts
  // A list that was emptied does not make its pictures those of train.
  dir.write(lists + "val.txt", "\n");
  dir.write(lists + "test.txt", "");
  std::filesystem::remove(dir / (lists + "trainval.txt"));
  CHECK(parts_of(dir / "set") == "ImageSets/Main/train.txt train\n");
  CHECK(label_parts(dir / "set").list_remarks.size() == 2);
}

TEST_CASE("of a VOC set's lists those of pictures without labels are left out, and told") {
  TempDir dir;
  write_pictures(dir, {"JPEGImages/1.jpg", "JPEGImages/2.jpg", "JPEGImages/9.jpg"});
  for (const char* id : {"1", "2"}) dir.write("Annotations/" + std::string(id) + ".xml", kCatXml);
  const std::string lists = "ImageSets/Main/", main = (dir / "ImageSets/Main").string();
  dir.write(lists + "trainval.txt", "1\n2\n");
  dir.write(lists + "val.txt", "2\n");
  dir.write(lists + "test.txt", "9\n");
  const LabelParts parts = label_parts(dir.path());
  CHECK(parts_of(dir.path()) == "ImageSets/Main/trainval.txt train\nImageSets/Main/val.txt val\n");
  CHECK(parts.list_remarks ==
        std::vector<std::string>{main + "/test.txt lists no picture that has labels here, and is "
                                        "not taken for a split"});
  std::filesystem::remove(dir / (lists + "trainval.txt"));
  const LabelParts without_train = label_parts(dir.path());
  CHECK(without_train.parts.empty());
  REQUIRE(without_train.list_remarks.size() == 2);
  CHECK(without_train.list_remarks[1] ==
        main + "/val.txt is not taken for a split: there is no list of train beside it");
}

TEST_CASE("labelImg's classes.txt in each split's folder: two that differ are shown") {
  TempDir dir;
  write_pictures(dir, {"train/1.jpg", "val/2.jpg"});
  for (const char* label : {"train/1.txt", "val/2.txt"}) dir.write(label, "1 .5 .5 .5 .5\n");
  dir.write("train/classes.txt", "nut\nbolt\n");
  dir.write("val/classes.txt", "nut\nbolt\n");
  CHECK(read_annotations(dir.path()).classes == std::vector<std::string>{"nut", "bolt"});
  dir.write("val/classes.txt", "bolt\nnut\n");
  const Failure failure = failure_of(dir.path());
  CHECK(failure.exit == Exit::usage);
  CHECK(failure.message ==
        (dir / "val/classes.txt").string() + ": names bolt, nut, but " +
            (dir / "train/classes.txt").string() +
            " names nut, bolt; say by --classes which of them the labels go by, or name folders "
            "that have lists of their own by an --input, --val or --split each");
}

// ILSVRC's Annotations/CLS-LOC: folders of classes in train, none in val.
TEST_CASE("VOC: the XMLs of a split may lie in folders of classes") {
  TempDir dir;
  write_pictures(dir, {"Data/train/n1/n1_1.JPEG", "Data/train/n2/n2_1.JPEG", "Data/val/v1.JPEG"});
  for (const char* xml :
       {"Labels/train/n1/n1_1.xml", "Labels/train/n2/n2_1.xml", "Labels/val/v1.xml"})
    dir.write(xml, kCatXml);
  const AnnotationOptions options{.roots = {dir / "Data/train", dir / "Data/val"}};
  CHECK(text_of(label_parts(dir / "Labels", options), dir / "Labels", {}) ==
        "train train\nval val\n");
  const AnnotationSet train = read_annotations(dir / "Labels/train", options);
  CHECK(train.recognised_by == "a folder with XMLs in folders of train, the first n1");
  REQUIRE(train.items.size() == 2);
  CHECK(train.items[1].path == (dir / "Data/train/n2/n2_1.JPEG").string());
}

TEST_CASE("where the labels of another split alone are found, it is said why not those of train") {
  TempDir dir;
  write_pictures(dir, {"train/1.jpg", "val/1.jpg"});
  dir.write("train/1.txt", "0 .5 .5 .1 .1\n");
  dir.write("val/1.xml", kCatXml);
  CHECK_THROWS_WITH_AS(
      label_parts(dir.path(), {.format = "voc"}),
      doctest::Contains("holds labels of val alone (--format voc); train "
                        "is not read as voc: a folder without XMLs in it, in Annotations or in "
                        "folders of one that is called after labels; restore the labels of train"),
      Error);
}

}  // namespace letterpress
