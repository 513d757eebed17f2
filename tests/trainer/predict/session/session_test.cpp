#include "trainer/predict/session/session.h"

#include <doctest/doctest.h>

#include <csignal>
#include <nlohmann/json.hpp>

#include "letterpress/base/file.h"
#include "letterpress/page/png.h"
#include "tests/temp_dir.h"
#include "trainer/checkpoint/network_weights.h"

using namespace letterpress;

namespace {

constexpr int kSide = 64;

// Of tiles of 64 x 64 pixels.
std::filesystem::path write_network(const TempDir& dir, const TileRule& rule = {.overlap = 0}) {
  Network network(make_model("yolov3-tiny", {.classes = 2, .side = kSide}));
  network.initialise(1);
  Checkpoint checkpoint{.info = {.graph = network.graph(), .tiles = rule, .classes = {"a", "b"}},
                        .tensors = collect_weights(network)};
  std::filesystem::path file = dir / "a.safetensors";
  write_checkpoint(file, checkpoint);
  return file;
}

PictureInput write_png(const TempDir& dir, const std::string& name,
                       const std::vector<std::uint8_t>& rgb, int width, int height) {
  const auto png = encode_png(rgb, width, height);
  return {dir.write(name, {reinterpret_cast<const char*>(png.data()), png.size()}), name};
}

PictureInput write_grey(const TempDir& dir, const std::string& name, int width, int height) {
  const std::vector<std::uint8_t> rgb(std::size_t{3} * static_cast<std::size_t>(width * height),
                                      114);
  return write_png(dir, name, rgb, width, height);
}

// More pixels than are decoded at once.
PictureInput write_large(const TempDir& dir) {
  constexpr int kWidth = 4300, kHeight = 4000;
  std::vector<std::uint8_t> rgb;
  rgb.reserve(std::size_t{3} * kWidth * kHeight);
  for (int y = 0; y < kHeight; ++y)
    for (int x = 0; x < kWidth; ++x)
      for (const int value : {x / 9, y / 7, (x * y) >> 12})
        rgb.push_back(static_cast<std::uint8_t>(value));
  return write_png(dir, "large.png", rgb, kWidth, kHeight);
}

struct OneFound {
  std::string json;
  std::int64_t tiles = 0;
};
OneFound find_in(const TempDir& dir, const PictureInput& picture, bool whole_picture,
                 const std::filesystem::path& frames) {
  SessionOptions options{.checkpoint = write_network(dir, {.overlap = 0.2, .scale = 0.05}),
                         .out = dir.path(),
                         .draw = false,
                         .whole_picture = whole_picture,
                         .format = &find_output_format("json"),
                         .frames = frames};
  options.predictor.confidences = {"0.001"};
  options.predictor.device = "cpu";
  options.predictor.engine = "torch";
  Session session(options);
  session.run({picture}, {}, [](const std::optional<Reject>& reject) { CHECK_FALSE(reject); });
  return {read_file(dir / "detections.json"), session.counts().tiles};
}

}  // namespace

TEST_CASE(
    "a batch has memory for no more pictures than there are, and for tiles for what is asked") {
  CHECK(frames_at_once(100000, 3, false) == 3);
  CHECK(frames_at_once(8, 100, false) == 8);
  CHECK(frames_at_once(8, 0, false) == 1);
  CHECK(frames_at_once(64, 3, true) == 64);
}

TEST_CASE("a stop ends a picture of many tiles between their batches, and what was done is kept") {
  const TempDir dir;
  const std::vector<PictureInput> pictures{write_grey(dir, "a.png", kSide, kSide),
                                           write_grey(dir, "b.png", 20 * kSide, 20 * kSide)};
  Session session({.checkpoint = write_network(dir),
                   .out = dir.path(),
                   .predictor = {.batch = 2, .device = "cpu", .engine = "torch", .threads = 1},
                   .draw = false,
                   .format = &find_output_format("json"),
                   .frames = dir / "frames.npy"});
  StopRequest stop;
  int told = 0;
  // The first batch holds a.png's tile and the first of 400 of b.png: when a.png is told, b.png is
  // under way, and few batches are in memory.
  session.run(pictures, stop, [&](const std::optional<Reject>& reject) {
    CHECK_FALSE(reject);
    ++told;
    stop.make(SIGTERM);
  });
  CHECK(told == 1);
  CHECK(session.counts().predicted == 1);
  CHECK(session.counts().tiles == 1);
  const auto found = nlohmann::json::parse(read_file(dir / "detections.json"));
  REQUIRE(found.size() == 1);
  CHECK(found[0].at("picture") == (dir / "a.png").string());
  CHECK_FALSE(std::filesystem::exists(dir / "frames.npy"));
}

TEST_CASE("the whole picture is one frame more, the same in bands as when it is decoded at once") {
  const TempDir dir;
  const PictureInput picture = write_large(dir);
  const OneFound of_tiles = find_in(dir, picture, false, {});
  // A tile of 64 / 0.05 = 1280 pixels every 1024: 4 across (1280 + 3 * 1024 >= 4300) and 4 down.
  CHECK(of_tiles.tiles == 16);
  const OneFound in_bands = find_in(dir, picture, true, {});
  CHECK(in_bands.tiles == 16);
  CHECK(in_bands.json != of_tiles.json);
  CHECK(in_bands.json == find_in(dir, picture, true, dir / "frames.npy").json);
  const std::string frames = read_file(dir / "frames.npy");
  CHECK(frames.find("'shape': (17, 64, 64, 3)") != std::string::npos);
}
