#include "voc_sample.h"

namespace letterpress {
namespace {

std::string told_by(const AnnotationSet& set) {
  std::string text;
  for (const std::string& remark : set.remarks) text += remark + "\n";
  return text;
}

}  // namespace

TEST_CASE("a <filename> of another picture is told wherever the pictures of a VOC set lie") {
  using Layout = std::vector<std::string>;  // the folders of XMLs and pictures, and the input
  for (const Layout& layout : {Layout{"Annotations", "JPEGImages", ""}, Layout{"a", "a", "a"},
                               Layout{"ann", "images", "ann"}, Layout{"p/labels", "p/images", "p"},
                               Layout{"q/ann", "q/IMAGES", "q/ann"}}) {
    CAPTURE(layout[0]);
    TempDir dir;
    for (const char* picture : {"0.png", "1.png", "2.png"})
      dir.write(layout[1] + "/" + picture, picture);
    dir.write(layout[0] + "/0.xml", xml("<filename>1.png</filename>"));
    dir.write(layout[0] + "/x.xml", xml("<filename>2.png</filename>"));
    const AnnotationSet set = read_annotations(dir / layout[2], {.format = "voc"});
    CHECK(set.items.size() == 2);
    const std::string told = told_by(set), xmls = (dir / layout[0]).string();
    CHECK_CONTAINS(told,
                   "1 XML names in <filename> another picture that exists; the one with the "
                   "XML's name is taken: the first, " +
                       xmls + "/0.xml takes 0.png, its <filename> is '1.png'; rename the XML if");
    CHECK_CONTAINS(told,
                   "1 XML has no picture of the same name; the one in <filename> is taken: the "
                   "first, " +
                       xmls + "/x.xml takes 2.png, its <filename> is '2.png'; rename the XML if");
  }
}

TEST_CASE("a <filename> of another picture of the XML's own sub-folder is told") {
  for (const std::string pictures : {"JPEGImages", "data"}) {
    TempDir dir;
    for (const char* name : {"/c/0.png", "/c/1.png"}) dir.write(pictures + name, name);
    dir.write("Annotations/c/0.xml", xml("<filename>1.png</filename>"));
    CHECK_CONTAINS(told_by(read_annotations(dir.path())), "takes 0.png, its <filename> is '1.png'");
  }
}

TEST_CASE("a <filename> that the disk spells otherwise is told as well") {
  TempDir dir;
  write_pictures(dir, {"JPEGImages/2.png"});
  dir.write("Annotations/x.xml", xml("<filename>2.PNG</filename>"));
  CHECK_CONTAINS(told_by(read_annotations(dir.path())),
                 "x.xml takes 2.png, its <filename> is '2.PNG'");
}

TEST_CASE("label files of two folders that lead to one picture give it names of their own") {
  TempDir dir;
  write_pictures(dir, {"voc/JPEGImages/0.png", "voc/JPEGImages/1.png", "voc/JPEGImages/b/2.png",
                       "me/images/0.png", "me/images/1.png", "me/c/2.png"});
  for (const char* label : {"a/0", "b/0", "a/1", "b/2"}) {
    const std::string name = std::string(label).substr(2) + ".png";
    dir.write("voc/Annotations/" + std::string(label) + ".xml",
              xml("<filename>" + name + "</filename>"));
    dir.write("me/" + std::string(label) + ".json",
              R"({"version":"5","shapes":[],"imagePath":")" + name + R"("})");
  }
  dir.write("me/c/2.json", R"({"version":"5","shapes":[],"imagePath":"2.png"})");
  dir.write("me/c/0.json", R"({"version":"5","shapes":[],"imagePath":"..\\images\\0.png"})");
  const auto names_of = [&](const char* set) {
    std::string names;
    for (const Item& item : read_annotations(dir / set).items) names += item.name + " ";
    return names;
  };
  // What leads to a picture by all of its name, or alone, is called as before.
  CHECK(names_of("voc") == "a/0.png 1.png b/0.png 2.png ");
  dir.write("voc/ImageSets/Main/train.txt", "a/0\nb/2\n");
  CHECK(names_of("voc/ImageSets/Main/train.txt") == "a/0.png 2.png ");
  CHECK(names_of("me") == "a/0.png 1.png b/0.png ../images/0.png 2.png ");
}

}  // namespace letterpress
