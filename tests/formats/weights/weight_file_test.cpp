// Files of other programs, written by h5py, torch and safetensors
// (tests/golden/weights/make_foreign.py), and what damage does to them.
#include "letterpress/weights/weight_file.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <ctime>
#include <functional>

#include "letterpress/base/error.h"
#include "letterpress/base/file.h"
#include "tests/locations.h"
#include "tests/message_of.h"
#include "tests/scoped_variable.h"
#include "tests/temp_dir.h"

using namespace letterpress;

namespace {

const std::filesystem::path kGolden =
    std::filesystem::path(LETTERPRESS_SOURCE_DIR) / "tests/golden/weights";
constexpr std::array kWhole{"keras.h5",     "keras_model.h5", "keras3.weights.h5",
                            "keras3.keras", "pytorch.pt",     "pytorch.safetensors"};

const WeightArray& find(const WeightFile& file, WeightRole role, const std::string& layer) {
  const auto found = std::find_if(
      file.arrays.begin(), file.arrays.end(),
      [&](const WeightArray& array) { return array.role == role && array.layer == layer; });
  REQUIRE_MESSAGE(found != file.arrays.end(), layer);
  return *found;
}

std::vector<float> count(float begin, std::size_t n) {
  std::vector<float> values;
  for (std::size_t i = 0; i < n; ++i) values.push_back(begin + static_cast<float>(i) / 8);
  return values;
}

std::string read_message(const std::filesystem::path& file) {
  return message_of([&] { read_weight_file(file); });
}

struct Layers {
  std::string conv, norm, output;
};
Layers layers_of(const WeightFile& file) {
  if (file.format == "keras") return {"conv2d_9", "batch_normalization_9", "conv2d_10"};
  return {"blocks.9.conv", "blocks.9.bn", "blocks.10.conv"};
}

bool equal(const WeightFile& a, const WeightFile& b) {
  return std::equal(a.arrays.begin(), a.arrays.end(), b.arrays.begin(), b.arrays.end(),
                    [](const WeightArray& x, const WeightArray& y) {
                      return x.name == y.name && x.role == y.role && x.shape == y.shape &&
                             x.values == y.values;
                    });
}

}  // namespace

TEST_CASE(
    "Keras, PyTorch and safetensors files give the same layers, kernels as [out, in, h, w], "
    "wrapped or not") {
  for (const char* name : kWhole) {
    CAPTURE(name);
    const WeightFile file = read_weight_file(kGolden / name);
    const auto [conv, norm, output] = layers_of(file);
    CHECK(find(file, WeightRole::kernel, conv).shape == std::vector<std::int64_t>{3, 2, 2, 2});
    CHECK(find(file, WeightRole::kernel, conv).values == count(0, 24));
    CHECK(find(file, WeightRole::gamma, norm).values == count(1000, 3));
    CHECK(find(file, WeightRole::beta, norm).values == count(2000, 3));
    CHECK(find(file, WeightRole::mean, norm).values == count(3000, 3));
    CHECK(find(file, WeightRole::variance, norm).values == count(4000, 3));
    CHECK(find(file, WeightRole::kernel, output).shape == std::vector<std::int64_t>{2, 3, 1, 1});
    CHECK(find(file, WeightRole::kernel, output).values == count(5000, 6));
    CHECK(find(file, WeightRole::bias, output).values == count(6000, 2));
    const double epsilon = std::string(name) == "keras3.keras" ? 2e-5 : 1e-3;  // it states its own
    CHECK(file.norm_epsilon == (file.format == "keras" ? epsilon : 0));
    // 9 was made before 10, whatever the order in the file and in the alphabet.
    const auto place = [&](const std::string& layer) {
      return &find(file, WeightRole::kernel, layer) - file.arrays.data();
    };
    CHECK(place(conv) < place(output));
  }
}

TEST_CASE(
    "PyTorch: module. is dropped, a counter has no values, and views, parameters, half, bfloat16 "
    "and double become float32") {
  const WeightFile state = read_weight_file(kGolden / "pytorch.pt");
  CHECK(state.arrays.front().name == "blocks.9.conv.weight");
  const WeightArray& counter = find(state, WeightRole::other, "blocks.9.bn");
  CHECK(counter.name == "blocks.9.bn.num_batches_tracked");
  CHECK(counter.values.empty());
  const WeightFile checkpoint = read_weight_file(kGolden / "pytorch_checkpoint.pt");
  CHECK(find(checkpoint, WeightRole::kernel, "blocks.9.conv").values == count(0, 24));
  CHECK(find(checkpoint, WeightRole::gamma, "blocks.9.bn").values == count(1000, 3));
  CHECK(find(checkpoint, WeightRole::beta, "blocks.9.bn").values ==
        std::vector<float>{2000, 2000, 2000});
  CHECK(find(checkpoint, WeightRole::variance, "blocks.9.bn").values == count(4000, 3));
  CHECK(find(checkpoint, WeightRole::bias, "blocks.10.conv").values ==
        std::vector<float>{6000, 6000});
}

TEST_CASE("Darknet: all values are one stream") {
  TempDir dir;
  const std::array<std::int32_t, 3> version{0, 2, 5};
  const std::array<float, 2> values{1.5F, -2};
  std::string bytes(reinterpret_cast<const char*>(version.data()), 12);
  bytes += std::string(8, '\0') + std::string(reinterpret_cast<const char*>(values.data()), 8);
  dir.write("a.weights", bytes);
  const WeightFile file = read_weight_file(dir / "a.weights");
  CHECK(file.format == "darknet");
  REQUIRE(file.arrays.size() == 1);
  CHECK(file.arrays[0].role == WeightRole::stream);
  CHECK(file.arrays[0].values == std::vector<float>{1.5F, -2});
  CHECK(read_message(dir.write("b.weights", bytes.substr(0, 18))) ==
        "65 " + (dir / "b.weights").string() +
            ": is cut within its header; not a Darknet weight file, or copied in part");
}

TEST_CASE("what is not a weight file says so, and what to do") {
  TempDir dir;
  CHECK(read_message(dir / "none") ==
        "66 " + (dir / "none").string() + ": no such file; check the path");
  CHECK(read_message(dir.path()) ==
        "66 " + dir.path().string() +
            ": is not a regular file (a folder, FIFO or device); name a file");
  const std::string text = read_message(dir.write("a.txt", "this is text, not weights at all"));
  CHECK(
      text.find("a.txt: is not a weight file of a known format, or was cut at its start; known are "
                "keras: HDF5 by Keras 2") != std::string::npos);
  CHECK(read_message(dir.write("empty", "")).starts_with("65 "));
  CHECK(
      read_message(kGolden / "no_keras.h5") ==
      "65 " + (kGolden / "no_keras.h5").string() +
          ": has no layer_names, neither at its root nor in model_weights, and no layers, so it is "
          "not a weight file of Keras; write it with model.save_weights(\"name.weights.h5\")");
  CHECK(read_message(kGolden / "keras3_half_norm.weights.h5") ==
        "65 " + (kGolden / "keras3_half_norm.weights.h5").string() +
            ": layer 'batch_normalization batch_normalization' has three arrays, without its gamma "
            "or its beta; give it both (scale=True, center=True) and save it again");
  CHECK(read_message(kGolden / "pytorch_old.pt")
            .find("is of PyTorch before 1.6; write it again with a newer one") !=
        std::string::npos);
}

TEST_CASE("a file that is cut anywhere is refused") {
  const ScopedVariable here("LETTERPRESS_CONFINED", "0");  // thousands of processes
  TempDir dir;
  for (const char* name : kWhole) {
    const std::string whole = read_file(kGolden / name);
    for (std::size_t size = 0; size < whole.size(); size += size < 600 ? 1 : 37) {
      CAPTURE(name);
      CAPTURE(size);
      const std::string message = read_message(dir.write("cut", whole.substr(0, size)));
      CHECK(message.starts_with("65 " + (dir / "cut").string() + ": "));
    }
  }
}

TEST_CASE("texts of a Keras file whose lengths lead nowhere are refused, not read for ever") {
  const ScopedVariable here("LETTERPRESS_CONFINED", "0");
  const std::string whole = read_file(kGolden / "keras.h5");
  const std::size_t heap = whole.find("GCOL");
  REQUIRE(heap != std::string::npos);
  const TempDir dir;
  const auto refusal = [&](std::size_t at, const std::string& bytes) {
    std::string damaged = whole;
    damaged.replace(at, bytes.size(), bytes);
    return read_message(dir.write("keras.h5", damaged));
  };
  const std::string place = "65 " + (dir / "keras.h5").string() +
                            ": the collection of texts at byte " + std::to_string(heap) + " ",
                    fix = "; the file is damaged, copy it again";
  // A collection's length is at its byte 8; its first object's number at 16, its length at 24.
  CHECK(refusal(heap + 8, std::string(8, '\xff')) ==
        place + "has a length that the file does not have" + fix);
  CHECK(refusal(heap + 16, std::string(16, '\0')) == place + "has free space of no length" + fix);
  CHECK(refusal(heap + 24, std::string(8, '\x7f')) ==
        place + "has an object that ends beyond it" + fix);
  for (std::size_t bit = 0; bit < 8 * 128; ++bit) {  // each is refused or read, none waited for
    const std::size_t at = heap + bit / 8;
    (void)refusal(at, std::string(1, static_cast<char>(whole[at] ^ (1 << bit % 8))));
  }
}

TEST_CASE("a bit that is flipped in a PyTorch file is found, or changes nothing") {
  TempDir dir;
  const std::string whole = read_file(kGolden / "pytorch.pt");
  const WeightFile good = read_weight_file(kGolden / "pytorch.pt");
  int found = 0;
  for (std::size_t i = 0; i < whole.size(); ++i) {
    CAPTURE(i);
    std::string flipped = whole;
    flipped[i] = static_cast<char>(flipped[i] ^ (1 << i % 8));
    dir.write("flipped", flipped);
    bool same = false;
    const std::string message =
        message_of([&] { same = equal(read_weight_file(dir / "flipped"), good); });
    if (same) continue;
    CHECK(message.starts_with("65 " + (dir / "flipped").string() + ": "));
    ++found;
  }
  CHECK(found > static_cast<int>(whole.size()) / 3);
}

TEST_CASE("a kernel of no values whose shape is vast takes no time") {
  const ScopedVariable in_this_process("LETTERPRESS_CONFINED", "0");
  const TempDir dir;
  // libFuzzer found it; what it grows stands behind the signature of HDF5.
  const std::string grown =
      read_file(LETTERPRESS_SOURCE_DIR "/tests/fuzz/corpus/weights-keras/seed-4");
  const std::filesystem::path file = dir.write("vast.h5", "\x89HDF\r\n\x1a\n" + grown);
  const std::clock_t begin = std::clock();
  try {
    (void)read_weight_file(file);
  } catch (const Error&) {
  }
  CHECK(static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC < 2);
}
