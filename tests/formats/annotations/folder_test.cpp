#include <map>

#include "exports.h"

namespace letterpress {
namespace {

using Labels = std::map<std::string, std::string>;

// name -> "split:class"
Labels labels_of(const AnnotationSet& set) {
  Labels labels;
  for (const Item& item : set.items)
    labels[item.name] = item.split + ":" + set.classes.at(static_cast<std::size_t>(item.label));
  return labels;
}

}  // namespace

TEST_CASE(
    "class folders give each picture its folder's class, ids by name, deeper folders included") {
  TempDir dir;
  write_pictures(dir, {"dog/1.jpg", "cat/2.png", "cat/more/3.jpg", "Ähre/4 b.jpg", "notes.md"});
  const AnnotationSet set = read_annotations(dir.path());
  CHECK(set.format == "folder");
  CHECK_CONTAINS(set.recognised_by, "3 folders of pictures, named by their classes: cat, dog, ");
  CHECK(set.classes == std::vector<std::string>{"cat", "dog", "Ähre"});
  CHECK(labels_of(set) == Labels{{"dog/1.jpg", ":dog"},
                                 {"cat/2.png", ":cat"},
                                 {"cat/more/3.jpg", ":cat"},
                                 {"Ähre/4 b.jpg", ":Ähre"}});
  CHECK(set.rejects.empty());
  CHECK(set.boxes_found == 0);
}

TEST_CASE(
    "pictures of a format that is not read are there to be rejected, classes of nothing else "
    "included") {
  TempDir dir;
  write_pictures(dir, {"dog/1.jpg", "cat/2.gif", "cat/3.HEIC"});
  CHECK(labels_of(read_annotations(dir.path())) ==
        Labels{{"dog/1.jpg", ":dog"}, {"cat/2.gif", ":cat"}, {"cat/3.HEIC", ":cat"}});
}

TEST_CASE(
    "folders train, val and test around class folders are splits, a folder around all is left "
    "out") {
  TempDir dir;
  write_pictures(dir, {"set/train/cat/1.jpg", "set/valid/dog/2.jpg", "set/test/cat/3.jpg"});
  const AnnotationSet set = read_annotations(dir.path());
  CHECK(labels_of(set) == Labels{{"set/train/cat/1.jpg", "train:cat"},
                                 {"set/valid/dog/2.jpg", "val:dog"},
                                 {"set/test/cat/3.jpg", "test:cat"}});
}

TEST_CASE("a class may be called train where not every folder is a split") {
  TempDir dir;
  write_pictures(dir, {"train/1.jpg", "bus/2.jpg"});
  CHECK(labels_of(read_annotations(dir.path())) ==
        Labels{{"train/1.jpg", ":train"}, {"bus/2.jpg", ":bus"}});
}

TEST_CASE("--classes gives the order, and a picture of another class is rejected with its place") {
  TempDir dir;
  write_pictures(dir, {"set/dog/1.jpg", "set/cat/2.jpg", "set/cow/3.jpg"});
  const AnnotationSet set =
      read_annotations(dir / "set", {.classes = dir.write("names.txt", "dog\ncat\n")});
  CHECK(set.classes == std::vector<std::string>{"dog", "cat"});
  CHECK(set.items.size() == 2);
  const std::string reject = only_reject(set);
  CHECK_CONTAINS(reject, "set/cow/3.jpg");
  CHECK_CONTAINS(reject, "class 'cow' is not in ");
  CHECK_CONTAINS(reject, "add it to --classes or rename the folder");
}

TEST_CASE("a picture outside every class folder and a name that is not UTF-8 are rejected") {
  TempDir dir;
  write_pictures(dir, {"cat/1.jpg", "loose.jpg", "dog/\xFF.jpg"});
  CHECK_CONTAINS(failure_of(dir.path()).message,
                 "folder: picture loose.jpg is not in a class folder");
  const AnnotationSet set = read_annotations(dir.path(), {.format = "folder"});
  CHECK(set.items.size() == 1);
  REQUIRE(set.rejects.size() == 2);
  CHECK_CONTAINS(to_string(set.rejects[0]),
                 "dog/\\xff.jpg: its name is not UTF-8; rename it, as convmv -f latin1 -t utf8 "
                 "--notest does");
  CHECK_CONTAINS(to_string(set.rejects[1]),
                 "loose.jpg: is not in a class folder; move it into the folder of its class");
}

TEST_CASE(
    "one folder of pictures, detection sets and pictures with label files are not taken for class "
    "folders") {
  TempDir dir;
  write_pictures(dir, {"one/cat/1.jpg", "set/images/1.jpg", "set/masks/1.jpg", "beside/cat/1.jpg",
                       "beside/dog/2.jpg"});
  CHECK_CONTAINS(
      failure_of(dir / "one").message,
      "folder: one folder of pictures only, cat; if it is a class, give --format folder");
  CHECK(read_annotations(dir / "one", {.format = "folder"}).items.size() == 1);
  CHECK_CONTAINS(failure_of(dir / "set").message,
                 "folder: a folder images belongs to a detection set");
  dir.write("beside/dog/2.txt", "0 .5 .5 .1 .1\n");
  CHECK_CONTAINS(failure_of(dir / "beside", {.format = "auto"}).message,
                 "holds class ids without names");
  const Failure file = failure_of(dir.write("list.txt", "x"), {.format = "folder"});
  CHECK_CONTAINS(file.message,
                 "is a file; name the folder or archive that holds the class folders");
}

TEST_CASE("folders of sets two levels down are not class folders") {
  TempDir dir;
  write_pictures(dir, {"VOCdevkit/VOC2007/JPEGImages/1.jpg", "VOCdevkit/VOC2012/JPEGImages/2.jpg"});
  const std::string xml =
      "<annotation><object><name>cat</name><bndbox><xmin>2</xmin><ymin>3</ymin><xmax>9</xmax>"
      "<ymax>8</ymax></bndbox></object></annotation>";
  dir.write("VOCdevkit/VOC2007/Annotations/1.xml", xml);
  dir.write("VOCdevkit/VOC2012/Annotations/2.xml", xml);
  const Failure failure = failure_of(dir.path());
  CHECK(failure.exit == Exit::usage);
  CHECK_CONTAINS(failure.message, "may be class folders, or pictures whose labels are beside them");
  CHECK_CONTAINS(failure.message, "VOC2007/Annotations/1.xml: voc");
  CHECK(read_annotations(dir.path(), {.format = "folder"}).items.size() == 2);
}

TEST_CASE("hidden folders, thumbnails and recycle bins hold no pictures of the set, and are told") {
  TempDir dir;
  write_pictures(dir, {".git/cat/1.png", ".thumb/2.png", "@eaDir/3.png", "cat/4.png",
                       "cat/@eaDir/4.png/SYNOPHOTO_THUMB_XL.jpg", "cat/#recycle/5.png", "dog/6.png",
                       "dog/.trash/7.png", "$RECYCLE.BIN/8.png", "System Volume Information/9.png",
                       "__MACOSX/10.png"});
  const std::string pack = "cd " + dir.path().string() + " && tar -cf ../" +
                           dir.path().filename().string() + ".tar . && mv ../" +
                           dir.path().filename().string() + ".tar packed.tar";
  REQUIRE(std::system(pack.c_str()) == 0);
  for (const std::filesystem::path& input : {dir.path(), dir / "packed.tar"}) {
    CAPTURE(input);
    const AnnotationSet set = read_annotations(input, {.format = "folder"});
    CHECK(set.classes == std::vector<std::string>{"cat", "dog"});
    CHECK(set.items.size() == 2);
    CHECK(set.rejects.empty());
    CHECK(set.passed_over.size() == 1);
    CHECK_CONTAINS(remarks_of(set), "passed over 8 files in hidden folders and those of");
    CHECK_CONTAINS(remarks_of(set), ", the first " + (input / "$RECYCLE.BIN/8.png").string());
  }
}

TEST_CASE("a hidden folder that is named, or lies above the set, is read; a link to one, too") {
  TempDir dir;
  write_pictures(dir, {".cache/set/cat/1.png", ".cache/set/dog/2.png"});
  CHECK(read_annotations(dir / ".cache/set").items.size() == 2);
  CHECK(read_annotations(dir / ".cache", {.format = "folder"}).items.size() == 2);
  std::filesystem::create_directory_symlink(".cache/set/cat", dir / "cat");
  std::filesystem::create_directory_symlink(".cache/set/dog", dir / "dog");
  const AnnotationSet set = read_annotations(dir.path(), {.format = "folder"});
  CHECK(set.classes == std::vector<std::string>{"cat", "dog"});
  CHECK(set.links_left.empty());
}

TEST_CASE("files beside class folders that may hold boxes are told, others are not") {
  TempDir dir;
  write_pictures(dir, {"cat/1.jpg", "dog/more/2.jpg", "readme.txt", "cat/licence.txt"});
  CHECK(read_annotations(dir.path()).remarks.empty());
  write_pictures(dir, {"dog/more/meta.csv"});
  const std::string rest = "; each picture gets the class of its folder, and no boxes";
  CHECK(read_annotations(dir.path()).remarks ==
        std::vector<std::string>{"1 file beside the pictures that may hold labels: not read, the "
                                 "first dog/more/meta.csv" +
                                 rest});
  dir.write("names.csv", "cat\ndog\n");
  const std::filesystem::path relative = std::filesystem::relative(dir / "names.csv");
  CHECK(read_annotations(dir.path(), {.classes = relative}).remarks.size() == 1);
  CHECK(read_annotations(dir.path(), {.classes = relative}).remarks.at(0).starts_with("1 file "));
  write_pictures(dir, {"Annotations.JSON.txt"});
  CHECK(read_annotations(dir.path()).remarks ==
        std::vector<std::string>{"3 files beside the pictures that may hold labels: not read, the "
                                 "first Annotations.JSON.txt" +
                                 rest});
}

}  // namespace letterpress
