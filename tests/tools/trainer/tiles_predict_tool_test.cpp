#include <doctest/doctest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <tuple>

#include "letterpress/base/file.h"
#include "tests/contains.h"
#include "tests/tools/trainer/trained_on_tiles.h"
#include "trainer/report/shown_picture.h"

namespace letterpress {
namespace {

using Json = nlohmann::json;
// Score, class and corners, in an order that does not depend on who found them.
using FoundBox = std::tuple<double, int, std::array<double, 4>>;
using FoundBoxes = std::map<std::string, std::vector<FoundBox>>;  // by name of the picture

FoundBoxes boxes_of_eval(const std::string& results, const Json& ground_truth) {
  std::map<std::int64_t, std::string> names;
  for (const Json& image : ground_truth.at("images")) names[image.at("id")] = image.at("file_name");
  FoundBoxes boxes;
  for (const Json& one : Json::parse(read_file(results))) {
    const auto [x, y, width, height] = one.at("bbox").get<std::array<double, 4>>();
    boxes[names.at(one.at("image_id"))].emplace_back(
        one.at("score"), one.at("category_id").get<int>() - 1,
        std::array<double, 4>{x, y, x + width, y + height});
  }
  for (auto& [name, of_picture] : boxes) std::ranges::sort(of_picture);
  return boxes;
}

FoundBoxes boxes_of_predict(const std::filesystem::path& file) {
  FoundBoxes boxes;
  for (const Json& picture : Json::parse(read_file(file))) {
    const std::filesystem::path name = picture.at("picture").get<std::string>();
    for (const Json& one : picture.at("detections"))
      boxes[name.filename()].emplace_back(one.at("score"), one.at("class"), one.at("box"));
  }
  for (auto& [name, of_picture] : boxes) std::ranges::sort(of_picture);
  return boxes;
}

void check_near(const FoundBoxes& a, const FoundBoxes& b) {
  REQUIRE(a.size() == b.size());
  for (const auto& [name, expected] : a) {
    CAPTURE(name);
    const std::vector<FoundBox>& found = b.at(name);
    REQUIRE(found.size() == expected.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
      CAPTURE(i);
      CHECK(std::get<0>(found[i]) == doctest::Approx(std::get<0>(expected[i])).epsilon(1e-4));
      CHECK(std::get<1>(found[i]) == std::get<1>(expected[i]));
      for (std::size_t corner = 0; corner < 4; ++corner)
        CHECK(std::abs(std::get<2>(found[i])[corner] - std::get<2>(expected[i])[corner]) < 0.01);
    }
  }
}

}  // namespace

TEST_CASE("eval of tiles measures source pictures, and predict finds the same in their files") {
  const TrainedOnTiles trained;
  trained.build("tiles", {"--tile", "64", "--overlap", "25%"});
  trained.fit("tiles", "run");
  const ProgramResult measured =
      trained.eval("tiles", "run",
                   {"--conf", "0.001", "--coco-out", trained.path("found.json"), "--coco-truth-out",
                    trained.path("truth.json")});
  REQUIRE_MESSAGE(measured.exit_code == 0, measured.err);
  const Json ground_truth = Json::parse(read_file(trained.path("truth.json")));
  REQUIRE(ground_truth.at("images").size() == 2);
  for (const Json& image : ground_truth.at("images")) {
    CHECK(image.at("width") == TiledSet::kWidth);
    CHECK(image.at("height") == TiledSet::kHeight);
  }
  // p3 has 10,10,40,33 and 50,5,70,50, which tiles at 0 and 43 cut; p4 has 10,10,40,34.
  std::vector<std::array<double, 4>> labelled;
  for (const Json& one : ground_truth.at("annotations")) labelled.push_back(one.at("bbox"));
  std::ranges::sort(labelled);
  CHECK(labelled ==
        std::vector<std::array<double, 4>>{{10, 10, 30, 23}, {10, 10, 30, 24}, {50, 5, 20, 45}});

  const ProgramResult predicted = trained.predict("run");
  REQUIRE_MESSAGE(predicted.exit_code == 0, predicted.err);
  CHECK_CONTAINS(predicted.out, " detections in 2 pictures of 12 tiles, 0 pictures rejected");
  const Json summary = Json::parse(predicted.last_line());
  CHECK(summary.at("tiles") == 12);
  const FoundBoxes expected = boxes_of_eval(trained.path("found.json"), ground_truth);
  CHECK(summary.at("detections") == Json::parse(measured.last_line()).at("detections"));
  REQUIRE(expected.at("p3.png").size() > 10);
  check_near(expected, boxes_of_predict(trained.set.folder / "out/detections.json"));
  // One tile at a time, without drawings, by either engine.
  for (const std::string engine : {"torch", "auto"}) {
    CAPTURE(engine);
    REQUIRE(trained.predict("run", {"--batch", "1", "--no-draw", "--engine", engine}).exit_code ==
            0);
    check_near(expected, boxes_of_predict(trained.set.folder / "out/detections.json"));
  }

  // A higher confidence leaves out what is weaker, and changes nothing else: what is merged is the
  // same. So a threshold of eval's is one of predict's.
  std::vector<double> scores;
  for (const auto& [name, of_picture] : expected)
    for (const FoundBox& one : of_picture) scores.push_back(std::get<0>(one));
  std::ranges::sort(scores);
  const std::size_t middle = scores.size() / 2;
  const double confidence = (scores[middle] + scores[middle - 1]) / 2;
  FoundBoxes stronger = expected;
  for (auto& [name, of_picture] : stronger)
    std::erase_if(of_picture, [&](const FoundBox& one) { return std::get<0>(one) <= confidence; });
  const ProgramResult fewer =
      tool("letterpress-predict",
           {"--checkpoint", trained.path("run"), "--input", trained.path("p3.png"),
            trained.path("p4.png"), "--out", trained.path("fewer"), "--conf",
            std::to_string(confidence), "--device", "cpu", "--no-draw"});
  REQUIRE_MESSAGE(fewer.exit_code == 0, fewer.err);
  check_near(stronger, boxes_of_predict(trained.set.folder / "fewer/detections.json"));
}

TEST_CASE("labels that are in no tile: eval tells how many, and their pictures have a defect") {
  TrainedOnTiles trained;
  // Half a pixel wide: too little for any frame.
  trained.set.list("val.txt", "p3.png 30,40,70,50,0\np4.png 10,10,10.5,12,0\n");
  trained.build("tiles", {"--tile", "64", "--overlap", "25%"});
  trained.set.folder.write("nothing.json", "[]");
  const std::string truth = trained.path("truth.json");
  const ProgramResult eval = tool(
      "letterpress-trainer", {"eval", "--store", trained.path("tiles"), "--detections",
                              trained.path("nothing.json"), "--coco-truth-out", truth, "--json"});
  REQUIRE_MESSAGE(eval.exit_code == 0, eval.err);
  CHECK_CONTAINS(eval.err, "1 of 2 labels are in no tile of the store: no network of tiles finds ");
  const Json said = Json::parse(eval.last_line());
  CHECK(said.at("labels_in_no_tile") == 1);
  CHECK(said.at("points").front().at("pictures") ==
        Json{{"found", 0}, {"missed", 2}, {"falsely_flagged", 0}, {"clean", 0}});
  CHECK(Json::parse(read_file(truth)).at("annotations").size() == 1);
}

TEST_CASE("eval of train tells of the tiles that were left out, of val it does not") {
  const TrainedOnTiles trained;
  trained.build("tiles", {"--tile", "64", "--overlap", "25%", "--background-tiles", "50%"});
  trained.fit("tiles", "run");
  const auto said_of = [&](const std::string& split) {
    const ProgramResult eval =
        tool("letterpress-trainer", {"eval", "--store", trained.path("tiles"), "--checkpoint",
                                     trained.path("run"), "--split", split, "--device", "cpu"});
    REQUIRE_MESSAGE(eval.exit_code == 0, eval.err);
    return eval.err;
  };
  const std::string said = "tiles of split 'train' without a box the store holds a share of 0.5 ";
  CHECK_CONTAINS(said_of("train"), said);
  CHECK(said_of("val").find(said) == std::string::npos);
}

TEST_CASE("report shows source pictures, put together of their tiles") {
  const TrainedOnTiles trained;
  trained.build("tiles", {"--tile", "64", "--overlap", "25%"});
  trained.fit("tiles", "run");
  const ProgramResult reported =
      tool("letterpress-trainer", {"report", "--run", trained.path("run"), "--device", "cpu"});
  REQUIRE_MESSAGE(reported.exit_code == 0, reported.err);
  const std::string page = read_file(trained.path("run/report.html"));
  std::size_t figures = 0, labels = 0;
  for (std::size_t at = 0; (at = page.find("<figure", at)) != std::string::npos; ++at) ++figures;
  for (std::size_t at = 0; (at = page.find("class=\"box\"", at)) != std::string::npos; ++at)
    ++labels;
  CHECK(figures == 4);  // the worst two and the best two of two
  CHECK(labels == 6);   // twice the three of both pictures, not as cut by 12 tiles
  CHECK_CONTAINS(page, ", 6 tiles, ");
}

TEST_CASE("the tiles of a picture together are its pixels, or their means where it is larger") {
  const auto shown = [](const TiledSet& set, double scale = 1) {
    BuildOptions options = set.options();
    options.tiles.scale = scale;
    build_quietly(options);
    const Store store = Store::open(set.folder / "store");
    const SnapshotReader reader(store, store.latest().value());
    return shown_picture(reader, reader.pictures("train"));
  };
  TiledSet set;
  set.pictures(1);
  const ShownPicture small = shown(set);
  CHECK(small.side == 150);
  CHECK(small.source_to_shown == Affine{});
  std::vector<std::uint8_t> wanted = drawn_pixels(0, 150, 100);
  wanted.resize(std::size_t{150} * 150 * 3, 114);  // grey below it
  CHECK(small.rgb == wanted);

  TiledSet large_set;
  large_set.folder.write("p0.png", drawn_png(0, 1280, 64));
  large_set.list("train.txt", TiledSet::line(0));
  const ShownPicture large = shown(large_set);
  CHECK(large.side == 640);
  CHECK(large.source_to_shown == Affine{{0.5, 0, 0, 0, 0.5, 0}});
  const std::vector<std::uint8_t> source = drawn_pixels(0, 1280, 64);
  std::size_t means = 0;  // where tiles meet a pixel may count twice
  for (std::size_t i = 0; i < std::size_t{640} * 32; ++i) {
    const std::size_t from = (i / 640 * 2 * 1280 + i % 640 * 2) * 3;
    const int sum =
        source[from] + source[from + 3] + source[from + 1280 * 3] + source[from + 1280 * 3 + 3];
    means += std::abs(4 * large.rgb[3 * i] - sum) <= 2;
  }
  CHECK(means > 640 * 32 * 9 / 10);

  // Tiles of a smaller scale lie at fractions of its pixels, and leave no hole.
  TiledSet shrunk_set;
  shrunk_set.folder.write("p0.png", drawn_png(0, 1000, 1000));
  shrunk_set.list("train.txt", TiledSet::line(0));
  const ShownPicture shrunk = shown(shrunk_set, 0.3);
  CHECK(shrunk.side == 297);
  std::size_t holes = 0;
  for (std::size_t i = 0; i < shrunk.rgb.size(); i += 3)
    holes += shrunk.rgb[i] == 114 && shrunk.rgb[i + 1] == 114 && shrunk.rgb[i + 2] == 114;
  CHECK(holes == 0);
}

TEST_CASE("predict gives a network of another side than its tiles the same parts of the picture") {
  const TrainedOnTiles trained;
  trained.build("tiles", {"--tile", "64", "--overlap", "25%"});
  for (const std::string side : {"32", "96"}) {
    CAPTURE(side);
    trained.fit("tiles", "run" + side, {"--input-size", side});
    const ProgramResult predicted = trained.predict("run" + side);
    REQUIRE_MESSAGE(predicted.exit_code == 0, predicted.err);
    CHECK(Json::parse(predicted.last_line()).at("tiles") == 12);
  }
}

TEST_CASE("--whole-picture gives the network of tiles the frame of one of whole pictures too") {
  const TrainedOnTiles trained;
  trained.build("tiles", {"--tile", "64", "--overlap", "25%"});
  trained.build("whole", {"--size", "64"});
  trained.fit("tiles", "of_tiles");
  trained.fit("whole", "of_pictures");
  const auto frames = [&](const std::string& run, const std::vector<std::string>& more) {
    std::vector<std::string> words{"--frames-out", trained.path(run + ".npy")};
    words.insert(words.end(), more.begin(), more.end());
    const ProgramResult predicted = trained.predict(run, words);
    REQUIRE_MESSAGE(predicted.exit_code == 0, predicted.err);
    const std::string npy = read_file(trained.path(run + ".npy"));
    constexpr std::size_t kFrame = 3 * 64 * 64;
    std::vector<std::string> each;
    for (std::size_t at = npy.find('\n') + 1; at < npy.size(); at += kFrame)
      each.push_back(npy.substr(at, kFrame));
    return each;
  };
  const std::vector<std::string> whole = frames("of_pictures", {});
  const std::vector<std::string> of_tiles = frames("of_tiles", {"--whole-picture"});
  REQUIRE(whole.size() == 2);
  REQUIRE(of_tiles.size() == 2 * (6 + 1));
  CHECK(of_tiles[6] == whole[0]);
  CHECK(of_tiles[13] == whole[1]);
}

TEST_CASE(
    "tiles and whole pictures do not take each other's checkpoints: exit 78, with the flags") {
  const TrainedOnTiles trained;
  trained.build("tiles", {"--tile", "64", "--overlap", "25%"});
  trained.build("whole", {"--size", "64"});
  trained.fit("tiles", "of_tiles");
  trained.fit("whole", "of_pictures");
  const ProgramResult on_whole = trained.eval("whole", "of_tiles");
  CHECK(on_whole.exit_code == 78);
  CHECK_CONTAINS(on_whole.err,
                 "was trained on tiles at scale 1, the store holds whole pictures; build a store "
                 "with `letterpress-preprocess build --tile 64 --overlap 0.25 --scale 1`");
  const ProgramResult on_tiles = trained.eval("tiles", "of_pictures");
  CHECK(on_tiles.exit_code == 78);
  CHECK_CONTAINS(on_tiles.err,
                 "was trained on whole pictures, the store holds tiles at scale 1; build a store "
                 "with `letterpress-preprocess build --tile 0 --size 64`");
  const ProgramResult added = trained.predict("of_pictures", {"--whole-picture"});
  CHECK(added.exit_code == 78);
  CHECK_CONTAINS(added.err, "--whole-picture: ");
  CHECK_CONTAINS(added.err, "was trained on whole pictures, not tiles; leave it out");
}

}  // namespace letterpress
