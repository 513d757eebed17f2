// Symbolic links among pictures and labels: what people see decides, and what is not read is told.
#include <sys/stat.h>

#include "exports.h"

namespace letterpress {
namespace {

namespace fs = std::filesystem;

void link(const TempDir& dir, const std::string& name, const fs::path& target) {
  fs::create_directories((dir / name).parent_path());
  fs::create_symlink(target, dir / name);
}

// "images/val/1.jpg 1" for each picture: its name and the number of its boxes.
std::string boxes_of(const AnnotationSet& set) {
  std::string text;
  for (const Item& item : set.items)
    text += item.name + " " + std::to_string(item.boxes.size()) + "\n";
  return text;
}

}  // namespace

TEST_CASE("a folder of pictures that is a link has its labels beside the link") {
  for (const std::string target : {"set/elsewhere", "other/disk"}) {
    CAPTURE(target);
    TempDir dir;
    write_pictures(dir, {"set/images/train/1.jpg", target + "/2.jpg"});
    dir.write("set/labels/train/1.txt", "0 .5 .5 .1 .1\n");
    dir.write("set/labels/val/2.txt", "0 .5 .5 .1 .1\n0 .5 .5 .2 .2\n");
    dir.write("set/labels/val/3.txt", "0 .5 .5 .1 .1\n");
    link(dir, "set/images/val", dir / target);
    const AnnotationSet set = read_annotations(
        dir.write("set/data.yaml", "train: images/train\nval: images/val\nnames: [cat]\n"));
    CHECK(boxes_of(set) == "1.jpg 1\n2.jpg 2\n");
    CHECK(set.items[1].split == "val");
    CHECK(set.items[1].path == fs::canonical(dir / target / "2.jpg").string());
    CHECK(set.unlabelled == 0);
    CHECK_CONTAINS(only_reject(set), "set/labels/val/3.txt: there is no picture of this name");
  }
}

TEST_CASE("images/ as a whole may be a link, and so may labels/ and the set") {
  TempDir dir;
  write_pictures(dir, {"disk/pictures/1.jpg"});
  dir.write("set/labels/1.txt", "0 .5 .5 .1 .1\n");
  dir.write("set/data.yaml", "train: images\nnames: [cat]\n");
  link(dir, "set/images", "../disk/pictures");
  link(dir, "alias", "set");
  const fs::path classes = dir.write("names.txt", "cat\n");
  const auto check = [&] {
    CHECK(boxes_of(read_annotations(dir / "set")) == "1.jpg 1\n");
    CHECK(boxes_of(read_annotations(dir / "alias/data.yaml")) == "1.jpg 1\n");
    CHECK(boxes_of(read_annotations(dir / "set/images", {.classes = classes})) == "1.jpg 1\n");
  };
  check();
  fs::rename(dir / "set/labels", dir / "disk/texts");
  link(dir, "set/labels", "../disk/texts");
  check();
  // No labels where people see the pictures: those beside the pictures count.
  fs::remove(dir / "set/labels");
  dir.write("disk/pictures/1.txt", "0 .5 .5 .1 .1\n0 .5 .5 .1 .2\n");
  CHECK(boxes_of(read_annotations(dir / "set")) == "1.jpg 2\n");
}

TEST_CASE(
    "a folder below the pictures' may be a link: its labels are beside the link, else there") {
  TempDir dir;
  write_pictures(dir, {"set/images/train/1.jpg", "days/images/2.jpg", "days/images/deep/3.jpg"});
  dir.write("set/labels/train/1.txt", "0 .5 .5 .1 .1\n");
  dir.write("days/labels/2.txt", "0 .5 .5 .1 .1\n0 .5 .5 .2 .2\n");
  dir.write("days/labels/deep/3.txt", "0 .5 .5 .1 .1\n");
  link(dir, "set/images/train/monday", dir / "days/images");
  const fs::path yaml = dir.write("set/data.yaml", "train: images/train\nnames: [cat]\n");
  const fs::path classes = dir.write("names.txt", "cat\n");
  const AnnotationSet set = read_annotations(yaml);
  CHECK(boxes_of(set) == "1.jpg 1\nmonday/2.jpg 2\nmonday/deep/3.jpg 1\n");
  CHECK(set.unlabelled == 0);
  CHECK(boxes_of(read_annotations(dir / "set/images/train", {.classes = classes})) ==
        boxes_of(set));
  dir.write("set/labels/train/monday/2.txt", "0 .5 .5 .1 .1\n");
  CHECK(boxes_of(read_annotations(yaml)) == "1.jpg 1\nmonday/2.jpg 1\nmonday/deep/3.jpg 1\n");
}

TEST_CASE("a label file that is a link which leads nowhere rejects its picture") {
  TempDir dir;
  write_pictures(dir, {"images/1.jpg", "images/2.jpg", "images/3.jpg"});
  dir.write("labels/1.txt", "0 .5 .5 .1 .1\n");
  link(dir, "labels/2.txt", "/mnt/gone/2.txt");
  const AnnotationSet set =
      read_annotations(dir.write("data.yaml", "train: images\nnames: [cat]\n"));
  CHECK(boxes_of(set) == "1.jpg 1\n3.jpg 0\n");
  CHECK(set.unlabelled == 1);
  CHECK_CONTAINS(only_reject(set),
                 "labels/2.txt: is missing: a symbolic link leads nowhere; restore");
}

TEST_CASE("a folder of labels that is a link which leads nowhere rejects its pictures") {
  TempDir dir;
  write_pictures(dir, {"images/train/1.jpg", "images/val/a/2.jpg", "images/val/3.jpg"});
  dir.write("labels/train/1.txt", "0 .5 .5 .1 .1\n");
  link(dir, "labels/val", "/mnt/gone");
  const AnnotationSet set = read_annotations(
      dir.write("data.yaml", "train: images/train\nval: images/val\nnames: [cat]\n"));
  CHECK(boxes_of(set) == "1.jpg 1\n");
  REQUIRE(set.rejects.size() == 2);
  CHECK_CONTAINS(to_string(set.rejects[0]), "labels/val/3.txt: is missing: a symbolic link leads");
  CHECK_CONTAINS(to_string(set.rejects[1]), "labels/val/a/2.txt: is missing: a symbolic link");
}

TEST_CASE("links to folders of classes, of splits and of pictures are followed") {
  TempDir dir;
  write_pictures(dir, {"real/dog/1.jpg", "set/cat/2.jpg", "other/val/cat/3.jpg",
                       "splits/train/cat/4.jpg", "splits/train/dog/5.jpg", "disk/6.jpg"});
  link(dir, "set/dog", "../real/dog");
  CHECK(boxes_of(read_annotations(dir / "set")) == "cat/2.jpg 0\ndog/1.jpg 0\n");
  link(dir, "splits/val", dir / "other/val");
  const AnnotationSet splits = read_annotations(dir / "splits");
  REQUIRE(splits.items.size() == 3);
  CHECK(splits.items[2].name == "val/cat/3.jpg");
  CHECK(splits.items[2].split == "val");
  CHECK(splits.remarks.empty());
  link(dir, "yolo/images/b", "../../disk");
  dir.write("yolo/labels/b/6.txt", "0 .5 .5 .1 .1\n");
  CHECK(boxes_of(read_annotations(dir.write("yolo/data.yaml", "train: images\nnames: [cat]\n"))) ==
        "b/6.jpg 1\n");
  write_pictures(dir, {"voc/JPEGImages/7.jpg"});
  dir.write("xmls/7.xml", kCatXml);
  link(dir, "voc/Annotations/b", dir / "xmls");
  CHECK(boxes_of(read_annotations(dir / "voc")) == "7.jpg 1\n");
}

TEST_CASE("links that lead in a circle, to what is read anyway or nowhere are told, not followed") {
  TempDir dir;
  write_pictures(dir, {"set/cat/1.jpg", "set/dog/2.jpg", "far/3.jpg", "far/deep/4.jpg"});
  const std::string root = fs::canonical(dir.path()).string();
  link(dir, "set/cat/up", "..");
  link(dir, "set/hound", "dog");
  link(dir, "far/deep/back", dir / "set");
  link(dir, "set/owl", dir / "far");
  link(dir, "set/lost", "/mnt/gone");
  const AnnotationSet set = read_annotations(dir / "set");
  CHECK(boxes_of(set) == "cat/1.jpg 0\ndog/2.jpg 0\nowl/3.jpg 0\nowl/deep/4.jpg 0\n");
  const std::string again = ", of which all or a part is read by another path";
  CHECK(remarks_of(set) == "4 links to folders are not followed: " + (dir / "set/cat/up").string() +
                               " leads to " + root + "/set" + again + "; " +
                               (dir / "set/hound").string() + " leads to " + root + "/set/dog" +
                               again + "; " + (dir / "set/lost").string() +
                               " leads nowhere; .... Restore what is missing, or put the folder in "
                               "the link's place\n");
}

}  // namespace letterpress
