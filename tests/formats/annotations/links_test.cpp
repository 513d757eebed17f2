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

TEST_CASE("a label file that is a link which leads nowhere rejects its picture") {
  TempDir dir;
  write_pictures(dir, {"images/1.jpg", "images/2.jpg", "images/3.jpg"});
  dir.write("labels/1.txt", "0 .5 .5 .1 .1\n");
  link(dir, "labels/2.txt", "/mnt/gone/2.txt");
  const AnnotationSet set =
      read_annotations(dir.write("data.yaml", "train: images\nnames: [cat]\n"));
  CHECK(boxes_of(set) == "1.jpg 1\n3.jpg 0\n");
  CHECK(set.unlabelled == 1);
  CHECK_CONTAINS(only_reject(set), "labels/2.txt: is a symbolic link that leads nowhere; restore");
}

}  // namespace letterpress
