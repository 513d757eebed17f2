#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "letterpress/base/error.h"
#include "letterpress/base/file.h"
#include "letterpress/detections/coco.h"
#include "letterpress/page/png.h"
#include "tests/contains.h"
#include "tests/temp_dir.h"
#include "trainer/predict/earlier_outputs.h"
#include "trainer/predict/output_format.h"

using namespace letterpress;

namespace {

// 100 x 50 pixels: x 10..30, y 5..20 of class 1, and the whole picture of class 0.
PictureFindings findings() {
  return {{"/in/deep/a.png", "deep/a.png"},
          100,
          50,
          {{10, 5, 30, 20, 0.75F, 1}, {0, 0, 100, 50, 0.5F, 0}}};
}

std::filesystem::path written(const TempDir& dir, const std::string& format,
                              bool overwrite = false) {
  const auto writer = find_output_format(format).make({dir.path(), {"bolt", "a<b & c"}, overwrite});
  writer->add(findings());
  writer->add({{"/in/none.png", "none.png"}, 8, 8, {}});
  return writer->finish();
}

}  // namespace

TEST_CASE(
    "yolo: class, centre and size as parts of the picture, a file per picture, and the classes") {
  TempDir dir;
  CHECK(written(dir, "yolo") == dir.path());
  CHECK(read_file(dir / "deep/a.txt") ==
        "1 0.2000000 0.2500000 0.2000000 0.3000000\n0 0.5000000 0.5000000 1.0000000 1.0000000\n");
  CHECK(read_file(dir / "none.txt").empty());
  CHECK(read_file(dir / "classes.txt") == "bolt\na<b & c\n");
}

TEST_CASE(
    "yolo: a sliver thinner than a hundredth of a pixel is not written: it has no area there") {
  TempDir dir;
  const auto writer = find_output_format("yolo").make({dir.path(), {"bolt"}, false});
  writer->add({{"/in/a.png", "a.png"},
               240,
               160,
               {{0, 57.6F, 240, 57.60001F, 0.5F, 0}, {8, 8, 8.5F, 16, 0.5F, 0}}});
  writer->finish();
  CHECK(read_file(dir / "a.txt") == "0 0.0343750 0.0750000 0.0020833 0.0500000\n");
}

TEST_CASE("voc: pixels from 1, both ends included, names escaped") {
  TempDir dir;
  written(dir, "voc");
  const std::string xml = read_file(dir / "deep/a.xml");
  CHECK(xml.find("<filename>a.png</filename>") != std::string::npos);
  CHECK(xml.find("<width>100</width><height>50</height>") != std::string::npos);
  CHECK(xml.find("<name>a&lt;b &amp; c</name>") != std::string::npos);
  CHECK(xml.find("<xmin>11</xmin><ymin>6</ymin><xmax>30</xmax><ymax>20</ymax>") !=
        std::string::npos);
  CHECK(xml.find("<score>0.7500</score>") != std::string::npos);
  CHECK_FALSE(std::filesystem::exists(dir / "classes.txt"));
}

TEST_CASE("voc: what is no text in a picture's name is replaced in its file") {
  TempDir dir;
  const auto writer = find_output_format("voc").make({dir.path(), {"bolt"}, false});
  writer->add({{"/in/a", "b\xff\x01<.png"}, 4, 3, {}});
  writer->finish();
  CHECK(contains(read_file(dir / "b\xff\x01<.xml"),
                 "<filename>b\xEF\xBF\xBD\xEF\xBF\xBD&lt;.png</filename>"));
}

TEST_CASE("voc: whole pixels, rounded, at least two and inside the picture") {
  TempDir dir;
  const auto writer = find_output_format("voc").make({dir.path(), {"bolt"}, false});
  writer->add({{"/in/a.png", "a.png"},
               100,
               50,
               {{9.6F, 4.4F, 30.4F, 19.6F, 0.5F, 0}, {99.7F, 49.8F, 100, 50, 0.5F, 0}}});
  writer->finish();
  const std::string xml = read_file(dir / "a.xml");
  CHECK(contains(xml, "<xmin>11</xmin><ymin>5</ymin><xmax>30</xmax><ymax>20</ymax>"));
  CHECK(contains(xml, "<xmin>99</xmin><ymin>49</ymin><xmax>100</xmax><ymax>50</ymax>"));
  writer->add({{"/in/b.png", "b.png"}, 1, 50, {{0, 4, 1, 20, 0.5F, 0}}});
  writer->finish();
  CHECK_FALSE(contains(read_file(dir / "b.xml"), "<object>"));  // no room for two
}

TEST_CASE("coco: a data set with ids from 1 that other readers take, scores beside the boxes") {
  TempDir dir;
  const std::filesystem::path file = written(dir, "coco");
  CHECK(file == dir / "instances.json");
  const CocoGroundTruth ground_truth = read_coco_ground_truth(file);
  REQUIRE(ground_truth.images.size() == 2);
  CHECK(ground_truth.images[0] == CocoGroundTruth::Image{1, "deep/a.png", 100, 50});
  CHECK(ground_truth.categories[1] == CocoGroundTruth::Category{2, "a<b & c"});
  REQUIRE(ground_truth.annotations.size() == 2);
  CHECK(ground_truth.annotations[0] ==
        CocoGroundTruth::Annotation{
            .image_id = 1, .category_id = 2, .box = {10, 5, 20, 15}, .area = 300});
  CHECK(nlohmann::json::parse(read_file(file)).at("annotations")[0].at("score") == 0.75);
}

TEST_CASE("json: pictures in their order, with names") {
  TempDir dir;
  const auto pictures = nlohmann::json::parse(read_file(written(dir, "json")));
  REQUIRE(pictures.size() == 2);
  CHECK(pictures[0].at("picture") == "/in/deep/a.png");
  CHECK(pictures[0].at("detections")[0] ==
        nlohmann::json{
            {"box", {10.0, 5.0, 30.0, 20.0}}, {"score", 0.75}, {"class", 1}, {"name", "a<b & c"}});
  CHECK(pictures[1].at("detections").empty());
}

TEST_CASE("existing labels are kept unless --overwrite replaces them") {
  TempDir dir;
  dir.write("none.txt", "mine");
  const PictureInput picture{"/in/none.png", "none.png"};
  const auto asked = [&](const std::string& format, bool overwrite) {
    return find_output_format(format).make({dir.path(), {"bolt"}, overwrite})->is_labelled(picture);
  };
  CHECK(asked("yolo", false));
  CHECK_FALSE(asked("yolo", true));
  CHECK_FALSE(asked("voc", false));
  CHECK_FALSE(asked("json", false));
}

TEST_CASE("yolo: the classes are there before the first label, and stay as an editor wrote them") {
  TempDir dir;
  const auto writer = [&](std::vector<std::string> classes) {
    return find_output_format("yolo").make({dir.path(), std::move(classes), false});
  };
  writer({"bolt", "nut"})->add(findings());  // and then it is killed
  CHECK(read_file(dir / "classes.txt") == "bolt\nnut\n");
  for (const char* same : {"bolt\r\nnut\r\n", "bolt\nnut",
                           "\xEF\xBB\xBF"
                           "bolt\nnut\n\n"}) {
    CAPTURE(same);
    dir.write("classes.txt", same);
    const auto again = writer({"bolt", "nut"});
    again->add(findings());
    again->finish();
    CHECK(read_file(dir / "classes.txt") == same);
  }
  for (const char* other : {"nut\nbolt\n", "bolt\n", "bolt\nnut\nscrew\n", ""}) {
    CAPTURE(other);
    dir.write("classes.txt", other);
    CHECK_THROWS_WITH_AS(writer({"bolt", "nut"}),
                         doctest::Contains("classes.txt: lists classes other than the model's"),
                         Error);
  }
}

TEST_CASE("labels that stay want a list of classes beside them") {
  TempDir dir;
  const std::vector<PictureInput> pictures{{"/in/b.png", "b.png"}, {"/in/a.png", "a.png"}};
  const auto check = [&](const char* format) {
    check_earlier_outputs(find_output_format(format), dir.path(), pictures, false);
  };
  dir.write("a.txt", "0 .5 .5 .1 .1\n");
  CHECK_THROWS_WITH_AS(check("yolo"),
                       doctest::Contains(("/a.txt: is there and stays, and no classes.txt in --out "
                                          "says what its ids mean; ")),
                       Error);
  check("voc");
  dir.write("classes.txt", "bolt\n");
  check("yolo");
}

TEST_CASE("two pictures of one name cannot stand in one set") {
  CHECK_NOTHROW(check_picture_names({{"x/a.png", "x/a.png"}, {"y/a.png", "y/a.png"}}));
  CHECK_NOTHROW(check_picture_names({{"x/a.png", "a.png"}, {"x/a.jpg", "a.jpg"}}));
  CHECK_THROWS_WITH_AS(check_picture_names({{"x/a.png", "a.png"}, {"y/a.png", "a.png"}}),
                       "--input: x/a.png and y/a.png would both be 'a.png'; name the folder above "
                       "both, or give each an --out of its own",
                       Error);
  CHECK_NOTHROW(check_named_once({{"x/a.png", "a.png"}, {"y/a.png", "a.png"}}));
  CHECK_THROWS_WITH_AS(check_named_once({{"x/a.png", "a.png"}, {"x/a.png", "a.png"}}),
                       "--input: x/a.png is named twice; name it once", Error);
  // In other words.
  TempDir dir;
  std::filesystem::create_directories(dir / "x/y");
  const std::filesystem::path file = dir / "x/a.png", other = dir / "x/y/../a.png";
  CHECK_THROWS_WITH_AS(check_named_once({{file, "a.png"}, {other, "a.png"}}),
                       doctest::Contains("a.png is named twice"), Error);
  CHECK_NOTHROW(check_named_once({{file, "a.png"}, {dir / "x/y/a.png", "a.png"}}));
  // Both would be U+FFFD.
  CHECK_THROWS_WITH_AS(check_picture_names({{"x/\xFF.png", "\xFF.png"}}),
                       doctest::Contains(" is not UTF-8, and this format knows pictures by their "
                                         "names alone; rename it, or take --format json"),
                       Error);
}

TEST_CASE(
    "two pictures of one name cannot have labels side by side; an unknown format lists the known") {
  const OutputFormatEntry &yolo = find_output_format("yolo"), &voc = find_output_format("voc");
  CHECK_NOTHROW(check_label_names({{"x/a.png", "x/a.png"}, {"y/a.png", "y/a.png"}}, yolo));
  CHECK_NOTHROW(check_label_names({{"x/classes.png", "x/classes.png"}}, yolo));
  CHECK_NOTHROW(check_label_names({{"classes.png", "classes.png"}}, voc));
  CHECK_THROWS_WITH_AS(check_label_names({{"x/classes.png", "classes.png"}}, yolo),
                       "--input: the labels of x/classes.png would be classes.txt, which lists the "
                       "classes; rename it, or take another --format",
                       Error);
  CHECK_THROWS_WITH_AS(
      check_label_names({{"x/a.png", "a.png"}, {"y/a.jpg", "a.jpg"}}, yolo),
      "--input: x/a.png and y/a.jpg would have labels of one name, 'a'; rename one "
      "of them, or give each an --out of its own",
      Error);
  CHECK_THROWS_WITH_AS(find_output_format("yoli"),
                       "unknown format 'yoli'; did you mean 'yolo'? known: yolo, coco, voc, json",
                       Error);
}

TEST_CASE("what predict wrote is replaced, what it did not write is refused") {
  TempDir dir;
  const std::vector<PictureInput> pictures{{"/in/deep/a.png", "deep/a.png"}};
  const auto check = [&](const char* format, bool draws = true) {
    check_earlier_outputs(find_output_format(format), dir.path(), pictures, draws);
  };
  const auto refused = [&](const char* format, const std::string& name) {
    const std::string message = (dir / name).string() + ": is there and of no earlier predict";
    CHECK_THROWS_WITH_AS(check(format), doctest::Contains(message.c_str()), Error);
  };
  check("json");
  dir.write("deep/a.png", "a mask");
  refused("json", "deep/a.png");
  check("json", /*draws=*/false);
  check("coco");  // draws elsewhere
  dir.write("drawn/deep/a.png", "a mask");
  refused("coco", "drawn/deep/a.png");
  // An earlier predict, but of other pictures.
  dir.write("detections.json", "[]");
  refused("json", "deep/a.png");
  dir.write("detections.json",
            R"([{"picture":"/in/dee/a.png","width":1,"height":1,"detections":[]}])");
  refused("json", "deep/a.png");
  for (const char* format : {"json", "coco"}) {
    written(dir, format);
    check(format);
  }
  // A run that was stopped early names fewer pictures than an earlier one drew.
  dir.write("detections.json", "[]");
  const std::vector<std::uint8_t> pixels(12);
  for (const std::string software : {"letterpress-predict", "GIMP", ""}) {
    CAPTURE(software);
    const auto png = encode_png(pixels, 2, 2, PngEffort::fast, software);
    dir.write("deep/a.png", std::string(reinterpret_cast<const char*>(png.data()), png.size()));
    if (software == "letterpress-predict") {
      check("json");
    } else {
      refused("json", "deep/a.png");
    }
  }
  dir.write("detections.json", R"({"mine": true})");
  refused("json", "detections.json");
  dir.write("instances.json", R"({"images": [], "categories": [], "annotations": [{"id": 1}]})");
  refused("coco", "instances.json");
}
