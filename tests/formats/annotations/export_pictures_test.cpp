// Exports that say more than one thing of a picture, or hold what cannot be right.
#include "exports.h"

namespace letterpress {

TEST_CASE("VIA: two pictures of one name are told by their sizes and rejected, in JSON and CSV") {
  TempDir dir;
  write_pictures(dir, {"1.jpg", "2.jpg"});
  const std::string box =
      R"({"shape_attributes":{"name":"rect","x":1,"y":2,"width":3,"height":4},"region_attributes":{"class":"nut"}})";
  const auto entry = [&](const std::string& name, const std::string& size) {
    return "\"" + name + size + R"(":{"filename":")" + name + R"(","size":)" + size +
           R"(,"regions":[)" + box + "]}";
  };
  const std::string csv_box =
      ",\"{}\",1,0,\"{\"\"name\"\":\"\"rect\"\",\"\"x\"\":1,\"\"y\"\":2,\"\"width\"\":3,"
      "\"\"height\"\":4}\",\"{\"\"class\"\":\"\"nut\"\"}\"\n";
  for (const auto& input :
       {dir.write("via.json", "{" + entry("1.jpg", "100") + "," + entry("2.jpg", "100") + "," +
                                  entry("1.jpg", "200") + "}"),
        dir.write("via.csv",
                  "filename,file_size,file_attributes,region_count,region_id,"
                  "region_shape_attributes,region_attributes\n1.jpg,100" +
                      csv_box + "2.jpg,100" + csv_box + "1.jpg,200" + csv_box)}) {
    CAPTURE(input);
    const AnnotationSet set = read_annotations(input);
    REQUIRE(set.items.size() == 1);
    CHECK(set.items[0].name == "2.jpg");
    CHECK_CONTAINS(only_reject(set),
                   ": 1.jpg: is the name of two pictures, of 100 and of 200 bytes; give each a "
                   "name of its own, or a folder and a label file");
    CHECK(set.boxes_found == 3);
    CHECK(set.boxes_rejected == 2);
  }
}

TEST_CASE("Label Studio: of several entries of a task in JSON-MIN the first is read, as in JSON") {
  TempDir dir;
  write_pictures(dir, {"a.jpg", "b.jpg"});
  const auto entry = [](const std::string& picture, int task, int annotation, int x) {
    return R"({"image":")" + picture + R"(","id":)" + std::to_string(task) +
           R"(,"annotator":1,"annotation_id":)" + std::to_string(annotation) +
           R"(,"label":[{"original_width":100,"original_height":80,"width":30,"height":50,"y":25,)"
           R"("rectanglelabels":["nut"],"x":)" +
           std::to_string(x) + "}]}";
  };
  const AnnotationSet set = read_annotations(
      dir.write("min.json", "[" + entry("a.jpg", 1, 1, 10) + "," + entry("a.jpg", 1, 2, 20) + "," +
                                entry("b.jpg", 2, 3, 10) + "," + entry("a.jpg", 1, 4, 30) + "]"));
  check_pictures(set, dir,
                 {{"a.jpg", {{"nut", 10, 20, 40, 60}}}, {"b.jpg", {{"nut", 10, 20, 40, 60}}}});
  CHECK(remarks_of(set) == "1 task has several annotations, of which the first is read\n");
}

TEST_CASE("COCO: a list that is there twice is refused") {
  TempDir dir;
  write_pictures(dir, {"a.jpg"});
  const std::string images = R"("images":[{"id":1,"file_name":"a.jpg"}])";
  const std::string annotations =
      R"("annotations":[{"image_id":1,"category_id":1,"bbox":[1,2,3,4]}])";
  const std::string categories = R"("categories":[{"id":1,"name":"nut"}])";
  const std::string all = images + "," + annotations + "," + categories;
  for (const auto& [list, name] :
       {std::pair(images, "images"), std::pair(annotations, "annotations"),
        std::pair(categories, "categories")}) {
    CAPTURE(name);
    const Failure failure = failure_of(dir.write("coco.json", "{" + all + "," + list + "}"));
    CHECK(failure.exit == Exit::data);
    CHECK_CONTAINS(failure.message, std::string("coco.json: holds the list `") + name +
                                        "` twice; keep one, with the entries of both where they "
                                        "belong together");
  }
}

TEST_CASE("numbers beyond any integer are told as they stand") {
  TempDir dir;
  write_pictures(dir, {"a.jpg", "data/a.jpg"});
  const AnnotationSet tasks = read_annotations(dir.write(
      "ls.json",
      R"([{"id":1e+300,"data":{"image":"none.jpg"},"annotations":[{"result":[{"original_width":100,)"
      R"("original_height":80,"image_rotation":1e+300,"value":{"x":1,"y":2,"width":3,"height":4,)"
      R"("rectanglelabels":["nut"]}}]}]}])"));
  CHECK_CONTAINS(only_reject(tasks),
                 "ls.json: task 0: is turned by 1e+300 degrees in Label Studio (image_rotation)");
  for (const std::string place : {"1e+300", "-1e+300", "0.5"}) {
    CAPTURE(place);
    const AnnotationSet fiftyone = read_annotations(
        dir.write("labels.json", R"({"classes":["nut","bolt"],"labels":{"a":[{"label":)" + place +
                                     R"(,"bounding_box":[0,0,1,1]}]}})"));
    CHECK_CONTAINS(only_reject(fiftyone), "labels.json: a: label " + place +
                                              " is no place in classes, which has 2 names, counted "
                                              "from 0");
    const AnnotationSet huggingface = read_annotations(
        dir.write(
            "metadata.jsonl",
            R"({"file_name":"a.jpg","objects":{"bbox":[[1,2,3,4]],"categories":[)" + place + "]}}"),
        {.classes = dir.write("names", "nut\nbolt\n")});
    CHECK_CONTAINS(only_reject(huggingface), place);
  }
}

TEST_CASE("a record far beyond any batch is no picture") {
  TempDir dir;
  dir.write("data_batch_1.bin", std::string(3073, '\0'));
  for (const char* record : {"1", "4000000000000000", "9223372036854775807"}) {
    CAPTURE(record);
    CHECK_THROWS_WITH_AS(find_picture((dir / "data_batch_1.bin" / record).string()),
                         doctest::Contains("there is no such picture"), Error);
  }
  CHECK(find_picture((dir / "data_batch_1.bin/0").string()).offset == 0);
}

TEST_CASE("FiftyOne and Labelbox: pictures that nobody has labelled are told from empty ones") {
  TempDir dir;
  write_pictures(dir, {"a.jpg", "b.jpg", "c.jpg"});
  const AnnotationSet samples = read_annotations(dir.write(
      "samples.json",
      R"({"samples":[{"filepath":"a.jpg","ground_truth":{"_cls":"Detections","detections":[{"label":"nut","bounding_box":[0.1,0.25,0.3,0.5]}]}},)"
      R"({"filepath":"b.jpg","ground_truth":null},)"
      R"({"filepath":"c.jpg","ground_truth":{"_cls":"Detections","detections":[]}}]})"));
  CHECK_CONTAINS(remarks_of(samples), "pictures without a box: not annotated 1, empty 1\n");
  const auto row = [](const std::string& picture, const std::string& labels) {
    return R"({"data_row":{"external_id":")" + picture + R"("},"projects":{"p":{"labels":[)" +
           labels + "]}}}\n";
  };
  const AnnotationSet rows = read_annotations(dir.write(
      "export.ndjson",
      row("a.jpg", "") + row("b.jpg", "") + row("c.jpg", R"({"annotations":{"objects":[]}})")));
  CHECK_CONTAINS(remarks_of(rows), "pictures without a box: not annotated 2, empty 1\n");
}

}  // namespace letterpress
