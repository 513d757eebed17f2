#include "exports.h"

namespace letterpress {

// As FiftyOne's importer of COCO and Hugging Face's copies of COCO keep it.
TEST_CASE("FiftyOne, Hugging Face: iscrowd makes a crowd") {
  const auto flags_of = [](const std::string& name, const std::string& text) {
    TempDir dir;
    write_pictures(dir, {"a.jpg", "data/a.jpg"});
    const AnnotationSet set = read_annotations(dir.write(name, text));
    std::vector<int> flags;
    for (const LabelBox& box : set.items.at(0).boxes) flags.push_back(box.flags);
    return flags;
  };
  const auto detections = [](const std::string& last) {
    const std::string box = R"({"label":"nut","bounding_box":[0.1,0.2,0.3,0.4])";
    return "[" + box + R"(,"iscrowd":0},)" + box + R"(,"iscrowd":1},)" + box + "," + last + "}]";
  };
  const std::vector<int> last_two{0, kCrowd, kCrowd};
  for (const std::string attribute :
       {R"("attributes":{"iscrowd":1.0})", R"("attributes":{"iscrowd":true})",
        R"("attributes":{"iscrowd":{"_cls":"NumericAttribute","value":1}})"}) {
    const std::string list = detections(attribute);
    CHECK(flags_of("labels.json", R"({"classes":["nut"],"labels":{"a":)" + list + "}}") ==
          last_two);
    CHECK(flags_of("samples.json", R"({"samples":[{"filepath":"data/a.jpg","ground_truth":)"
                                   R"({"detections":)" +
                                       list + "}}]}") == last_two);
  }
  CHECK(flags_of("metadata.jsonl",
                 R"({"file_name":"a.jpg","objects":{"bbox":[[1,2,3,4],[5,6,7,8],[1,1,9,9]],)"
                 R"("categories":["a","a","a"],"iscrowd":[0,1,true]}})") == last_two);
  CHECK(flags_of("metadata.jsonl",
                 R"({"file_name":"a.jpg","objects":[{"bbox":[1,2,3,4],"category":"a"},)"
                 R"({"bbox":[5,6,7,8],"category":"a","iscrowd":1}]})") ==
        std::vector<int>{0, kCrowd});
}

TEST_CASE("COCO: ignore without iscrowd is told, and stays an object") {
  const auto set_of = [](const std::string& keys) {
    TempDir dir;
    write_pictures(dir, {"a.jpg"});
    return read_annotations(dir.write(
        "a.json", R"({"images":[{"id":1,"file_name":"a.jpg"}],"categories":[{"id":1,"name":"a"}],)"
                  R"("annotations":[{"image_id":1,"category_id":1,"bbox":[1,2,3,4])" +
                      keys + "}]}"));
  };
  const AnnotationSet ignored = set_of(R"(,"ignore":1)");
  CHECK(ignored.items.at(0).boxes.at(0).flags == 0);
  CHECK(
      ignored.remarks ==
      std::vector<std::string>{
          "1 annotation has \"ignore\" and no \"iscrowd\": read as objects, as COCO's own program "
          "does; where they mark what is to be left out write \"iscrowd\": 1"});
  for (const char* keys : {R"(,"ignore":0)", R"(,"ignore":1,"iscrowd":1)", R"(,"ignore":"no")", ""})
    CHECK(set_of(keys).remarks.empty());
}

}  // namespace letterpress
