#include "trainer/checkpoint/checkpoint.h"

#include <doctest/doctest.h>
#include <torch/types.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "letterpress/base/error.h"
#include "letterpress/base/fault_hook.h"
#include "letterpress/base/file.h"
#include "letterpress/weights/safetensors.h"
#include "tests/read_by_python.h"
#include "tests/temp_dir.h"

using namespace letterpress;

namespace {

Checkpoint sample() {
  Checkpoint checkpoint;
  checkpoint.info = {
      .graph = make_model("yolov3-tiny", {.classes = 2, .side = 96}),
      .letterbox = {.scale = LetterboxRule::Scale::shrink, .fill = 128},
      .classes = {"r\u00f6d", "blue"},
      .snapshot_generation = 42,
      .snapshot_digest = "00ff",
      .position = (std::int64_t{1} << 53) + 1,
      .step = 17,
      .epochs_done = 3,
      .configuration_json = "{\"lr\": 0.01}",
      .metrics = {{"map50", 0.1}, {"unknown", std::numeric_limits<double>::quiet_NaN()}},
      .state_json = "{\"best\":0.1}"};
  checkpoint.tensors = {{"a.weight", torch::tensor({1.5F, -2.0F, 0.25F, 3.0F}).view({2, 2})},
                        {"a.norm.mean", torch::tensor({std::nextafterf(1, 2), -0.0F, 1e-42F})},
                        {"train.a.weight", torch::tensor({1.0F, 2.0F, 3.0F, 4.0F}).view({2, 2})},
                        {"optimiser.a.weight.momentum", torch::randn({2, 3}).to(torch::kBFloat16)},
                        {"optimiser.a.weight.step", torch::tensor(-(std::int64_t{1} << 40))},
                        {"optimiser.mask", torch::tensor({true, false})},
                        {"optimiser.rng", torch::arange(7, torch::kByte)},
                        {"optimiser.double", torch::full({1}, 1.0 / 3, torch::kDouble)},
                        {"optimiser.empty", torch::zeros({0, 3})}};
  return checkpoint;
}

// Bit for bit, so that -0 and NaN count.
bool same_bits(const torch::Tensor& a, const torch::Tensor& b) {
  return a.scalar_type() == b.scalar_type() && a.sizes() == b.sizes() && a.is_contiguous() &&
         (a.numel() == 0 || std::memcmp(a.data_ptr(), b.contiguous().data_ptr(), a.nbytes()) == 0);
}

void check_same(const CheckpointInfo& a, const CheckpointInfo& b) {
  CHECK(to_json(a.graph) == to_json(b.graph));
  CHECK((a.letterbox == b.letterbox));
  CHECK((a.tiles == b.tiles));
  CHECK(a.classes == b.classes);
  CHECK(a.snapshot_generation == b.snapshot_generation);
  CHECK(a.snapshot_digest == b.snapshot_digest);
  CHECK(a.position == b.position);
  CHECK(a.step == b.step);
  CHECK(a.epochs_done == b.epochs_done);
  CHECK(a.configuration_json == b.configuration_json);
  CHECK(a.state_json == b.state_json);
}

// The metadata of a written checkpoint with one text replaced, and no tensors.
void write_changed(const std::filesystem::path& file, const std::string& old_text,
                   const std::string& new_text) {
  Checkpoint checkpoint = sample();
  checkpoint.tensors.clear();
  write_checkpoint(file, checkpoint);
  std::map<std::string, std::string> metadata = SafetensorsFile(file).metadata();
  std::string& info = metadata.at("letterpress");
  const std::size_t at = info.find(old_text);
  REQUIRE(at != std::string::npos);
  info.replace(at, old_text.size(), new_text);
  write_safetensors(file, {}, metadata);
}

}  // namespace

TEST_CASE("a checkpoint is read back bit for bit") {
  TempDir dir;
  const Checkpoint written = sample();
  write_checkpoint(dir / "last.safetensors", written);
  const Checkpoint read = read_checkpoint(dir / "last.safetensors");
  check_same(read.info, written.info);
  CHECK(read.info.metrics.at("map50") == 0.1);
  CHECK(std::isnan(read.info.metrics.at("unknown")));
  REQUIRE(read.tensors.size() == written.tensors.size());
  for (const auto& [name, tensor] : written.tensors) {
    CAPTURE(name);
    CHECK(same_bits(read.tensors.at(name), tensor));
  }
  write_checkpoint(dir / "again.safetensors", read);
  CHECK(read_file(dir / "again.safetensors") == read_file(dir / "last.safetensors"));
}

TEST_CASE("a tensor in channels_last is stored in C order") {
  TempDir dir;
  Checkpoint checkpoint = sample();
  const torch::Tensor weight = torch::rand({4, 3, 3, 3});
  checkpoint.tensors = {{"a.weight", weight.contiguous(torch::MemoryFormat::ChannelsLast)}};
  write_checkpoint(dir / "a.safetensors", checkpoint);
  CHECK(same_bits(read_checkpoint(dir / "a.safetensors").tensors.at("a.weight"), weight));
}

TEST_CASE("reading only the weights leaves out what only training needs") {
  TempDir dir;
  write_checkpoint(dir / "a.safetensors", sample());
  const Checkpoint read = read_checkpoint(dir / "a.safetensors", true);
  REQUIRE(read.tensors.size() == 2);
  CHECK(same_bits(read.tensors.at("a.weight"), sample().tensors.at("a.weight")));
  CHECK(read.tensors.contains("a.norm.mean"));
}

TEST_CASE("the Python package reads a checkpoint" * doctest::test_suite("needs Python")) {
  TempDir dir;
  write_checkpoint(dir / "a.safetensors", sample());
  check_read_by_python("tests/trainer/checkpoint/read_written_by_us.py", dir / "a.safetensors");
}

TEST_CASE("a checkpoint cut anywhere is refused with its name") {
  TempDir dir;
  write_checkpoint(dir / "a.safetensors", sample());
  const std::string whole = read_file(dir / "a.safetensors");
  for (std::size_t n = 0; n < whole.size(); n += n + 64 < whole.size() ? 61 : 1) {
    CAPTURE(n);
    CHECK_THROWS_WITH_AS(read_checkpoint(dir.write("cut.safetensors", whole.substr(0, n))),
                         doctest::Contains("cut.safetensors: "), Error);
  }
}

TEST_CASE("a flipped bit anywhere is refused, or is in the padding between header and data") {
  TempDir dir;
  Checkpoint checkpoint = sample();
  write_checkpoint(dir / "a.safetensors", checkpoint);
  const std::string whole = read_file(dir / "a.safetensors");
  std::size_t undetected = 0;
  for (std::size_t i = 0; i < whole.size(); i += i + 400 < whole.size() ? 7 : 1) {
    std::string changed = whole;
    changed[i] = static_cast<char>(changed[i] ^ 2);
    CAPTURE(i);
    CAPTURE(whole.substr(i > 20 ? i - 20 : 0, 40));
    try {
      read_checkpoint(dir.write("changed.safetensors", changed));
      ++undetected;
    } catch (const Error& error) {
      CHECK(std::string(error.what()).find("changed.safetensors: ") != std::string::npos);
    }
  }
  CHECK(undetected == 0);
}

TEST_CASE(
    "a flipped bit in a weight or in a moment says so, and the moment's does not hinder reading "
    "the weights") {
  TempDir dir;
  write_checkpoint(dir / "a.safetensors", sample());
  const std::string whole = read_file(dir / "a.safetensors");
  const SafetensorsFile file(dir / "a.safetensors");
  std::uint64_t length = 0;
  std::memcpy(&length, whole.data(), 8);
  const auto flipped = [&](const std::string& array) {
    std::string changed = whole;
    changed[8 + length + static_cast<std::size_t>(file.arrays().at(array).offset)] ^= 1;
    return dir.write("flipped.safetensors", changed);
  };
  CHECK_THROWS_WITH_AS(
      read_checkpoint(flipped("a.weight")),
      doctest::Contains(
          "flipped.safetensors: checkpoint: its weights do not match their checksum ("),
      Error);
  CHECK_THROWS_WITH_AS(read_checkpoint(flipped("a.weight"), true),
                       doctest::Contains("the file is damaged, use another checkpoint of the run"),
                       Error);
  CHECK_THROWS_WITH_AS(
      read_checkpoint(flipped("optimiser.mask")),
      doctest::Contains(
          "flipped.safetensors: checkpoint: its training tensors do not match their checksum ("),
      Error);
  CHECK_NOTHROW(read_checkpoint(flipped("optimiser.mask"), true));
}

TEST_CASE("a newer checkpoint, a damaged one and another file are refused as such") {
  TempDir dir;
  const auto file = dir / "a.safetensors";
  struct Case {
    std::string old_text, new_text, message;
  };
  const Case cases[] = {
      {"{\"version\":1", "{\"version\":3",
       "a.safetensors: checkpoint: version is 3, this program knows up to 2; use the letterpress "
       "that wrote it, or a newer one"},
      {"\"graph\":{\"version\":1", "\"graph\":{\"version\":9",
       "a.safetensors: checkpoint: graph: version is 9, this program knows up to 1"},
      {"\"step\":17", "\"step\":18",
       "a.safetensors: checkpoint: its weights do not match their checksum"},
      {"\"step\":17", "\"step\":-1",
       "a.safetensors: checkpoint: step is not a whole number from 0"},
      {"\"step\":17", "\"steps\":1", "a.safetensors: checkpoint: step is missing"},
      {"[\"r\u00f6d\",\"blue\"]", "[1]",
       "a.safetensors: checkpoint: classes is not a list of texts"},
      {"\"00ff\"", "{}", "a.safetensors: checkpoint: snapshot_digest is not a text"},
      {"\"map50\":0.1", "\"map50\":\"\"",
       "a.safetensors: checkpoint: figures is not an object of numbers"},
      {"{\"version\":1", "[", "a.safetensors: checkpoint: is not a JSON object"},
      {"\"fill\":128", "\"fill\":[[[[[[[[[[[[[[]]]]]]]]]]]]]]",
       "a.safetensors: checkpoint: is nested deeper than 12 levels"},
      {"\"state\":\"", "\"state\":\"" + std::string(65, '['),
       "a.safetensors: checkpoint: state is nested deeper than 64 levels"},
  };
  for (const Case& one : cases) {
    CAPTURE(one.new_text);
    write_changed(file, one.old_text, one.new_text);
    CHECK_THROWS_WITH_AS(read_checkpoint(file), doctest::Contains(one.message.c_str()), Error);
  }
  write_safetensors(file, {}, {{"format", "pt"}});
  CHECK_THROWS_WITH_AS(
      read_checkpoint(file),
      doctest::Contains("a.safetensors: not a letterpress checkpoint: a safetensors file without"),
      Error);
  CHECK_THROWS_WITH_AS(read_checkpoint(dir.write("b.h5", "\x89HDF")),
                       doctest::Contains("b.h5: not a readable safetensors file"), Error);
  CHECK_THROWS_WITH_AS(read_checkpoint(dir / "c"), doctest::Contains("c: no such file"), Error);
}

TEST_CASE("a checkpoint that cannot be written leaves the old one") {
  TempDir dir;
  const auto file = dir / "last.safetensors";
  write_checkpoint(file, sample());
  const std::string before = read_file(file);
  Checkpoint next = sample();
  next.info.step = 18;
  for (const char* failing : {"write", "sync", "rename"}) {
    CAPTURE(failing);
    set_fault_hook([&](std::string_view operation, std::string_view) {
      return operation == failing ? ENOSPC : 0;
    });
    CHECK_THROWS_AS(write_checkpoint(file, next), Error);
    set_fault_hook(nullptr);
    CHECK(read_file(file) == before);
  }
  next.tensors = {{"a", torch::zeros({2}, torch::kComplexFloat)}};
  CHECK_THROWS_WITH_AS(write_checkpoint(file, next),
                       doctest::Contains("checkpoint: tensor 'a' is of type ComplexFloat, must be"),
                       Error);
  CHECK(std::distance(std::filesystem::directory_iterator(dir.path()), {}) == 1);
}

TEST_CASE("a model of tiles says so in a version that older programs refuse; others stay 1") {
  TempDir dir;
  const auto version = [&](const Checkpoint& checkpoint) {
    write_checkpoint(dir / "c.safetensors", checkpoint);
    const std::string text = read_file(dir / "c.safetensors");
    check_same(read_checkpoint(dir / "c.safetensors").info, checkpoint.info);
    return text.find("\\\"version\\\":2") != std::string::npos   ? 2
           : text.find("\\\"version\\\":1") != std::string::npos ? 1
                                                                 : 0;
  };
  Checkpoint checkpoint = sample();
  checkpoint.info.metrics = {{"map50", 0.1}};
  CHECK(version(checkpoint) == 1);
  checkpoint.info.tiles = TileRule{.overlap = 0.25, .scale = 0.5, .background = 0.1};
  CHECK(version(checkpoint) == 2);
}

TEST_CASE("frames of another side than the trained tiles show as many pixels of the source") {
  CheckpointInfo info = sample().info;
  CHECK_FALSE(tiles_of_frames(info));
  info.tiles = TileRule{.overlap = 0.25};
  for (const int side : {320, 416, 608, 640, 1280}) {
    CAPTURE(side);
    info.stored_side = 640;
    info.graph.side = side;
    const TileRule rule = tiles_of_frames(info).value();
    CHECK(rule.scale == doctest::Approx(side / 640.0).epsilon(1e-12));
    const TileGrid grid(4000, 3000, side, rule, LetterboxRule{});
    CHECK(grid.span() == 640);
    CHECK(grid.overlap() == 160);
    CHECK(grid.n() == 8 * 6);  // one each 480 pixels: 1 + 3360 / 480, 1 + ceil(2360 / 480)
  }
}
