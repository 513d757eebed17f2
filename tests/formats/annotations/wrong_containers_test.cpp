// Another type than the list or object that a tool writes rejects its picture: read as none, it
// would make a picture full of objects background.
#include "exports.h"

namespace letterpress {
namespace {

constexpr const char* kDetection = R"({"label":"nut","bounding_box":[0.1,0.25,0.3,0.5]})";
constexpr const char* kNut =
    R"({"name":"nut","bounding_box":{"top":2,"left":1,"height":4,"width":3}})";
constexpr const char* kRegion =
    R"({"x":10,"y":10,"width":20,"height":20,"rectanglelabels":["nut"],"original_width":100,)"
    R"("original_height":80})";

std::string huggingface(const std::string& objects) {
  return R"({"file_name":"a.jpg","objects":)" + objects + "}\n";
}

std::string createml(const std::string& annotations) {
  return R"([{"image":"a.jpg","annotations":)" + annotations + R"(,"x":{"coordinates":0}}])";
}

std::string samples(const std::string& ground_truth) {
  return R"({"samples":[{"filepath":"a.jpg","ground_truth":)" + ground_truth + "}]}";
}

std::string labels(const std::string& of_picture) {
  return R"({"classes":["nut"],"labels":{"a":)" + of_picture + R"(},"x":{"bounding_box":0}})";
}

std::string via(const std::string& regions) {
  return R"({"a":{"filename":"a.jpg","regions":)" + regions + "}}";
}

std::string data_row(const std::string& projects) {
  return R"({"data_row":{"external_id":"a.jpg"},"projects":)" + projects + "}\n";
}

std::string task(const std::string& rest) {
  return R"([{"id":7,"data":{"image":"a.jpg"},)" + rest + R"(,"x":{"original_width":1}}])";
}

std::string short_task(const std::string& label) {
  return R"([{"id":7,"image":"a.jpg","label":)" + label + "}]";
}

struct Wrong {
  std::string format, text, told;
};

void check_rejected(const Wrong& wrong) {
  CAPTURE(wrong.text);
  TempDir dir;
  write_pictures(dir, {"a.jpg"});
  const bool lines = wrong.format == "huggingface" || wrong.format == "labelbox";
  const AnnotationSet set = read_annotations(
      dir.write(lines ? "labels.jsonl" : "labels.json", wrong.text), {.format = wrong.format});
  CHECK(set.items.empty());
  CHECK_CONTAINS(only_reject(set), wrong.told + "; ");
  CHECK(set.rejects.front().scope == Reject::Scope::picture);
}

}  // namespace

// What `datasets` writes of a feature that is a list of structs.
TEST_CASE("Hugging Face: objects as a list of objects, each with its bbox and category") {
  TempDir dir;
  write_pictures(dir, {"a.jpg", "b.jpg", "c.jpg"});
  const AnnotationSet set = read_annotations(dir.write(
      "metadata.jsonl",
      R"({"file_name":"a.jpg","objects":[{"bbox":[10,20,50,40],"category":"dog"},{"id":3,"bbox":[1,2,3,4],"label":"cat"}]})"
      "\n"
      R"({"file_name":"b.jpg","objects":[]})"
      "\n"
      R"({"file_name":"c.jpg","objects":null})"
      "\n"));
  check_pictures(
      set, dir,
      {{"a.jpg", {{"dog", 10, 20, 60, 60}, {"cat", 1, 2, 4, 6}}}, {"b.jpg", {}}, {"c.jpg", {}}});
}

TEST_CASE("Hugging Face: objects of another form reject their picture") {
  for (const Wrong& wrong : std::vector<Wrong>{
           {"", huggingface("7"),
            "objects is 7, must be an object of the lists bbox and categories, or a list of "
            "objects with a bbox and a category each"},
           {"", huggingface(R"("{}")"),
            "must be an object of the lists bbox and categories, or a "
            "list of objects with a bbox and a category each"},
           {"", huggingface("[[1,2,3,4]]"), "an element of objects is a list, must be an object"},
           {"", huggingface(R"([{"category":"nut"}])"), "a bbox is not x, y, width, height"},
           {"", huggingface(R"([{"bbox":[1,2,3,4]}])"), "an object has no class"},
           {"", huggingface(R"({"bbox":{},"category":[]})"),
            "bbox of objects is an object, must be a list"},
           {"", huggingface(R"({"boxes":[[1,2,3,4]]})"), "objects has no bbox"}})
    check_rejected({"huggingface", wrong.text, wrong.told});
}

TEST_CASE("a list or an object of another type rejects its picture in each JSON format") {
  const std::string region = kRegion, nut = kNut, detection = kDetection;
  for (const Wrong& wrong : std::vector<Wrong>{
           {"createml", createml("{}"), "annotations is an object, must be a list"},
           {"createml", createml("null"), "annotations is null, must be a list"},
           {"fiftyone", labels(detection), "labels is an object, must be a list"},
           {"fiftyone", samples("[" + detection + "]"),
            "ground_truth is a list, must be an object"},
           {"fiftyone", samples(R"({"detections":)" + detection + "}"),
            "detections is an object, must be a list"},
           {"fiftyone", samples(R"({"polylines":"x"})"), "polylines is a text, must be a list"},
           {"via", via(R"("[]")"), "regions is a text, must be a list"},
           {"via", via("null"), "regions is null, must be a list"},
           {"via", R"({"a":{"filename":"a.jpg","region":[]}})",
            "has no `regions`, which VIA writes for each picture"},
           {"labelbox", data_row("[]"), "projects is a list, must be an object"},
           {"labelbox", data_row(R"({"p":{"labels":{}}})"), "labels is an object, must be a list"},
           {"labelbox", data_row(R"({"p":{"labels":[{"annotations":[]}]}})"),
            "annotations is a list, must be an object"},
           {"labelbox", data_row(R"({"p":{"labels":[{"annotations":{"objects":)" + nut + "}}]}}"),
            "objects is an object, must be a list"},
           {"label-studio", task(R"("annotations":{"result":[]})"),
            "annotations is an object, must be a list"},
           {"label-studio", task(R"("annotations":[{"result":{"0":{}}}])"),
            "result is an object, must be a list"},
           {"label-studio", task(R"("completions":[{"result":[]}])"),
            "has `completions`, which Label Studio before 1.0 wrote and which are not read"},
           {"label-studio", short_task(region), "'label' is an object, must be a list"},
           {"label-studio", short_task(R"("[{\"x\":1,\"original_width\":100}]")"),
            "'label' is a text, must be a list"}})
    check_rejected(wrong);
}

TEST_CASE("Label Studio, JSON-MIN: a key that holds regions elsewhere; texts and choices do not") {
  TempDir dir;
  write_pictures(dir, {"a.jpg", "b.jpg"});
  const std::string regions = std::string("[") + kRegion + "]";
  const AnnotationSet set = read_annotations(dir.write(
      "ls.json", R"([{"id":1,"image":"a.jpg","light":"dim","seen":{"choices":["x","y"]},"label":)" +
                     regions + R"(},{"id":2,"image":"b.jpg","label":"nut"}])"));
  check_pictures(set, dir, {{"a.jpg", {{"nut", 10, 8, 30, 24}}}});
  CHECK_CONTAINS(only_reject(set), "task 2: 'label' is a text, must be a list");
}

TEST_CASE("Supervisely: objects that are no list reject their picture") {
  for (const auto& [objects, kind] :
       std::vector<std::pair<std::string, std::string>>{{"{}", "an object"}, {"null", "null"}}) {
    TempDir dir;
    write_pictures(dir, {"s/img/a.jpg"});
    dir.write("s/ann/a.jpg.json", R"({"objects":)" + objects + "}");
    const AnnotationSet set = read_annotations(dir.path(), {.format = "supervisely"});
    CHECK(set.items.empty());
    CHECK_CONTAINS(only_reject(set), "objects is " + kind + ", must be a list; correct it or");
  }
}

}  // namespace letterpress
