#include "samples.h"

namespace letterpress {
namespace fs = std::filesystem;

// FiftyOne writes data/ and labels/ below each split; others call the folder of XMLs after them.
TEST_CASE("XMLs in folders of other names are Pascal VOC's, below splits and above them") {
  TempDir dir;
  for (const char* name : {"labels", "xml", "XMLs", "annotation"}) {
    CAPTURE(name);
    const std::string labels = name, of_split = labels + "/split/", around = labels + "/around/";
    write_pictures(dir, {of_split + "train/data/1.jpg", of_split + "val/data/2.jpg",
                         around + "images/train/1.jpg", around + "images/val/2.jpg"});
    dir.write(of_split + "train/" + labels + "/1.xml", kCatXml);
    dir.write(of_split + "val/" + labels + "/2.xml", kCatXml);
    dir.write(around + labels + "/train/1.xml", kCatXml);
    dir.write(around + labels + "/val/2.xml", kCatXml);
    for (const char* set : {"split", "around"}) {
      CAPTURE(set);
      const fs::path input = dir / labels / set;
      std::vector<std::string> pictures;
      for (const LabelPart& part : label_parts(input).parts) {
        const AnnotationSet read = read_annotations(part.labels, {.format = "voc"});
        CHECK(read.format == "voc");
        for (const Item& item : read.items)
          pictures.push_back(part.split + ":" +
                             fs::path(item.path).lexically_relative(input).string());
      }
      if (pictures.empty()) {
        for (const Item& item : read_annotations(input).items)
          pictures.push_back(":" + fs::path(item.path).lexically_relative(input).string());
      }
      CHECK(pictures ==
            (std::string(set) == "split"
                 ? std::vector<std::string>{"train:train/data/1.jpg", "val:val/data/2.jpg"}
                 : std::vector<std::string>{":images/train/1.jpg", ":images/val/2.jpg"}));
    }
  }
}

TEST_CASE("a folder of XMLs beside a split's own label file is passed over") {
  TempDir dir;
  for (const std::string split : {"train", "val"}) {
    write_pictures(dir, {split + "/1.jpg"});
    dir.write(split + "/_annotations.coco.json",
              R"({"images":[{"id":1,"file_name":"1.jpg"}],"categories":[{"id":1,"name":"a"}],)"
              R"("annotations":[{"image_id":1,"category_id":1,"bbox":[1,2,3,4]}]})");
    dir.write(split + "/labels/1.xml", kCatXml);
  }
  std::vector<std::string> labels;
  for (const LabelPart& part : label_parts(dir.path()).parts)
    labels.push_back(part.labels.lexically_relative(dir.path()).string());
  CHECK(labels ==
        std::vector<std::string>{"train/_annotations.coco.json", "val/_annotations.coco.json"});
}

}  // namespace letterpress
