// Labels that stand beside their box, and boxes with several.
#include "exports.h"

namespace letterpress {
namespace {

AnnotationSet read_labels(const TempDir& dir, const std::string& file, const std::string& text) {
  write_pictures(dir, {"a.jpg"});
  return read_annotations(dir.write(file, text));
}

}  // namespace

// <Rectangle> and <Polygon> with <Labels> (labelstud.io/guide/export, "Raw JSON format"): a result
// for the shape and one for its labels, of one id; JSON-MIN leaves the id out.
TEST_CASE("Label Studio: a shape and its labels of one id are one box, in JSON and JSON-MIN") {
  const auto result = [](const char* id, const char* type, const std::string& value) {
    return std::string(R"({"id":")") + id + R"(","type":")" + type +
           R"(","from_name":"f","to_name":"image","original_width":100,"original_height":80,)"
           R"("image_rotation":0,"value":{)" +
           value + "}}";
  };
  const std::string square = R"("x":10,"y":25,"width":30,"height":50,"rotation":0)";
  const std::string other = R"("x":50,"y":25,"width":20,"height":50,"rotation":0)";
  const std::string outline = R"("points":[[10,10],[20,10],[20,50]],"closed":true)";
  const std::string rle = R"("format":"rle","rle":[1,2])";
  const std::string whole =
      R"([{"id":7,"data":{"image":"a.jpg"},"annotations":[{"result":[)" +
      result("r1", "rectangle", square) + "," +
      result("r1", "labels", square + R"(,"labels":["nut"])") + "," +
      result("p1", "labels", outline + R"(,"labels":["bolt"])") + "," +
      result("p1", "polygon", outline) + "," +
      result("r2", "rectanglelabels", other + R"(,"rectanglelabels":["nut"])") + "," +
      result("r2", "choices", other + R"(,"choices":["new"])") + "," + result("b1", "brush", rle) +
      "," + result("b1", "labels", rle + R"(,"labels":["rust"])") + "]}]}]";
  TempDir dir;
  const AnnotationSet set = read_labels(dir, "ls.json", whole);
  const std::vector<NamedBox> boxes{
      {"nut", 10, 20, 40, 60}, {"bolt", 10, 8, 20, 40}, {"nut", 50, 20, 70, 60}};
  check_pictures(set, dir, {{"a.jpg", boxes}});
  CHECK(set.boxes_found == 4);
  CHECK_CONTAINS(only_reject(set),
                 "task 7, result 4: 'rust' is not a rectangle, ellipse or polygon");

  const std::string sizes = R"(,"original_width":100,"original_height":80})";
  const AnnotationSet short_set =
      read_labels(dir, "min.json",
                  R"([{"image":"a.jpg","id":1,"annotation_id":5,"label":[{)" + square +
                      R"(,"labels":["nut"])" + sizes + ",{" + other + R"(,"labels":["bolt"])" +
                      sizes + R"(],"shape":[{)" + square + sizes + ",{" + other + sizes + "]}]");
  check_pictures(short_set, dir, {{"a.jpg", {{"nut", 10, 20, 40, 60}, {"bolt", 50, 20, 70, 60}}}});
}

TEST_CASE("Label Studio: two <Labels> of one rectangle are several labels of one box") {
  const auto result = [](const std::string& labels) {
    return R"({"id":"r1","original_width":100,"original_height":80,"value":{"x":10,"y":25,)"
           R"("width":30,"height":50)" +
           labels + "}}";
  };
  TempDir dir;
  const AnnotationSet set = read_labels(dir, "ls.json",
                                        R"([{"data":{"image":"a.jpg"},"annotations":[{"result":[)" +
                                            result("") + "," + result(R"(,"labels":["nut"])") +
                                            "," + result(R"(,"labels":["rusty"])") + "]}]}]");
  check_pictures(set, dir, {{"a.jpg", {{"nut", 10, 20, 40, 60}}}});
  CHECK_CONTAINS(remarks_of(set),
                 "1 box has several labels, of which the first is its class: 'nut' before 'rusty'");
}

TEST_CASE("Label Studio: a rectangle without labels is an object without a class, once") {
  TempDir dir;
  const AnnotationSet set = read_labels(
      dir, "ls.json",
      R"([{"data":{"image":"a.jpg"},"annotations":[{"result":[{"id":"r1","type":"rectangle",)"
      R"("original_width":100,"original_height":80,"value":{"x":10,"y":25,"width":30,"height":50}},)"
      R"({"id":"r1","type":"choices","original_width":100,"original_height":80,)"
      R"("value":{"x":10,"y":25,"width":30,"height":50,"choices":["new"]}}]}]}])");
  CHECK_CONTAINS(only_reject(set), "an object has no class");
  CHECK(set.boxes_found == 1);
}

TEST_CASE("VIA: a box with two ticks takes the first, and says so") {
  const auto region = [](const std::string& ticks) {
    return R"({"shape_attributes":{"name":"rect","x":10,"y":20,"width":30,"height":40},)"
           R"("region_attributes":{"name":{)" +
           ticks + R"(},"note":{"a":true,"b":true}}})";
  };
  TempDir dir;
  const AnnotationSet set = read_labels(dir, "via.json",
                                        R"({"a.jpg1":{"filename":"a.jpg","size":1,"regions":[)" +
                                            region(R"("cat":true,"dog":true)") + "," +
                                            region(R"("cat":false,"dog":true)") + "]}}");
  check_pictures(set, dir, {{"a.jpg", {{"cat", 10, 20, 40, 60}, {"dog", 10, 20, 40, 60}}}});
  CHECK_CONTAINS(remarks_of(set),
                 "1 box has several labels, of which the first is its class: 'cat' before 'dog'");
}

}  // namespace letterpress
