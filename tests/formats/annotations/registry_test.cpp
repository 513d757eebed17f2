#include <sys/stat.h>

#include "samples.h"

namespace letterpress {
namespace {

const char* const kXml =
    "<annotation><object><name>a</name><bndbox><xmin>1</xmin><ymin>1</ymin><xmax>9</xmax><ymax>9</"
    "ymax></bndbox></object></annotation>";
const char* const kCoco = R"({"images": [], "annotations": [], "categories": []})";

}  // namespace

TEST_CASE("formats are listed by name, each with a help text") {
  const std::vector<AnnotationFormatInfo> formats = annotation_formats();
  const std::vector<std::string> names{
      "cifar",   "coco",        "createml",    "csv",   "cvat",         "fiftyone",
      "folder",  "huggingface", "keras",       "kitti", "label-studio", "labelbox",
      "labelme", "open-images", "supervisely", "via",   "voc",          "yolo"};
  REQUIRE(formats.size() == names.size());
  for (std::size_t i = 0; i < names.size(); ++i) {
    CHECK(formats[i].name == names[i]);
    CHECK(formats[i].help.size() > 20);
  }
}

TEST_CASE("auto says what it recognised and why") {
  TempDir dir;
  write_pictures(dir, {"voc/JPEGImages/1.jpg", "yolo/images/1.jpg", "1.jpg"});
  dir.write("voc/Annotations/1.xml", kXml);
  const std::filesystem::path classes = dir.write("classes.txt", "a\nb\n");
  dir.write("yolo/labels/1.txt", "0 .5 .5 .1 .1\n");
  struct Case {
    std::filesystem::path input;
    std::string format, why;
  };
  const std::vector<Case> cases{
      {dir.write("voc/ImageSets/Main/train.txt", "1\n"), "voc",
       "train.txt lists ids that are files in ../../Annotations"},
      {dir.write("voc/ImageSets/val.txt", "1\n"), "voc",
       "val.txt lists ids that are files in ../Annotations"},
      {dir / "voc", "voc", "a folder with XMLs in Annotations"},
      {dir / "voc/Annotations", "voc", "a folder with XMLs"},
      {dir / "voc/Annotations/1.xml", "voc", "1.xml is an XML with <annotation>"},
      {dir.write("k.txt", "1.jpg 1,2,3,4,0\n"), "keras",
       "line 1 holds a box 1,2,3,4,0 (x1,y1,x2,y2,class)"},
      {dir.write("c.json", kCoco), "coco", "a JSON object with \"images\""},
      {dir.write("yolo/data.yaml", "train: images\nnames: [a]\n"), "yolo",
       "a YAML with names or train"},
      {dir.write("b.csv", "1.jpg,1,2,3,4,a\n"), "csv",
       "line 1 has the six fields path,x1,y1,x2,y2,class"},
      {dir.write("yolo/list.txt", "images/1.jpg\n"), "yolo",
       "a list of pictures; line 1 has its labels in "},
      {dir / "yolo/images", "yolo", "a folder of pictures; 1.jpg has its labels in "},
  };
  for (const Case& c : cases) {
    CAPTURE(c.input);
    const bool has_names =
        c.input.extension() == ".yaml" || c.format == "voc" || c.format == "coco";
    const AnnotationSet set =
        read_annotations(c.input, {.classes = has_names ? std::filesystem::path() : classes});
    CHECK(set.format == c.format);
    CHECK_CONTAINS(set.recognised_by, c.why);
    CHECK(set.items.size() == (c.format == "coco" ? 0 : 1));
    CHECK(set.rejects.empty());
  }
}

TEST_CASE(
    "of a text that no format recognises it is told why it is no list, and which formats are") {
  TempDir dir;
  const Failure failure = failure_of(dir.write("notes.txt", "bring milk\n"));
  CHECK(failure.exit == Exit::data);
  CHECK_CONTAINS(failure.message, "notes.txt: is not of a known label format");
  CHECK_CONTAINS(failure.message, "--format:\n  cifar, coco, createml, ");
  CHECK_CONTAINS(failure.message, "keras: no line holds a path and a box x1,y1,x2,y2,class");
  CHECK_CONTAINS(failure.message, "voc: its lines are not ids of XMLs in ../../Annotations");
  CHECK_CONTAINS(failure.message, "yolo: not a data.yaml, and its lines are not pictures");
}

TEST_CASE("a list of pictures without any label file is not taken for a set of backgrounds") {
  TempDir dir;
  write_pictures(dir, {"1.jpg", "2.jpg"});
  const std::filesystem::path list = dir.write("list.txt", "1.jpg\n2.jpg\n");
  CHECK_CONTAINS(failure_of(list).message,
                 "yolo: lists pictures, but the first have no label files");
  CHECK_CONTAINS(failure_of(dir.path()).message, "yolo: a folder of pictures without label files");
  const Failure named = failure_of(list, {.format = "yolo", .classes = dir.write("names", "a\n")});
  CHECK_CONTAINS(named.message,
                 "1.jpg: neither this nor any other of 2 pictures has a label file, tried ");
  CHECK_CONTAINS(named.message, "an empty .txt says that a picture has no boxes");
}

TEST_CASE("an input that fits two formats asks for --format") {
  TempDir dir;
  write_pictures(dir, {"1.jpg"});
  dir.write("1.xml", kXml);
  dir.write("1.txt", "0 .5 .5 .1 .1\n");
  const Failure failure = failure_of(dir.path());
  CHECK(failure.exit == Exit::usage);
  CHECK_CONTAINS(failure.message, "may be of several formats; choose one by --format:");
  CHECK_CONTAINS(failure.message, "voc: a folder with XMLs");
  CHECK_CONTAINS(failure.message, "yolo: a folder of pictures");
  CHECK(read_annotations(dir.path(), {.format = "voc"}).recognised_by == "--format voc");
}

TEST_CASE("an unknown format name proposes the nearest") {
  TempDir dir;
  const Failure failure = failure_of(dir.write("a.txt", "x"), {.format = "yoloo"});
  CHECK(failure.exit == Exit::usage);
  CHECK_CONTAINS(failure.message, "unknown label format 'yoloo'; did you mean 'yolo'?");
}

TEST_CASE("no input is exit 66: a missing path, an empty file, an empty folder, a FIFO") {
  TempDir dir;
  CHECK_CONTAINS(failure_of(dir / "none.txt").message,
                 "none.txt: there is no such label file or folder; check --input");
  CHECK(failure_of(dir / "none.txt").exit == Exit::no_input);
  const Failure empty = failure_of(dir.write("empty.txt", " \n\n"));
  CHECK(empty.exit == Exit::no_input);
  CHECK_CONTAINS(empty.message, "is empty; name a label file");
  std::filesystem::create_directory(dir / "mount");
  CHECK(failure_of(dir / "mount").exit == Exit::no_input);
  REQUIRE(mkfifo((dir / "fifo").c_str(), 0600) == 0);
  CHECK(failure_of(dir / "fifo").exit == Exit::no_input);
  CHECK_CONTAINS(failure_of(dir / "fifo").message,
                 "is not a regular file (a folder, FIFO or device); name a label file");
}

TEST_CASE("binary files are not lists") {
  TempDir dir;
  const Failure failure = failure_of(dir.write("a.txt", std::string("a.jpg 1,2,3,4,0\0", 16)));
  CHECK_CONTAINS(failure.message, "keras: holds NUL bytes, must be text");
  CHECK_CONTAINS(failure.message, "voc: holds NUL bytes, must be a list of ids or an XML");
  CHECK_CONTAINS(failure.message,
                 "yolo: holds NUL bytes, must be a data.yaml or a list of pictures");
}

TEST_CASE("a list that was saved as UTF-16 is told from binary files") {
  TempDir dir;
  for (const std::string mark : {"\xFF\xFE", "\xFE\xFF"}) {
    std::string text = mark;
    for (const char c : std::string("a.jpg,1,2,3,4,cat\n"))
      text += mark[0] == '\xFF' ? std::string{c, '\0'} : std::string{'\0', c};
    const std::filesystem::path path = dir.write("a.csv", text);
    CHECK(failure_of(path).message ==
          path.string() + ": is UTF-16 text, which only an .xml may be; save it as UTF-8");
    CHECK(failure_of(path).exit == Exit::data);
  }
}

TEST_CASE("JSON and XML of other kinds are not taken for COCO and VOC") {
  TempDir dir;
  CHECK_CONTAINS(failure_of(dir.write("a.json", R"({"shapes": []})")).message,
                 "coco: a JSON object without \"images\", \"annotations\" or \"categories\" in its "
                 "first 64 KiB");
  CHECK_CONTAINS(failure_of(dir.write("a.xml", "<html></html>")).message,
                 "voc: an XML without <annotation>");
  CHECK_CONTAINS(failure_of(dir.write("a.yaml", "a: 1\n")).message,
                 "yolo: a YAML without names and train");
}

}  // namespace letterpress
