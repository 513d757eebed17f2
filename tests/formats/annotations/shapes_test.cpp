// What tools draw that is not an upright rectangle, and rectangles that are none.
#include "exports.h"

namespace letterpress {
namespace {

// A turn by 45 degrees: half the width is sqrt((20 * 20 + 10 * 10) / 2), and half the height too.
constexpr float kHalf = 15.8114F;

AnnotationSet read_text(const TempDir& dir, const std::string& file, const std::string& text,
                        const AnnotationOptions& options = {}) {
  write_pictures(dir, {"a.jpg"});
  return read_annotations(dir.write(file, text), options);
}

}  // namespace

TEST_CASE("the box around a turned ellipse touches it, in each format that has ellipses") {
  struct Case {
    std::string file, text;
  };
  const std::vector<Case> cases{
      {"cvat.xml",
       "<annotations><image id=\"0\" name=\"a.jpg\" width=\"100\" height=\"80\"><ellipse "
       "label=\"nut\" cx=\"50\" cy=\"40\" rx=\"20\" ry=\"10\" rotation=\"45\"/></image>"
       "</annotations>"},
      {"ls.json",
       R"([{"data":{"image":"a.jpg"},"annotations":[{"result":[{"original_width":100,"original_height":80,)"
       R"("value":{"x":50,"y":50,"radiusX":20,"radiusY":12.5,"rotation":45,"ellipselabels":["nut"]}}]}]}])"},
      {"via.json",
       R"({"a.jpg1":{"filename":"a.jpg","regions":[{"shape_attributes":{"name":"ellipse","cx":50,"cy":40,)"
       R"("rx":20,"ry":10,"theta":0.7853982},"region_attributes":{"class":"nut"}}]}})"}};
  for (const Case& one : cases) {
    CAPTURE(one.file);
    TempDir dir;
    const AnnotationSet set = read_text(dir, one.file, one.text);
    check_pictures(set, dir,
                   {{"a.jpg", {{"nut", 50 - kHalf, 40 - kHalf, 50 + kHalf, 40 + kHalf}}}});
    CHECK_CONTAINS(remarks_of(set), "1 outline is read as the upright box around it");
  }
}

TEST_CASE("a rectangle with a negative side is rejected with its picture's other boxes kept") {
  struct Case {
    std::string file, text;
  };
  const std::vector<Case> cases{
      {"createml.json",
       R"([{"image":"a.jpg","annotations":[{"label":"nut","coordinates":{"x":20,"y":30,"width":-10,"height":20}},)"
       R"({"label":"nut","coordinates":{"x":20,"y":30,"width":10,"height":20}}]}])"},
      {"metadata.jsonl",
       R"({"file_name":"a.jpg","objects":{"bbox":[[25,20,-10,20],[15,20,10,20]],"categories":["nut","nut"]}})"},
      {"labels.json",
       R"({"classes":["nut"],"labels":{"a":[{"label":0,"bounding_box":[0.25,0.25,-0.1,0.25]},)"
       R"({"label":0,"bounding_box":[0.15,0.25,0.1,0.25]}]}})"},
      {"export.ndjson",
       R"({"data_row":{"external_id":"a.jpg"},"projects":{"p":{"labels":[{"annotations":{"objects":[)"
       R"({"name":"nut","bounding_box":{"top":20,"left":25,"height":20,"width":-10}},)"
       R"({"name":"nut","bounding_box":{"top":20,"left":15,"height":20,"width":10}}]}}]}}})"},
      {"via.json",
       R"({"a.jpg1":{"filename":"a.jpg","regions":[{"shape_attributes":{"name":"rect","x":25,"y":20,)"
       R"("width":-10,"height":20},"region_attributes":{"class":"nut"}},{"shape_attributes":{"name":"rect",)"
       R"("x":15,"y":20,"width":10,"height":20},"region_attributes":{"class":"nut"}}]}})"},
      {"ls.json",
       R"([{"data":{"image":"a.jpg"},"annotations":[{"result":[{"original_width":100,"original_height":80,)"
       R"("value":{"x":25,"y":25,"width":-10,"height":25,"rotation":5,"rectanglelabels":["nut"]}},)"
       R"({"original_width":100,"original_height":80,)"
       R"("value":{"x":15,"y":25,"width":10,"height":25,"rectanglelabels":["nut"]}}]}]}])"}};
  for (const Case& one : cases) {
    CAPTURE(one.file);
    TempDir dir;
    const AnnotationSet set = read_text(dir, one.file, one.text);
    REQUIRE(set.items.size() == 1);
    const CheckedBoxes checked = check_boxes(set.items[0], 100, 80);
    REQUIRE(checked.boxes.size() == 1);
    CHECK(checked.boxes[0].x1 == doctest::Approx(15));
    CHECK(checked.boxes[0].x2 == doctest::Approx(25));
    REQUIRE(checked.rejects.size() == 1);
    CHECK_CONTAINS(to_string(checked.rejects[0]), ", object 1: box ");
    CHECK_CONTAINS(to_string(checked.rejects[0]),
                   " is inverted (x1 must be < x2, y1 < y2); swap its corners or remove it");
  }
}

TEST_CASE("Labelbox: what is neither a box nor a polygon is said, and the other objects stay") {
  TempDir dir;
  const AnnotationSet set = read_text(
      dir, "export.ndjson",
      R"({"data_row":{"external_id":"a.jpg"},"projects":{"p":{"labels":[{"annotations":{"objects":[)"
      R"({"name":"nut","line":[{"x":5,"y":6},{"x":9,"y":7}]},)"
      R"({"name":"nut","polygon":[{"x":5,"y":6},{"x":7,"y":8}]},)"
      R"({"name":"nut","bounding_box":{"top":2,"left":1,"height":4,"width":3}}]}}]}}})");
  check_pictures(set, dir, {{"a.jpg", {{"nut", 1, 2, 4, 6}}}});
  REQUIRE(set.rejects.size() == 2);
  CHECK_CONTAINS(to_string(set.rejects[0]), "object 1: 'nut' is neither a bounding box nor a");
  CHECK_CONTAINS(to_string(set.rejects[1]), "object 2: 'nut' is neither a bounding box nor a");
}

TEST_CASE("FiftyOne: a closed polyline is a polygon, an open one is rejected as a line") {
  TempDir dir;
  const AnnotationSet set = read_text(
      dir, "samples.json",
      R"({"samples":[{"filepath":"a.jpg","metadata":{"width":100,"height":80},"shapes":{)"
      R"("_cls":"Polylines","polylines":[)"
      R"({"label":"nut","points":[[[0.1,0.25],[0.4,0.25]],[[0.16,0.75]]],"closed":true},)"
      R"({"label":"nut","points":[[[0.1,0.25],[0.4,0.25],[0.16,0.75]]],"closed":false}]}}]})");
  check_pictures(set, dir, {{"a.jpg", {{"nut", 10, 20, 40, 60}}}});
  CHECK(remarks_of(set) ==
        "polylines are read from the field 'shapes'\n"
        "1 outline is read as the upright box around it\n");
  CHECK_CONTAINS(only_reject(set),
                 ", object 2: 'nut' is a polyline that is not a polygon; close it, or draw a box");
}

TEST_CASE("FiftyOne: polylines beside detections, lanes and areas, are passed over and counted") {
  TempDir dir;
  const AnnotationSet set = read_text(
      dir, "samples.json",
      R"({"samples":[{"filepath":"a.jpg","metadata":{"width":100,"height":80},"lanes":{)"
      R"("_cls":"Polylines","polylines":[)"
      R"({"label":"lane","points":[[[0.1,0.25],[0.4,0.25]]],"closed":false},)"
      R"({"label":"area","points":[[[0.1,0.25],[0.4,0.25],[0.16,0.75]]],"closed":true}]},)"
      R"("objects":{"_cls":"Detections","detections":[)"
      R"({"label":"nut","bounding_box":[0.1,0.25,0.3,0.5]}]}}]})");
  check_pictures(set, dir, {{"a.jpg", {{"nut", 10, 20, 40, 60}}}});
  CHECK(remarks_of(set) ==
        "detections are read from the field 'objects'\n"
        "2 polylines beside detections are passed over\n");
  CHECK(set.rejects.empty());
}

TEST_CASE("CVAT: a mask is read as the box that it states, and counted") {
  TempDir dir;
  const AnnotationSet set = read_text(
      dir, "cvat.xml",
      "<annotations><image id=\"0\" name=\"a.jpg\" width=\"100\" height=\"80\"><mask label=\"nut\" "
      "rle=\"3, 4\" left=\"10\" top=\"20\" width=\"30\" height=\"40\"/><mask label=\"nut\" "
      "rle=\"3, 4\"/></image></annotations>");
  check_pictures(set, dir, {{"a.jpg", {{"nut", 10, 20, 40, 60}}}});
  CHECK_CONTAINS(remarks_of(set), "1 outline is read as the upright box around it");
  CHECK_CONTAINS(only_reject(set), "object 2: 'nut' is a mask without an area");
}

TEST_CASE("Label Studio: skipped and unannotated tasks are unlabelled, an empty one is labelled") {
  TempDir dir;
  write_pictures(dir, {"b.jpg", "c.jpg", "d.jpg"});
  const std::string box =
      R"({"original_width":100,"original_height":80,"value":{"x":10,"y":25,"width":30,"height":50,"rectanglelabels":["nut"]}})";
  const AnnotationSet set =
      read_text(dir, "ls.json",
                R"([{"data":{"image":"a.jpg"},"annotations":[{"was_cancelled":true,"result":[)" +
                    box + R"(]}]},{"data":{"image":"b.jpg"},"annotations":[]},)" +
                    R"({"data":{"image":"c.jpg"},"annotations":[{"result":[]}]},)" +
                    R"({"data":{"image":"d.jpg"},"annotations":[{"result":[)" + box + "]}]}]");
  CHECK(set.items.size() == 4);
  CHECK(set.boxes_found == 1);
  CHECK(set.unlabelled == 2);
  CHECK_CONTAINS(remarks_of(set), "tasks without a box: not annotated 2 (skipped 1), empty 1");
  const AnnotationSet short_set = read_text(
      dir, "min.json",
      R"([{"image":"a.jpg","id":1},{"image":"b.jpg","id":2,"annotation_id":5},)"
      R"({"image":"c.jpg","id":3,"label":[{"original_width":100,"original_height":80,"x":10,"y":25,)"
      R"("width":30,"height":50,"rectanglelabels":["nut"]}]}])");
  CHECK(short_set.unlabelled == 1);
  CHECK_CONTAINS(remarks_of(short_set), "not annotated 1 (skipped 0), empty 1");
}

TEST_CASE("Label Studio: a box with two labels takes the first, and says so") {
  TempDir dir;
  const AnnotationSet set = read_text(
      dir, "ls.json",
      R"([{"data":{"image":"a.jpg"},"annotations":[{"result":[{"original_width":100,"original_height":80,)"
      R"("value":{"x":10,"y":25,"width":30,"height":50,"rectanglelabels":["nut","rusty"]}}]}]}])");
  check_pictures(set, dir, {{"a.jpg", {{"nut", 10, 20, 40, 60}}}});
  CHECK_CONTAINS(remarks_of(set),
                 "1 box has several labels, of which the first is its class: 'nut' before 'rusty'");
}

TEST_CASE("VIA: a CSV without one of the columns is refused by its name") {
  TempDir dir;
  write_pictures(dir, {"a.jpg"});
  CHECK_CONTAINS(failure_of(dir.write("via.csv",
                                      "filename,region_count,region_shape_attributes\n"
                                      "a.jpg,1,\"{}\"\n"))
                     .message,
                 "via.csv: its header lacks region_attributes; export the CSV again");
}

TEST_CASE("names without an extension: the picture is called by that of the file") {
  struct Case {
    std::string file, text, picture;
  };
  const std::vector<Case> cases{
      {"set/label_2/p0.txt", "Car 0 0 0 10 20 40 60 1.6 1.8 3.6 -16 2.3 58 1.5\n",
       "set/image_2/p0.png"},
      {"set/labels.json",
       R"({"classes":["a"],"labels":{"p0":[{"label":0,"bounding_box":[0,0,1,1]}]}})",
       "set/data/p0.webp"},
      {"set/boxes.csv",
       "ImageID,Source,LabelName,Confidence,XMin,XMax,YMin,YMax\np0,xclick,/m/"
       "01,1,0.1,0.4,0.25,0.75\n",
       "set/p0.png"}};
  for (const Case& one : cases) {
    CAPTURE(one.file);
    TempDir dir;
    write_pictures(dir, {one.picture});
    const std::filesystem::path labels = dir.write(one.file, one.text);
    const bool folder = one.file.ends_with(".txt");
    const AnnotationSet set = read_annotations(folder ? dir / "set" : labels);
    REQUIRE(set.items.size() == 1);
    CHECK(set.items[0].path == std::filesystem::canonical(dir / one.picture).string());
    CHECK(set.items[0].name == std::filesystem::path(one.picture).filename().string());
    CHECK(remarks_of(set).find("p0.jpg") == std::string::npos);
  }
}

}  // namespace letterpress
