// Exports in JSON as the documentation of each tool defines them; the readers name the pages.
#include "exports.h"

namespace letterpress {

TEST_CASE("VIA: a project, its CSV and version 1 give the same; shapes are the box around them") {
  TempDir dir;
  write_pictures(dir, {"a.jpg", "b.jpg"});
  const std::string regions =
      R"({"shape_attributes":{"name":"polygon","all_points_x":[1,9,5],"all_points_y":[2,3,8]},"region_attributes":{"class":"nut","note":"x"}},)"
      R"({"shape_attributes":{"name":"circle","cx":50,"cy":40,"r":10},"region_attributes":{"class":{"bolt":true}}})";
  const std::string pictures =
      R"("a.jpg1":{"filename":"a.jpg","regions":[)" + regions +
      R"(]},"b.jpg1":{"filename":"b.jpg","regions":{"0":{"shape_attributes":{"name":"rect","x":1,"y":2,"width":3,"height":4},"region_attributes":{"class":"nut"}}}})";
  const std::string csv =
      "#filename,file_size,file_attributes,region_count,region_id,region_shape_attributes,region_"
      "attributes\n"
      "a.jpg,1,\"{}\",2,0,\"{\"\"name\"\":\"\"polygon\"\",\"\"all_points_x\"\":[1,9,5],\"\"all_"
      "points_y\"\":[2,3,8]}\",\"{\"\"class\"\":\"\"nut\"\"}\"\n"
      "a.jpg,1,\"{}\",2,1,\"{\"\"name\"\":\"\"circle\"\",\"\"cx\"\":50,\"\"cy\"\":40,\"\"r\"\":"
      "10}\",\"{\"\"class\"\":\"\"bolt\"\"}\"\n"
      "b.jpg,1,\"{}\",1,0,\"{\"\"name\"\":\"\"rect\"\",\"\"x\"\":1,\"\"y\"\":2,\"\"width\"\":3,"
      "\"\"height\"\":4}\",\"{\"\"class\"\":\"\"nut\"\"}\"\n";
  for (const auto& input :
       {dir.write("via.json", "{" + pictures + "}"),
        dir.write("project.json", R"({"_via_settings":{},"_via_img_metadata":{)" + pictures + "}}"),
        dir.write("via.csv", csv)}) {
    CAPTURE(input);
    const AnnotationSet set = read_annotations(input);
    CHECK(set.format == "via");
    check_pictures(set, dir,
                   {{"a.jpg", {{"nut", 1, 2, 9, 8}, {"bolt", 40, 30, 60, 50}}},
                    {"b.jpg", {{"nut", 1, 2, 4, 6}}}});
    CHECK_CONTAINS(remarks_of(set), "2 outlines are read as the upright box around it");
    CHECK_CONTAINS(remarks_of(set), "the attribute 'class' is the class");
  }
}

TEST_CASE(
    "VIA: a point is not a box and is counted; regions with several unknown attributes stop") {
  TempDir dir;
  write_pictures(dir, {"a.jpg"});
  const auto with = [&](const std::string& region) {
    return dir.write("via.json", R"({"a":{"filename":"a.jpg","regions":[)" + region + "]}}");
  };
  const AnnotationSet set = read_annotations(with(
      R"({"shape_attributes":{"name":"point","cx":1,"cy":2},"region_attributes":{"class":"nut"}})"));
  CHECK_CONTAINS(only_reject(set),
                 "a.jpg, region 1: is a point without an area; draw a rectangle around it");
  CHECK(set.boxes_found == 1);
  CHECK(set.boxes_rejected == 1);
  CHECK_CONTAINS(
      failure_of(
          with(
              R"({"shape_attributes":{"name":"rect","x":1,"y":2,"width":3,"height":4},"region_attributes":{"p":"1","q":"2"}})"))
          .message,
      "its regions have the attributes p, q, none of them called class or label; rename the one");
}

// Turned by 90 degrees around its top left corner (50, 20), a box of 20 x 10 lies left of it.
TEST_CASE("Label Studio: percents, a turn around the corner, polygons; cancelled ones are none") {
  TempDir dir;
  write_pictures(dir, {"a.jpg"});
  const std::string size = R"("original_width":100,"original_height":80,)";
  const auto path = dir.write(
      "ls.json",
      R"([{"id":7,"data":{"image":"s3://bucket/set/a.jpg"},"annotations":[{"was_cancelled":true,"result":[]},{"result":[{)" +
          size +
          R"("value":{"x":50,"y":25,"width":20,"height":12.5,"rotation":90,"rectanglelabels":["nut"]}},{)" +
          size + R"("value":{"points":[[10,10],[20,10],[20,50]],"polygonlabels":["bolt"]}},{)" +
          size + R"("value":{"rle":[1],"brushlabels":["bolt"]}}]},{"result":[]}]}])");
  const AnnotationSet set = read_annotations(path);
  CHECK(set.format == "label-studio");
  check_pictures(set, dir, {{"a.jpg", {{"nut", 40, 20, 50, 40}, {"bolt", 10, 8, 20, 40}}}});
  CHECK_CONTAINS(only_reject(set),
                 "task 7, result 3: 'bolt' is not a rectangle, ellipse or polygon");
  CHECK_CONTAINS(remarks_of(set), "1 task has several annotations, of which the first is read");
  CHECK_CONTAINS(remarks_of(set), "1 turned box is read as the upright box around it");
}

TEST_CASE("CreateML: centre and size in pixels") {
  TempDir dir;
  write_pictures(dir, {"a.jpg", "b.jpg"});
  const AnnotationSet set = read_annotations(dir.write(
      "_annotations.createml.json",
      R"([{"image":"a.jpg","annotations":[{"label":"nut","coordinates":{"x":20,"y":30,"width":10,"height":20}}]},{"image":"b.jpg","annotations":[]}])"));
  CHECK(set.format == "createml");
  check_pictures(set, dir, {{"a.jpg", {{"nut", 15, 20, 25, 40}}}, {"b.jpg", {}}});
}

TEST_CASE("Labelbox: a data row a line; a bad line costs its picture only") {
  TempDir dir;
  write_pictures(dir, {"a.jpg"});
  const AnnotationSet set = read_annotations(dir.write(
      "export.ndjson",
      R"({"data_row":{"id":"x","external_id":"a.jpg"},"media_attributes":{"width":100,"height":80},"projects":{"p":{"labels":[{"annotations":{"objects":[{"name":"nut","bounding_box":{"top":2,"left":1,"height":4,"width":3}},{"name":"bolt","polygon":[{"x":5,"y":6},{"x":9,"y":6},{"x":7,"y":8}]},{"name":"p","point":{"x":1,"y":1}}]}}]}}})"
      "\nnot json\n"));
  CHECK(set.format == "labelbox");
  check_pictures(set, dir, {{"a.jpg", {{"nut", 1, 2, 4, 6}, {"bolt", 5, 6, 9, 8}}}});
  REQUIRE(set.rejects.size() == 2);
  CHECK_CONTAINS(to_string(set.rejects[0]), "'p' is neither a bounding box nor a polygon");
  CHECK_CONTAINS(to_string(set.rejects[1]), ":2: is not a data row in JSON");
}

TEST_CASE("FiftyOne: labels.json by names without extension, and samples.json by path") {
  TempDir dir;
  write_pictures(dir, {"data/a.jpg", "data/b.png"});
  const AnnotationSet labels = read_annotations(dir.write(
      "labels.json",
      R"({"classes":["nut","bolt"],"labels":{"a":[{"label":1,"bounding_box":[0.1,0.25,0.3,0.5]}],"b":null}})"));
  const AnnotationSet samples = read_annotations(dir.write(
      "samples.json",
      R"({"samples":[{"filepath":"data/a.jpg","metadata":{"width":100,"height":80},"ground_truth":{"_cls":"Detections","detections":[{"label":"bolt","bounding_box":[0.1,0.25,0.3,0.5]}]}},{"filepath":"data/b.png"}]})"));
  for (const AnnotationSet* set : {&labels, &samples}) {
    CHECK(set->format == "fiftyone");
    check_pictures(*set, dir, {{"data/a.jpg", {{"bolt", 10, 20, 40, 60}}}, {"data/b.png", {}}});
  }
  CHECK(labels.classes == std::vector<std::string>{"nut", "bolt"});
}

TEST_CASE("FiftyOne: what a model found, in another field than the labels, is not read as labels") {
  TempDir dir;
  write_pictures(dir, {"data/a.jpg"});
  const auto with_fields = [&](const std::string& first, const std::string& second) {
    return dir.write(
        "samples.json",
        R"({"samples":[{"filepath":"data/a.jpg",")" + first +
            R"(":{"_cls":"Detections","detections":[{"label":"nut","bounding_box":[0.1,0.25,0.3,0.5]}]},")" +
            second +
            R"(":{"_cls":"Detections","detections":[{"label":"nut","bounding_box":[0.1,0.2,0.3,0.5],"confidence":0.9}]}}]})");
  };
  const AnnotationSet set = read_annotations(with_fields("ground_truth", "predictions"));
  check_pictures(set, dir, {{"data/a.jpg", {{"nut", 10, 20, 40, 60}}}});
  CHECK_CONTAINS(remarks_of(set),
                 "detections are read from the field ground_truth, not from 'predictions'");
  CHECK_CONTAINS(failure_of(with_fields("people", "yolo")).message,
                 "samples.json: its samples have detections in the fields 'people', 'yolo', which "
                 "may be labels or what a model found; export one of them (label_field=), or call "
                 "it ground_truth");
}

TEST_CASE(
    "FiftyOne: a field of one Detection is read; a sample whose field is null is unlabelled") {
  TempDir dir;
  write_pictures(dir, {"data/a.jpg", "data/b.jpg", "data/c.jpg", "data/d.jpg"});
  const AnnotationSet set = read_annotations(dir.write(
      "samples.json",
      R"({"samples":[{"filepath":"data/a.jpg","ground_truth":{"_cls":"Detection","label":"nut","bounding_box":[0.1,0.25,0.3,0.5]}},)"
      R"({"filepath":"data/b.jpg","ground_truth":null},{"filepath":"data/c.jpg"},)"
      R"({"filepath":"data/d.jpg","ground_truth":{"_cls":"Detections","detections":[]}}]})"));
  check_pictures(set, dir,
                 {{"data/a.jpg", {{"nut", 10, 20, 40, 60}}},
                  {"data/b.jpg", {}},
                  {"data/c.jpg", {}},
                  {"data/d.jpg", {}}});
  CHECK(set.unlabelled == 2);
}

TEST_CASE("Labelbox: a data row of two projects is rejected, one without a label is unlabelled") {
  TempDir dir;
  write_pictures(dir, {"a.jpg", "b.jpg", "c.jpg"});
  const std::string label =
      R"({"annotations":{"objects":[{"name":"nut","bounding_box":{"top":2,"left":1,"height":4,"width":3}}]}})";
  const auto row = [](const std::string& picture, const std::string& projects) {
    return R"({"data_row":{"external_id":")" + picture + R"("},"projects":{)" + projects + "}}\n";
  };
  const AnnotationSet set = read_annotations(dir.write(
      "export.ndjson",
      row("a.jpg",
          R"("p":{"name":"nuts","labels":[)" + label + R"(]},"q":{"labels":[)" + label + "]}") +
          row("b.jpg", R"("p":{"labels":[]})") +
          row("c.jpg", R"("p":{"labels":[]},"q":{"labels":[{"annotations":{"objects":[]}}]})")));
  CHECK_CONTAINS(only_reject(set),
                 ":1: has labels of several projects, 'nuts', 'q'; export one project");
  CHECK(set.items.size() == 2);
  CHECK(set.unlabelled == 1);
}

TEST_CASE("a coordinate that is not a number rejects its picture in each format") {
  struct Broken {
    std::string file, text, fault;
  };
  for (
      const Broken& broken : std::vector<Broken>{
          {"s/ann/a.jpg.json",
           R"({"objects":[{"classTitle":"nut","geometryType":"polygon","points":{"exterior":[[1,2],[9,2],[5,"x"],[1,9]]}}]})",
           "'nut' has a point that is not two numbers"},
          {"label_2/a.txt", "Car 0 0 0 1 nan 9 9 1 1 1 1 1 1 0\n", "line 1: 'nan' is not finite"},
          {"label_2/a.txt", "Car 0 0 0 1 1e300 9 9 1 1 1 1 1 1 0\n",
           "line 1: '1e300' is beyond 1e7"},
          {"export.ndjson",
           R"({"data_row":{"external_id":"a.jpg"},"projects":{"p":{"labels":[{"annotations":{"objects":[{"name":"nut","bounding_box":{"top":2,"left":"1","height":4,"width":3}}]}}]}}})",
           "the bounding box of 'nut' lacks one of the numbers left, top, width, height"},
          {"export.ndjson",
           R"({"data_row":{"external_id":"a.jpg"},"projects":{"p":{"labels":[{"annotations":{"objects":[{"name":"nut","polygon":[{"x":1,"y":2},{"x":9},{"x":7,"y":8},{"x":1,"y":8}]}]}}]}}})",
           "the polygon of 'nut' has a point without the numbers x, y"}}) {
    CAPTURE(broken.text);
    TempDir dir;
    write_pictures(dir, {"s/img/a.jpg", "image_2/a.jpg", "a.jpg"});
    const auto file = dir.write(broken.file, broken.text);
    const AnnotationSet set = read_annotations(broken.file == "export.ndjson" ? file : dir.path());
    CHECK(set.items.empty());
    CHECK_CONTAINS(only_reject(set), broken.fault);
    CHECK(set.boxes_found == 1);
    CHECK(set.boxes_rejected == 1);
  }
}

TEST_CASE("Supervisely: ann/ beside img/ in each dataset of a project") {
  TempDir dir;
  write_pictures(dir, {"one/img/a.jpg", "two/img/a.jpg"});
  dir.write("meta.json", R"({"classes":[]})");
  dir.write(
      "one/ann/a.jpg.json",
      R"({"size":{"width":100,"height":80},"objects":[{"classTitle":"nut","geometryType":"rectangle","points":{"exterior":[[10,20],[40,60]],"interior":[]}},{"classTitle":"nut","geometryType":"bitmap","bitmap":{"data":"","origin":[1,1]}}]})");
  dir.write(
      "two/ann/a.jpg.json",
      R"({"size":{"width":100,"height":80},"objects":[{"classTitle":"bolt","geometryType":"polygon","points":{"exterior":[[1,2],[9,2],[5,7]],"interior":[]}}]})");
  const AnnotationSet set = read_annotations(dir.path());
  CHECK(set.format == "supervisely");
  check_pictures(
      set, dir,
      {{"one/img/a.jpg", {{"nut", 10, 20, 40, 60}}}, {"two/img/a.jpg", {{"bolt", 1, 2, 9, 7}}}});
  CHECK_CONTAINS(only_reject(set), "object 2: 'nut' is a bitmap, must be a rectangle or a polygon");
}

TEST_CASE("Hugging Face: metadata.jsonl in each split's folder; ids need a list of names") {
  TempDir dir;
  write_pictures(dir, {"set/train/a.jpg", "set/validation/b.jpg"});
  dir.write("set/train/metadata.jsonl", R"({"file_name":"a.jpg","width":100,"height":80,)"
                                        R"("objects":{"bbox":[[10,20,30,40]],"categories":[1]}})");
  dir.write("set/validation/metadata.jsonl",
            R"({"file_name":"b.jpg","objects":{"bbox":[[1,2,3,4]],"categories":[0]}})");
  CHECK_CONTAINS(failure_of(dir / "set").message, "holds class ids without names; give --classes");
  const AnnotationSet set =
      read_annotations(dir / "set", {.classes = dir.write("names", "nut\nbolt\n")});
  CHECK(set.format == "huggingface");
  CHECK(set.classes_by_place);
  check_pictures(set, dir,
                 {{"set/train/a.jpg", {{"bolt", 10, 20, 40, 60}}},
                  {"set/validation/b.jpg", {{"nut", 1, 2, 4, 6}}}});
  CHECK(set.items[0].split == "train");
  CHECK(set.items[0].width == 100);
  CHECK(set.items[0].height == 80);
  CHECK(set.items[1].split == "val");
  CHECK(set.items[1].width == 0);
}

TEST_CASE("COCO: outlines without a box, LVIS without a file name, sizes that are null") {
  TempDir dir;
  write_pictures(dir, {"val2017/7.jpg"});
  const AnnotationSet set = read_annotations(dir.write(
      "lvis.json",
      R"({"images":[{"id":7,"coco_url":"http://images.cocodataset.org/val2017/7.jpg","width":null,"height":80}],)"
      R"("annotations":[{"image_id":7,"category_id":1,"segmentation":[[10,20,40,20,40,60],[5,30,8,30,8,31]]},)"
      R"({"image_id":7,"category_id":1,"bbox":[],"segmentation":[[1,2,3,2,3,4]]},)"
      R"({"image_id":7,"category_id":1,"bbox":null,"segmentation":[[2,3,4,3,4,5]]}],"categories":[{"id":1,"name":"nut"}]})"));
  check_pictures(
      set, dir,
      {{"val2017/7.jpg", {{"nut", 5, 20, 40, 60}, {"nut", 1, 2, 3, 4}, {"nut", 2, 3, 4, 5}}}});
  CHECK_CONTAINS(remarks_of(set), "3 outlines are read as the upright box around it");
  const AnnotationSet masks = read_annotations(dir.write(
      "masks.json",
      R"({"images":[{"id":7,"file_name":"val2017/7.jpg"}],"annotations":[{"image_id":7,"category_id":1,"segmentation":{"size":[2,2],"counts":[4]}},)"
      R"({"image_id":7,"category_id":1,"bbox":[1,2,3,4]}],"categories":[{"id":1,"name":"nut"}]})"));
  CHECK_CONTAINS(only_reject(masks),
                 "annotations[0] (image 7): has no bbox, and its segmentation is a mask; give it "
                 "the bbox of the mask");
  CHECK(masks.rejects.front().scope == Reject::Scope::box);
  check_pictures(masks, dir, {{"val2017/7.jpg", {{"nut", 1, 2, 4, 6}}}});
  CHECK(masks.boxes_found == 2);
  CHECK(masks.boxes_rejected == 1);
}

TEST_CASE("each format's file that is cut in half is refused as a whole") {
  TempDir dir;
  for (const std::string text :
       {R"({"a":{"filename":"a.jpg","regions":[)", R"([{"original_width":1,)",
        R"([{"image":"a.jpg","annotations":[{"coordinates":{)",
        R"({"labels":{"a":[{"bounding_box":[0)"}) {
    CAPTURE(text);
    const Failure failure = failure_of(dir.write("cut.json", text));
    CHECK(failure.exit == Exit::data);
    CHECK_CONTAINS(failure.message, "cut.json: is not whole JSON: ");
    CHECK_CONTAINS(failure.message, "; copy or export the file again");
  }
}

}  // namespace letterpress
