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
std::filesystem::path write_network(const TempDir& dir) {
  Network network(make_model("yolov3-tiny", {.classes = 2, .side = kSide}));
  network.initialise(1);
  Checkpoint checkpoint{
      .info = {.graph = network.graph(), .tiles = TileRule{.overlap = 0}, .classes = {"a", "b"}},
      .tensors = collect_weights(network)};
  std::filesystem::path file = dir / "a.safetensors";
  write_checkpoint(file, checkpoint);
  return file;
}

PictureInput write_grey(const TempDir& dir, const std::string& name, int width, int height) {
  const std::vector<std::uint8_t> rgb(std::size_t{3} * static_cast<std::size_t>(width * height),
                                      114);
  const auto png = encode_png(rgb, width, height);
  return {dir.write(name, {reinterpret_cast<const char*>(png.data()), png.size()}), name};
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
