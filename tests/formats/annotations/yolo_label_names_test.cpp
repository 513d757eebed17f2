// YOLO label files that are spelt otherwise than their pictures.
#include "exports.h"
#include "samples.h"

namespace letterpress {
namespace {

constexpr const char* kBoxOfName = "0 .5 .5 .25 .5\n";
// An e with an acute accent, as one character and as two (Unicode NFC, NFD).
constexpr const char *kAccentAsOne = "\xC3\xA9", *kAccentAsTwo = "e\xCC\x81";

AnnotationSet read_yaml(const TempDir& dir, const std::string& images = "images") {
  return read_annotations(dir.write("data.yaml", "names: [dog]\ntrain: " + images + "\n"));
}

std::string real_path(const TempDir& dir, const std::string& name) {
  return (std::filesystem::canonical(dir.path()) / name).string();
}

std::string spelling_said(const TempDir& dir, const char* count, const std::string& picture,
                          const std::string& label) {
  return std::string(count) +
         " whose path differs in case or in how Unicode writes an accent: the first, " +
         real_path(dir, picture) + ", has " + real_path(dir, label) + "\n";
}

}  // namespace

TEST_CASE(
    "a label file with an accent as one character or two, or in another case, is its picture's") {
  for (const auto& [picture, label] :
       {std::pair(std::string(kAccentAsOne), std::string(kAccentAsTwo)),
        {kAccentAsTwo, kAccentAsOne},
        {"p0", "P0"}}) {
    CAPTURE(picture);
    TempDir dir;
    write_pictures(dir, {"images/" + picture + ".jpg", "images/a.jpg", "images/b.jpg"});
    dir.write("labels/" + label + ".txt", kBoxOfName);
    dir.write("labels/a.txt", kBoxOfName);
    const AnnotationSet set = read_yaml(dir);
    CHECK(set.items.size() == 3);
    CHECK(set.rejects.empty());
    CHECK(set.boxes_found == 2);
    CHECK(set.unlabelled == 1);
    CHECK_CONTAINS(remarks_of(set),
                   spelling_said(dir, "1 picture has a label file", "images/" + picture + ".jpg",
                                 "labels/" + label + ".txt"));
    dir.write("list.txt", "images/" + picture + ".jpg\n");
    CHECK(read_yaml(dir, "list.txt").boxes_found == 1);
  }
}

TEST_CASE("Labels/ or LABELS/ beside images/ holds the labels, and a lone one there is told") {
  for (const char* folder : {"Labels", "LABELS"}) {
    TempDir dir;
    const std::string labels = folder;
    write_pictures(dir, {"images/train/1.jpg", "images/train/2.jpg"});
    for (const char* name : {"/train/1.txt", "/train/2.txt"}) dir.write(labels + name, kBoxOfName);
    const AnnotationSet set = read_yaml(dir);
    CHECK(set.boxes_found == 2);
    CHECK(set.rejects.empty());
    CHECK_CONTAINS(remarks_of(set), spelling_said(dir, "2 pictures have label files",
                                                  "images/train/1.jpg", labels + "/train/1.txt"));
    CHECK(read_annotations(dir.path()).boxes_found == 2);
    dir.write(labels + "/train/3.txt", kBoxOfName);
    CHECK_CONTAINS(only_reject(read_yaml(dir)), labels + "/train/3.txt: there is no picture of");
  }
}

TEST_CASE("the label file of exactly the picture's name comes first, and of two none is guessed") {
  TempDir dir;
  SUBCASE("a second that is alike is of no picture") {
    write_pictures(dir, {"images/p0.jpg"});
    for (const char* label : {"labels/p0.txt", "labels/P0.txt"}) dir.write(label, kBoxOfName);
    const AnnotationSet set = read_yaml(dir);
    CHECK(set.boxes_found == 2);
    CHECK(set.items.size() == 1);
    CHECK_CONTAINS(only_reject(set), "labels/P0.txt: there is no picture of this name");
  }
  SUBCASE("one that has its own picture is of that") {
    write_pictures(dir, {"images/p0.jpg", "images/P0.png"});
    dir.write("labels/p0.txt", kBoxOfName);
    const AnnotationSet set = read_yaml(dir);
    CHECK(set.items.size() == 2);
    CHECK(set.boxes_found == 1);
    CHECK(set.unlabelled == 1);
  }
  SUBCASE("two that are alike are of none") {
    write_pictures(dir, {"images/img.jpg", "images/a.jpg"});
    for (const char* label : {"labels/IMG.txt", "labels/Img.txt", "labels/a.txt"})
      dir.write(label, kBoxOfName);
    const AnnotationSet set = read_yaml(dir);
    CHECK(set.unlabelled == 1);
    CHECK(set.rejects.size() == 2);
  }
}

TEST_CASE("where no picture has a label file, one that is there is named") {
  TempDir dir;
  write_pictures(dir, {"images/1.jpg"});
  const std::string tried = real_path(dir, "images/1.jpg") +
                            ": neither this nor any other of 1 picture has a label file, tried " +
                            real_path(dir, "labels/1.txt");
  const auto message = [&] {
    return failure_of(dir.write("data.yaml", "names: [dog]\ntrain: images\n")).message;
  };
  CHECK_CONTAINS(message(), tried + "; put labels/ beside images/");
  dir.write("annotations/1.txt", kBoxOfName);
  CHECK_CONTAINS(message(),
                 tried + ", but there is " + real_path(dir, "annotations/1.txt") + "; put labels/");
  dir.write("labels/10.txt", kBoxOfName);  // of another picture
  CHECK_CONTAINS(message(), tried + ", but there is " + real_path(dir, "annotations/1.txt"));
  dir.write("labels/1.jpg.txt", kBoxOfName);
  CHECK_CONTAINS(message(),
                 tried + ", but there is " + real_path(dir, "labels/1.jpg.txt") + "; put");
}

}  // namespace letterpress
