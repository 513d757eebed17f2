// Label files of one picture that differ in folder or in their extension's case, and folders of
// thumbnails, snapshots and recycle bins.
#include "exports.h"
#include "voc_sample.h"

namespace letterpress {
namespace {

std::string labelme_text(const std::string& picture, const std::string& label) {
  return R"({"shapes":[{"label":")" + label +
         R"(","points":[[1,2],[30,40]],"shape_type":"rectangle"}],"imagePath":")" + picture +
         R"("})";
}

constexpr const char* kKittiCar = "Car 0 0 0 1 2 9 8 1 1 1 1 1 1 0\n";

const std::vector<std::string> kLeftFolders{
    "@Recycle",   "@Recently-Snapshot", "#snapshot", "RECYCLER",
    "lost+found", ".@__thumb",          "@EADIR",    "#Recycle"};

}  // namespace

TEST_CASE("VOC: b.Xml is read, and of a.xml and a.XML both") {
  TempDir dir;
  write_pictures(dir, {"a.jpg", "b.jpg"});
  dir.write("a.XML", xml(object("bolt", "1 2 30 40")));
  dir.write("a.xml", xml(object("nut", "1 2 9 8")));
  dir.write("b.Xml", xml(object("nut", "5 6 9 8")));
  const AnnotationSet set = read_annotations(dir.path());
  CHECK(set.format == "voc");
  check_pictures(set, dir,
                 {{"a.jpg", {{"bolt", 0, 1, 30, 40}}},
                  {"a.jpg", {{"nut", 0, 1, 9, 8}}},
                  {"b.jpg", {{"nut", 4, 5, 9, 8}}}});
  const AnnotationSet one = read_annotations(dir / "b.Xml");
  check_pictures(one, dir, {{"b.jpg", {{"nut", 4, 5, 9, 8}}}});
}

TEST_CASE("LabelMe and KITTI: a label file is read whatever the case of its extension") {
  TempDir dir;
  write_pictures(dir, {"l/a.jpg", "l/b.jpg", "k/image_2/a.png", "k/image_2/b.png"});
  dir.write("l/a.json", labelme_text("a.jpg", "nut"));
  dir.write("l/b.JSON", labelme_text("b.jpg", "bolt"));
  check_pictures(read_annotations(dir / "l"), dir,
                 {{"l/a.jpg", {{"nut", 1, 2, 30, 40}}}, {"l/b.jpg", {{"bolt", 1, 2, 30, 40}}}});
  check_pictures(read_annotations(dir / "l/b.JSON"), dir, {{"l/b.jpg", {{"bolt", 1, 2, 30, 40}}}});
  dir.write("k/label_2/a.txt", kKittiCar);
  dir.write("k/label_2/b.TXT", kKittiCar);
  check_pictures(
      read_annotations(dir / "k"), dir,
      {{"k/image_2/a.png", {{"Car", 1, 2, 9, 8}}}, {"k/image_2/b.png", {{"Car", 1, 2, 9, 8}}}});
}

// labelImg writes Pascal VOC after a press of the button below "Save".
TEST_CASE("YOLO: a picture whose one label file is an XML or a JSON is told") {
  TempDir dir;
  write_pictures(dir, {"images/a.jpg", "images/b.jpg", "images/c.jpg", "images/d.jpg"});
  dir.write("labels/a.txt", "0 .5 .5 .1 .1\n");
  dir.write("labels/a.xml", "<annotation></annotation>");  // beside a label file of YOLO
  dir.write("labels/c.xml", "<annotation></annotation>");
  dir.write("images/d.json", "{}");
  const AnnotationSet set =
      read_annotations(dir.path(), {.format = "yolo", .classes = dir.write("names", "cat\n")});
  CHECK(set.items.size() == 4);
  CHECK(set.unlabelled == 3);
  CHECK_CONTAINS(remarks_of(set),
                 "2 pictures without a label file of YOLO have one of another format, which is not "
                 "read: the first, " +
                     (dir / "labels/c.xml").string() + "; save it as YOLO, or it has no boxes");
}

TEST_CASE("YOLO: a picture with a.txt and a.TXT of other texts is rejected with both names") {
  TempDir dir;
  write_pictures(dir, {"images/a.jpg", "images/b.jpg"});
  dir.write("data.yaml", "train: images\nnames: [cat, dog]\n");
  dir.write("labels/a.txt", "0 .5 .5 .1 .1\n");
  dir.write("labels/a.TXT", "1 .5 .5 .1 .1\n");
  dir.write("labels/b.txt", "0 .5 .5 .1 .1\n");
  dir.write("labels/b.TXT", "0 .5 .5 .1 .1\n");
  const auto list = dir.write("train.txt", "images/a.jpg\nimages/b.jpg\n");
  const auto classes = dir.write("names", "cat\ndog\n");
  for (const AnnotationSet& set :
       {read_annotations(dir / "data.yaml"), read_annotations(list, {.classes = classes})}) {
    CHECK_CONTAINS(only_reject(set), "has two label files, 'a.txt' and 'a.TXT', in ");
    CHECK_CONTAINS(only_reject(set), "/labels; keep the right one");
    check_pictures(set, dir, {{"images/b.jpg", {{"cat", 45, 36, 55, 44}}}});
    CHECK(set.remarks.empty());
  }
}

TEST_CASE("YOLO: a second label file beside the picture is told, but one of the same text") {
  TempDir dir;
  write_pictures(dir, {"images/a.jpg", "images/b.jpg", "images/c.jpg"});
  dir.write("data.yaml", "train: images\nnames: [cat, dog]\n");
  for (const char* name : {"a", "b", "c"})
    dir.write(std::string("labels/") + name + ".txt", "0 .5 .5 .1 .1\n");
  dir.write("images/a.txt", "1 .5 .5 .1 .1\n");
  dir.write("images/b.txt", "0 .5 .5 .1 .1\n");
  const AnnotationSet set = read_annotations(dir / "data.yaml");
  CHECK(set.items.size() == 3);
  CHECK_CONTAINS(remarks_of(set),
                 "1 picture has a second label file with another text, which is "
                 "not read: the first, ");
  CHECK_CONTAINS(remarks_of(set), "/images/a.txt beside ");
  CHECK_CONTAINS(remarks_of(set), "/labels/a.txt, which is; remove the wrong one");
}

TEST_CASE("recycle bins, snapshots and what a disk check found are passed over in each layout") {
  for (const std::string& left : kLeftFolders) {
    CAPTURE(left);
    TempDir dir;
    write_pictures(dir, {"voc/JPEGImages/a.jpg", "voc/JPEGImages/" + left + "/old.jpg",
                         "yolo/images/a.jpg", "yolo/images/" + left + "/old.jpg", "set/cat/1.jpg",
                         "set/cat/" + left + "/2.jpg", "set/dog/3.jpg", "set/" + left + "/4.jpg"});
    dir.write("voc/Annotations/a.xml", kCatXml);
    dir.write("voc/Annotations/" + left + "/old.xml", kCatXml);
    dir.write("yolo/data.yaml", "train: images\nnames: [cat]\n");
    dir.write("yolo/labels/a.txt", "0 .5 .5 .1 .1\n");
    dir.write("yolo/labels/" + left + "/old.txt", "0 .5 .5 .1 .1\n");
    for (const char* input : {"voc", "yolo", "set"}) {
      CAPTURE(input);
      const AnnotationSet set = read_annotations(dir / input);
      CHECK(set.items.size() == (input == std::string("set") ? 2 : 1));
      CHECK(set.rejects.empty());
      CHECK(set.hidden.size() == (input == std::string("voc") ? 1 : 2));
    }
  }
}

TEST_CASE("a class may be called recycler") {
  TempDir dir;
  write_pictures(dir, {"cat/1.jpg", "recycler/2.jpg"});
  CHECK(read_annotations(dir.path()).classes == std::vector<std::string>{"cat", "recycler"});
}

}  // namespace letterpress
