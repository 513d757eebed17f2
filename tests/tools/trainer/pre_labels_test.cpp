// From predict's labels back into a store.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "letterpress/base/file.h"
#include "tests/tools/trainer/predicted_pictures.h"

using namespace letterpress;

namespace {

nlohmann::json build_of(const TrainerBench& bench, const std::string& store,
                        std::vector<std::string> more) {
  std::vector<std::string> words{program_path("letterpress-preprocess"),
                                 "build",
                                 "--store",
                                 bench.path(store),
                                 "--size",
                                 "64",
                                 "--views",
                                 "0",
                                 "--recipe",
                                 "none",
                                 "--json"};
  words.insert(words.end(), more.begin(), more.end());
  const ProgramResult built = run(words);
  REQUIRE_MESSAGE(built.exit_code == 0, built.err);
  return nlohmann::json::parse(built.last_line()).at("accounting");
}

/// What predict says of pictures that it labels with any score.
nlohmann::json labelled(const TrainerBench& bench, std::vector<std::string> words,
                        const std::vector<std::string>& more) {
  words.insert(words.end(), {"--checkpoint", bench.path("run"), "--conf", "0.001,blue=0.002",
                             "--device", "cpu", "--batch", "2", "--json"});
  words.insert(words.end(), more.begin(), more.end());
  const ProgramResult result = predict(words);
  REQUIRE_MESSAGE(result.exit_code == 0, result.err);
  CHECK(contains(result.out, " pictures/s, data wait "));
  return nlohmann::json::parse(result.last_line());
}

}  // namespace

TEST_CASE("pre-labels: what predict writes as YOLO, VOC and COCO, build reads back box by box") {
  const TrainerBench bench;
  REQUIRE(trainer(bench.fit_words("run")).exit_code == 0);
  for (const char* name : {"data/images/a.png", "data/images/b c.png", "voc/JPEGImages/a.png",
                           "voc/JPEGImages/b c.png"})
    bench.folder.write(name, drawn_png(std::string(name).ends_with("a.png") ? 100 : 64, 80));
  const auto label = [&](const std::string& format, const std::string& in, const std::string& out,
                         std::vector<std::string> more = {}) {
    return labelled(bench,
                    {"--input", bench.path(in), "--out", bench.path(out), "--format", format},
                    std::move(more));
  };
  const auto found =
      label("json", "data/images", "found", {"--no-draw"}).at("detections").get<int>();
  REQUIRE(found > 0);
  CHECK(label("yolo", "data/images", "data/labels").at("detections") == found);
  CHECK(read_file(bench.folder / "data/labels/classes.txt") == "red\ngreen\nblue\n");
  const auto yolo = build_of(
      bench, "s1",
      {"--input", bench.path("data/images"), "--classes", bench.path("data/labels/classes.txt")});
  CHECK(yolo.at("pictures_stored") == 2);
  CHECK(yolo.at("boxes_found") == found);

  CHECK(label("coco", "data/images", "coco", {"--no-draw"}).at("detections") == found);
  const auto coco =
      build_of(bench, "s2",
               {"--input", bench.path("coco/instances.json"), "--root", bench.path("data/images")});
  CHECK(coco.at("boxes_found") == found);
  CHECK(coco.at("boxes_stored") > 0);
  CHECK(yolo.at("boxes_stored") > 0);

  const auto in_voc = label("voc", "voc/JPEGImages", "voc/Annotations").at("detections").get<int>();
  const auto voc = build_of(bench, "s3", {"--input", bench.path("voc/Annotations")});
  CHECK(voc.at("pictures_stored") == 2);
  CHECK(voc.at("boxes_found") == in_voc);

  // Labels that are there already are somebody's work.
  bench.folder.write("data/labels/a.txt", "0 0.5 0.5 0.1 0.1\n");
  const auto again = label("yolo", "data/images", "data/labels");
  CHECK(again.at("labelled") == 2);
  CHECK(again.at("detections") == 0);
  CHECK(read_file(bench.folder / "data/labels/a.txt") == "0 0.5 0.5 0.1 0.1\n");
  CHECK(label("yolo", "data/images", "data/labels", {"--overwrite"}).at("detections") == found);
  CHECK(read_file(bench.folder / "data/labels/a.txt") != "0 0.5 0.5 0.1 0.1\n");

  // Labels that stay would mean other classes.
  bench.folder.write("data/labels/classes.txt", "green\nred\nblue\n");
  const ProgramResult other =
      predict({"--checkpoint", bench.path("run"), "--input", bench.path("data/images"), "--out",
               bench.path("data/labels"), "--format", "yolo", "--device", "cpu", "--no-draw"});
  CHECK(other.exit_code == 78);
  CHECK(contains(other.err, "data/labels/classes.txt: lists classes other than the model's"));
  CHECK(read_file(bench.folder / "data/labels/classes.txt") == "green\nred\nblue\n");
}
