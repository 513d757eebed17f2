// What is said of files that look like labels and are of no format.
#include "exports.h"
#include "samples.h"

namespace letterpress {
namespace {

constexpr const char* kColumnsFix =
    "; name the columns filename, class and xmin, ymin, xmax, ymax, or x, y, width, height, or "
    "x_center, y_center, width, height";

// The message on the file itself, and on the folder that holds it beside pictures.
void check_messages(const TempDir& dir, const std::string& name, const std::string& text,
                    const std::string& line, const std::string& said) {
  CAPTURE(name);
  write_pictures(dir, {"train/img0.jpg", "train/img1.jpg"});
  const std::filesystem::path file = dir.write(name, text);
  CHECK(failure_of(file).message == file.string() + line + ": " + said);
  const Failure of_folder = failure_of(dir.path());
  CHECK(of_folder.exit == Exit::data);
  CHECK(of_folder.message == dir.path().string() +
                                 ": holds no labels of a known format; the nearest file, " + name +
                                 line + ": " + said);
  std::filesystem::remove(file);
}

}  // namespace

// kaggle.com/competitions/global-wheat-detection: train.csv
TEST_CASE("a table whose header is not one of boxes is named with the word that is not known") {
  TempDir dir;
  check_messages(dir, "train.csv",
                 "image_id,width,height,bbox,source\nimg0,160,120,\"[10.0, 20.0, 50.0, 60.0]\",x\n",
                 ":1",
                 "column 4 is called 'bbox', which is not known (a box takes four columns), and no "
                 "column is a class" +
                     std::string(kColumnsFix));
  check_messages(dir, "labels/boxes.csv", "filename,xmin,ymin,xmax,ymax\ntrain/img0.jpg,1,2,9,9\n",
                 ":1", "no column of the header is a class" + std::string(kColumnsFix));
  check_messages(dir, "boxes.tsv", "img0.jpg\t1\t2\t9\t9\n", ":1",
                 "got 5 fields without a header above, must be path,x1,y1,x2,y2,class; write "
                 "these, or a header that names the columns");
}

// huggingface.co/docs/datasets/image_dataset
TEST_CASE("an ImageFolder's metadata.csv is told to be one, with the form that is read") {
  TempDir dir;
  check_messages(dir, "train/metadata.csv", "file_name,label\nimg0.jpg,dog\n", ":1",
                 "is the metadata.csv of an ImageFolder, of which metadata.jsonl is read; write "
                 "boxes as metadata.jsonl; for classes of whole pictures make a folder for each "
                 "class");
}

// captain-whu.github.io/DOTA/dataset.html
TEST_CASE("DOTA's labelTxt is told by its first line of an object") {
  TempDir dir;
  check_messages(
      dir, "labelTxt/img0.txt",
      "imagesource:GoogleEarth\ngsd:0.1\n10.0 20.0 60.0 20.0 60.0 80.0 10.0 80.0 dog 0\n", ":3",
      "is a line of DOTA, x1 y1 x2 y2 x3 y3 x4 y4 class difficult, which is not read; "
      "convert it to YOLO's oriented boxes: class id and the corners as shares of the "
      "picture");
}

TEST_CASE("a list of COCO detections is told to be one") {
  TempDir dir;
  check_messages(dir, "pred.json", R"([{"image_id": 0, "category_id": 1, "score": 0.9}])", "",
                 "is a list of COCO detections with their scores, not labels; name the JSON that "
                 "has \"images\" and \"annotations\"");
}

TEST_CASE("a JSON or XML that is of no format is named with its beginning") {
  TempDir dir;
  write_pictures(dir, {"train/img0.jpg"});
  dir.write("mine.json", R"({"boxes": []})");
  CHECK(failure_of(dir.path()).message ==
        dir.path().string() +
            ": holds no labels of a known format; the nearest file, mine.json: is a JSON "
            "that begins with '{\"boxes\": []}', as no JSON does that is read; export it again, as "
            "COCO say");
  std::filesystem::remove(dir / "mine.json");
  dir.write("mine.xml", "<?xml version=\"1.0\"?>\n<!-- own -->\n<dataset><images/></dataset>");
  CHECK(failure_of(dir.path()).message ==
        dir.path().string() +
            ": holds no labels of a known format; the nearest file, mine.xml: its root is "
            "<dataset>, must be <annotation> of Pascal VOC or <annotations> of CVAT; export it "
            "again as one of these");
}

TEST_CASE("a table of something else is not taken for labels, and formats are named in a line") {
  TempDir dir;
  write_pictures(dir, {"train/img0.jpg"});
  dir.write("shop.csv", "product,price\nnut,3\n");
  dir.write("about.json", R"({"author": "me"})");
  const std::string message = failure_of(dir.path()).message;
  CHECK(message ==
        dir.path().string() +
            ": is not of a known label format; name the label file or the folder of labels, or "
            "what it is by --format:\n  cifar, coco, createml, csv, cvat, fiftyone, folder, "
            "huggingface, keras, kitti, label-studio, labelbox, labelme, open-images, supervisely, "
            "via, voc, yolo\n  folder: picture train/img0.jpg is not in a class folder\n  yolo: a "
            "folder of pictures without label files, neither beside them nor in labels/ beside "
            "images/");
}

}  // namespace letterpress
