#include "exports.h"

namespace letterpress {
namespace {

constexpr const char* kShapes =
    R"({"shapes": [{"label": "cat", "points": [[2, 3], [9, 8]], "shape_type": "rectangle"}],
        "imagePath": "1.jpg", "imageWidth": 20, "imageHeight": 20})";
constexpr const char* kBoxes = "filename,width,height,class,xmin,ymin,xmax,ymax\n";
constexpr const char* kMixedCoco =
    R"({"images": [{"id": 1, "file_name": "1.jpg", "width": 20, "height": 20}],
        "categories": [{"id": 1, "name": "cat"}],
        "annotations": [{"id": 1, "image_id": 1, "category_id": 1, "bbox": [1, 2, 8, 6]}]})";
constexpr const char* kLine =
    "{\"file_name\": \"1.jpg\", \"objects\": {\"bbox\": [[1, 2, 8, 6]], \"categories\": "
    "[\"cat\"]}}\n";

struct LabelFile {
  const char *format, *name, *text;
};
// For one picture 1.jpg in its folder.
const std::vector<LabelFile> kLabelFiles{
    {"coco", "_annotations.coco.json", kMixedCoco},
    {"csv", "_annotations.csv", "1.jpg,1,2,8,6,cat\n"},
    {"huggingface", "metadata.jsonl", kLine},
    {"labelme", "1.json", kShapes},
    {"voc", "1.xml", kCatXml},
    {"yolo", "1.txt", "0 .5 .5 .1 .1\n"},
};

// "\n  csv: line 1 ..." or "\n  train/boxes.csv: csv"
bool names_format(const std::string& message, const std::string& format) {
  return contains(message, "\n  " + format + ": ") ||
         contains(message + "\n", ": " + format + "\n");
}

}  // namespace

TEST_CASE("a stray label file of another format does not stand for the whole set") {
  const std::vector<LabelFile> sets{
      {"csv", "boxes.csv", kBoxes},
      {"coco", "annotations/instances.json", kMixedCoco},
      {"createml", "images/_annotations.createml.json",
       R"([{"image": "1.jpg", "annotations": [{"label": "cat", "coordinates":
           {"x": 5, "y": 5, "width": 8, "height": 6}}]}])"},
      {"cvat", "annotations.xml", "<annotations><version>1.1</version></annotations>"},
      {"keras", "boxes.txt", "images/1.jpg 1,2,8,6,0\n"},
      {"voc", "annotations/1.xml", kCatXml},
  };
  const std::vector<LabelFile> strays{
      {"huggingface", "extra/metadata.jsonl", kLine},
      {"labelme", "extra/1.json", kShapes},
      {"supervisely", "extra/ann/1.jpg.json", R"({"objects": []})"},
  };
  for (const LabelFile& set : sets) {
    for (const LabelFile& stray : strays) {
      CAPTURE(set.format);
      CAPTURE(stray.format);
      TempDir dir;
      write_pictures(dir, {"images/1.jpg", "extra/1.jpg", "extra/img/1.jpg"});
      dir.write(set.name, set.text);
      dir.write(stray.name, stray.text);
      const Failure failure = failure_of(dir.path());
      CHECK(failure.exit == Exit::usage);
      CHECK(contains(failure.message, "name each that you want by an --input"));
      CHECK(names_format(failure.message, set.format));
      CHECK(names_format(failure.message, stray.format));
    }
  }
}

TEST_CASE("splits whose labels are of different formats are refused, and none is lost") {
  for (const LabelFile& train : kLabelFiles) {
    for (const LabelFile& valid : kLabelFiles) {
      if (train.name == valid.name) continue;
      CAPTURE(train.format);
      CAPTURE(valid.format);
      TempDir dir;
      write_pictures(dir, {"train/1.jpg", "valid/1.jpg"});
      dir.write("classes.txt", "cat\n");
      dir.write("train/" + std::string(train.name), train.text);
      dir.write("valid/" + std::string(valid.name), valid.text);
      try {
        label_parts(dir.path());
        FAIL_CHECK("is not refused");
      } catch (const Error& error) {
        CHECK(error.exit() == Exit::usage);
        CHECK(names_format(error.what(), train.format));
        CHECK(names_format(error.what(), valid.format));
      }
      CHECK(failure_of(dir.path()).exit == Exit::usage);
    }
  }
}

// Supervisely's meta.json, and Hugging Face's description of columns: neither is COCO's.
TEST_CASE("what tools write beside label files is not of another format") {
  TempDir dir;
  write_pictures(dir, {"sly/ds/img/1.jpg", "hf/1.jpg"});
  dir.write("sly/meta.json",
            R"({"classes": [{"title": "cat", "shape": "rectangle"}], "tags": [],
                "projectType": "images"})");
  dir.write("sly/ds/ann/1.jpg.json", R"({"objects": []})");
  CHECK(read_annotations(dir / "sly").format == "supervisely");
  dir.write("hf/metadata.jsonl", kLine);
  dir.write("hf/dataset_info.json",
            R"({"features": {"objects": {"bbox": {"_type": "Sequence"},
                "categories": {"feature": {"names": ["cat"], "_type": "ClassLabel"}}}}})");
  CHECK(read_annotations(dir / "hf").format == "huggingface");
}

TEST_CASE("Hugging Face: a line whose boxes are under another key than objects is rejected") {
  TempDir dir;
  write_pictures(dir, {"1.jpg", "2.jpg", "3.jpg", "4.jpg", "5.jpg"});
  dir.write("metadata.jsonl",
            std::string(kLine) +
                "{\"file_name\": \"2.jpg\", \"bbox\": [[1, 2, 8, 6]], \"category\": [\"cat\"]}\n"
                "{\"file_name\": \"3.jpg\", \"annotations\": {\"bbox\": [[1, 2, 8, 6]]}}\n"
                "{\"file_name\": \"4.jpg\", \"objects\": null, \"annotations\": []}\n"
                "{\"file_name\": \"5.jpg\", \"annotations\": {\"bbox\": [], \"text\": \"a\"}}\n");
  const AnnotationSet set = read_annotations(dir.path());
  CHECK(set.items.size() == 3);
  REQUIRE(set.rejects.size() == 2);
  CHECK(to_string(set.rejects[0]) ==
        (dir / "metadata.jsonl").string() +
            ":2: has 'bbox' and no objects; write its boxes as objects, with the lists bbox and "
            "categories");
  CHECK_CONTAINS(to_string(set.rejects[1]), ":3: has 'annotations' and no objects");
}

TEST_CASE("COCO: null stands for a key that is left out") {
  TempDir dir;
  write_pictures(dir, {"1.jpg"});
  const auto file =
      dir.write("a.json",
                R"({"images": [{"id": 1, "file_name": "1.jpg", "coco_url": null, "width": null,
                      "height": null, "split": null, "annotations": null}],
          "categories": [{"id": 1, "name": "cat", "supercategory": null}],
          "annotations": [{"id": 1, "image_id": 1, "category_id": 1, "bbox": [1, 2, 8, 6],
                           "area": null, "iscrowd": null, "segmentation": null,
                           "attributes": null}]})");
  const AnnotationSet set = read_annotations(file);
  CHECK(set.rejects.empty());
  REQUIRE(set.items.size() == 1);
  CHECK(set.items[0].boxes == std::vector<LabelBox>{{1, 2, 9, 8, 0}});
}

// As Ultralytics' coco/: images/, labels/, and COCO's own annotations/ beside them.
TEST_CASE("labels of another format beside those of a YOLO set are not splits of it") {
  TempDir dir;
  write_pictures(dir, {"images/train2017/1.jpg", "images/val2017/1.jpg"});
  dir.write("labels/train2017/1.txt", "0 .5 .5 .1 .1\n");
  dir.write("labels/val2017/1.txt", "0 .5 .5 .1 .1\n");
  dir.write("annotations/instances_val2017.json", kMixedCoco);
  const AnnotationSet set = read_annotations(dir.path(), {.classes = dir.write("c", "cat\n")});
  CHECK(set.format == "yolo");
  CHECK(set.items.size() == 2);
  CHECK_CONTAINS(remarks_of(set),
                 "1 label file or folder of other formats beside these labels: not read, the first "
                 "annotations/instances_val2017.json (coco); --format chooses");
}

TEST_CASE("label files of other formats beside a VOC or KITTI set are told") {
  TempDir dir;
  write_pictures(dir, {"voc/JPEGImages/1.jpg", "kitti/image_2/1.jpg"});
  dir.write("voc/Annotations/1.xml", kCatXml);
  dir.write("voc/boxes.csv", std::string(kBoxes) + "1.jpg,20,20,cat,1,2,8,6\n");
  const AnnotationSet voc = read_annotations(dir / "voc");
  CHECK(voc.format == "voc");
  CHECK_CONTAINS(remarks_of(voc), "not read, the first boxes.csv (csv); --format chooses");
  dir.write("kitti/label_2/1.txt", "Car 0 0 0 1 2 8 6 1 1 1 1 1 1 1\n");
  dir.write("kitti/a.json", kMixedCoco);
  dir.write("kitti/b.csv", std::string(kBoxes) + "1.jpg,20,20,cat,1,2,8,6\n");
  const AnnotationSet kitti = read_annotations(dir / "kitti");
  CHECK(kitti.format == "kitti");
  CHECK_CONTAINS(remarks_of(kitti), "2 label files or folders of other formats");
}

}  // namespace letterpress
