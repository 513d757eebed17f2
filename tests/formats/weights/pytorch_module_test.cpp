// Whole modules: a file that Ultralytics wrote (tests/golden/weights/make_ultralytics.py), one of
// torch.nn, and pickles by hand.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <sstream>
#include <utility>

#include "letterpress/base/file.h"
#include "letterpress/weights/weight_file.h"
#include "tests/contains.h"
#include "tests/formats/weights/torch_archive.h"
#include "tests/locations.h"
#include "tests/message_of.h"
#include "tests/temp_dir.h"

using namespace letterpress;

namespace {

const std::filesystem::path kWritten =
    std::filesystem::path(LETTERPRESS_SOURCE_DIR) / "tests/golden/weights";

const WeightModule& module_of(const WeightFile& file, const std::string& name) {
  const auto found = std::ranges::find(file.modules, name, &WeightModule::name);
  REQUIRE_MESSAGE(found != file.modules.end(), name);
  return *found;
}

bool same_arrays(const WeightFile& a, const WeightFile& b) {
  return std::ranges::equal(a.arrays, b.arrays, [](const WeightArray& x, const WeightArray& y) {
    return x.name == y.name && x.shape == y.shape && x.values == y.values;
  });
}

/// "X" and a text: the opcode that puts it on the stack.
std::string text_code(const std::string& text) {
  return "X" + std::string(1, static_cast<char>(text.size())) + std::string(3, '\0') + text;
}

std::string message_of_pickle(const std::string& pickle) {
  TempDir dir;
  dir.write("a.pt", torch_archive(pickle));
  const std::string message = message_of([&] { read_weight_file(dir / "a.pt"); });
  const std::string begin = "65 " + (dir / "a.pt").string() + ": ";
  REQUIRE_MESSAGE(message.starts_with(begin), message);
  return message.substr(begin.size());
}

std::string refused_call(const std::string& function) {
  return "calls " + function +
         " when Python loads it, which weights do not need; nothing was executed; if you trust its "
         "origin, in Python: torch.save(model.state_dict(), \"weights.pt\")";
}

}  // namespace

TEST_CASE("Ultralytics' module has the arrays of its state dict, names, side and settings") {
  const WeightFile file = read_weight_file(kWritten / "ultralytics.pt");
  std::istringstream lines(read_file(kWritten / "ultralytics.txt"));
  std::size_t n = 0;
  for (std::string line; std::getline(lines, line); ++n) {
    CAPTURE(line);
    REQUIRE(n < file.arrays.size());
    const WeightArray& array = file.arrays[n];
    std::string shape;
    for (const std::int64_t size : array.shape)
      shape += (shape.empty() ? "" : ",") + std::to_string(size);
    const std::string begin = array.name + " " + shape + " ";
    REQUIRE(line.starts_with(begin));
    const std::string sum = line.substr(begin.size());
    CHECK(array.values.empty() == (sum == "none"));
    if (sum != "none")
      CHECK(std::accumulate(array.values.begin(), array.values.end(), 0.0) ==
            doctest::Approx(std::stod(sum)).epsilon(1e-4));
  }
  CHECK(n == file.arrays.size());
  CHECK(file.format == "pytorch");
  CHECK(file.classes == std::vector<std::string>{"red", "green"});
  CHECK(file.side == 320);
  CHECK(file.norm_epsilon == 0);
  CHECK(module_of(file, "").kind == "ultralytics.nn.tasks.DetectionModel");
  CHECK(module_of(file, "model.0.bn").numbers.at("eps") == std::vector<double>{1e-3});
  CHECK(module_of(file, "model.0.conv").numbers.at("stride") == std::vector<double>{2, 2});
  CHECK(module_of(file, "model.1").kind == "ultralytics.nn.modules.block.C2f");
  CHECK(module_of(file, "model.1.m.0").numbers.at("add") == std::vector<double>{1});
  CHECK(module_of(file, "model.2").numbers.at("f") == std::vector<double>{1});
}

TEST_CASE("a module of torch.nn alone is read, too") {
  const WeightFile file = read_weight_file(kWritten / "pytorch_object.pt");
  REQUIRE(file.arrays.size() == 2);
  CHECK(file.arrays[0].name == "weight");
  CHECK(file.arrays[0].shape == std::vector<std::int64_t>{1, 1, 1, 1});
  CHECK(file.arrays[1].name == "bias");
  CHECK(module_of(file, "").kind == "torch.nn.modules.conv.Conv2d");
  CHECK(file.classes.empty());
  CHECK(file.side == 0);
}

TEST_CASE("a module that is cut or has a bit flipped is refused, or reads the same") {
  TempDir dir;
  const std::string whole = read_file(kWritten / "ultralytics.pt");
  const WeightFile good = read_weight_file(kWritten / "ultralytics.pt");
  for (std::size_t i = 0; i < whole.size(); i += 1009) {
    CAPTURE(i);
    dir.write("cut", whole.substr(0, i));
    CHECK(message_of([&] {
            read_weight_file(dir / "cut");
          }).starts_with("65 " + (dir / "cut").string() + ": "));
    std::string flipped = whole;
    flipped[i] = static_cast<char>(flipped[i] ^ (1 << i % 8));
    dir.write("flipped", flipped);
    bool same = false;
    const std::string message =
        message_of([&] { same = same_arrays(read_weight_file(dir / "flipped"), good); });
    CHECK((same || message.starts_with("65 " + (dir / "flipped").string() + ": ")));
  }
}

TEST_CASE("a pickle that calls what weights do not need is refused with its name") {
  const std::string begin = "\x80\x02";
  const std::array<std::pair<std::string, std::string>, 7> calls{{
      {"cposix\nsystem\n" + text_code("true") + "\x85R.", "posix.system"},
      {"(S'true'\nios\nsystem\n.", "os.system"},
      {"c__builtin__\neval\n" + text_code("1") + "\x85R0}.", "__builtin__.eval"},
      {"}" + text_code("state_dict") + "ctorch.hub\nload\n" + text_code("x") + "\x85Rs.",
       "torch.hub.load"},
      // getattr of what was imported, not of an object in the file.
      {"c__builtin__\ngetattr\ncos\npath\n" + text_code("forward") + "\x86R.",
       "__builtin__.getattr"},
      {"ctorch.storage\n_load_from_bytes\n" + text_code("x") + "\x85R.",
       "torch.storage._load_from_bytes"},
      // A call of what a call gave.
      {"ccollections\nOrderedDict\n)R)R.", "a function that it made itself"},
  }};
  for (const auto& [pickle, function] : calls) {
    CAPTURE(function);
    CHECK(message_of_pickle(begin + pickle) == refused_call(function));
  }
}

TEST_CASE("a pickle that opens value after value is refused before they fill memory") {
  const std::string open_lists(100'000, ']');
  CHECK_CONTAINS(message_of_pickle("\x80\x02" + open_lists + std::string(99'999, 'a') + "."),
                 "its pickle has more open values than any module at byte 65538");
}

TEST_CASE("a pickle without weights, or of half an object, says what it is") {
  const std::string begin = "\x80\x02",
                    neither =
                        "holds neither a state dict nor a module of PyTorch; in "
                        "Python: torch.save(model.state_dict(), \"weights.pt\")";
  CHECK(message_of_pickle(begin + "}.") == neither);
  CHECK(message_of_pickle(begin + "N.") == neither);
  CHECK(message_of_pickle(begin + "cmine\nNet\n)\x81.") == neither);
  CHECK(message_of_pickle(begin + "cmine\nNet\n)\x81}b.") == neither);
  // An object that holds itself is not looked into for ever.
  CHECK(message_of_pickle(begin + "cmine\nNet\n)\x81q\x01}" + text_code("model") + "h\x01sb.") ==
        neither);
}
