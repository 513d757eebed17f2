#include <map>

#include "samples.h"

namespace letterpress {
namespace {

const std::string kObject =
    "<object><name>b</name><bndbox><xmin>1</xmin><ymin>1</ymin><xmax>9</xmax><ymax>9</ymax></"
    "bndbox></object>";

struct Case {
  std::string format, input;
  std::map<std::string, std::string> files;
  std::string picture;  // of the only reject
};

std::vector<Case> cases() {
  const std::string coco =
      R"({"images":[{"id":1,"file_name":"p/1.jpg"}],"annotations":[{"image_id":1,"category_id":7,"bbox":[1,1,2,2]}],)"
      R"("categories":[{"id":1,"name":"a"}]})";
  const std::string labelme =
      R"({"imagePath":"p/1.jpg","shapes":[{"label":"b","shape_type":"rectangle","points":[[1,1],[9,9]]}]})";
  return {
      {"keras", "k.txt", {{"k.txt", "p/1.jpg 1,2,x,4,0\n"}}, "p/1.jpg"},
      {"keras", "k.txt", {{"k.txt", "p/absent.jpg 1,2,3,4,0\n"}}, "p/absent.jpg"},
      {"csv", "c.csv", {{"c.csv", "p/1.jpg,1,2,x,4,a\n"}}, "p/1.jpg"},
      {"csv", "c.csv", {{"c.csv", "p/absent.jpg,1,2,3,4,a\n"}}, "p/absent.jpg"},
      {"coco", "c.json", {{"c.json", coco}}, "p/1.jpg"},
      {"labelme", "l.json", {{"l.json", labelme}}, "p/1.jpg"},
      {"voc",
       "v",
       {{"v/Annotations/1.xml", "<annotation>"}, {"v/JPEGImages/1.png", ""}},
       "v/JPEGImages/1.png"},
      {"voc", "v", {{"v/Annotations/2.xml", "<annotation></annotation>"}}, "v/JPEGImages/2.jpg"},
      {"voc",
       "v",
       {{"v/Annotations/1.xml", "<annotation>" + kObject + "</annotation>"},
        {"v/JPEGImages/1.jpg", ""}},
       "v/JPEGImages/1.jpg"},
      {"yolo",
       "y/images",
       {{"y/images/1.jpg", ""}, {"y/labels/1.txt", "9 .5 .5 .1 .1\n"}},
       "y/images/1.jpg"},
      {"folder", "f", {{"f/a/1.jpg", ""}, {"f/b/2.jpg", ""}}, "f/b/2.jpg"},
  };
}

}  // namespace

TEST_CASE(
    "every format's reject of a picture says which picture: its name, and where it is or was "
    "sought first") {
  for (const Case& c : cases()) {
    TempDir dir;
    CAPTURE(c.format);
    CAPTURE(c.picture);
    write_pictures(dir, {"p/1.jpg"});
    for (const auto& [name, text] : c.files) dir.write(name, text);
    const AnnotationSet set = read_annotations(
        dir / c.input, {.format = c.format, .classes = dir.write("classes.txt", "a\n")});
    REQUIRE(set.rejects.size() == 1);
    const Reject& reject = set.rejects.front();
    CHECK(reject.scope == Reject::Scope::picture);
    CHECK(reject.path == (std::filesystem::canonical(dir / ".") / c.picture).string());
    CHECK(std::filesystem::path(reject.name).stem() == std::filesystem::path(c.picture).stem());
  }
}

}  // namespace letterpress
