// Files that write_yolov8.py wrote in the layout of Ultralytics' programs give, in our network,
// what PyTorch computed from the same numbers; what is of another architecture is refused.
#include <doctest/doctest.h>
#include <torch/torch.h>

#include <algorithm>
#include <array>
#include <utility>

#include "letterpress/base/error.h"
#include "letterpress/weights/safetensors.h"
#include "tests/agreement.h"
#include "tests/message_of.h"
#include "tests/read_by_python.h"
#include "tests/temp_dir.h"
#include "trainer/checkpoint/network_weights.h"
#include "trainer/exchange/class_note.h"
#include "trainer/exchange/start_weights.h"
#include "trainer/exchange/ultralytics.h"

namespace letterpress {
namespace {

/// One for all tests: what write_yolov8.py writes. Empty where Python or its packages are not
/// there.
const TempDir& written_yolov8() {
  static const TempDir dir;
  if (!std::filesystem::exists(dir / "refused"))
    check_read_by_python("tests/trainer/exchange/write_yolov8.py", dir.path());
  return dir;
}
bool has_written_yolov8() {
  return std::filesystem::exists(written_yolov8() / "expected.safetensors");
}

torch::Tensor expected_tensor(const std::string& name) {
  const SafetensorsFile file(written_yolov8() / "expected.safetensors");
  torch::Tensor tensor = torch::empty(file.arrays().at(name).shape);
  file.read(name, {static_cast<std::byte*>(tensor.data_ptr()), tensor.nbytes()});
  return tensor;
}

StartWeights yolov8n_of(const std::string& name, double norm_epsilon = 0) {
  return read_start_weights(written_yolov8() / name, "yolov8n", norm_epsilon);
}

/// The largest difference of any output from what PyTorch computed, as a share of the largest.
double furthest_from_pytorch(const StartWeights& start) {
  const torch::NoGradGuard no_gradient;
  Graph graph = start.graph;
  graph.side = 64;
  Network network(graph);
  load_weights(network, start.tensors, start.file);
  network.eval();
  const std::vector<torch::Tensor> outputs = network.forward(expected_tensor("images"));
  double furthest = 0;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const torch::Tensor wanted = expected_tensor("raw." + std::to_string(i));
    REQUIRE(outputs[i].sizes() == wanted.sizes());
    const double difference = (outputs[i] - wanted).abs().max().item<double>(),
                 size = wanted.abs().max().item<double>();
    CHECK(size > 0.5);
    furthest = further(furthest, difference / std::max(1.0, size));
  }
  return furthest;
}

}  // namespace

TEST_CASE(
    "Ultralytics' yolov8n, module or state dict, half, fused, wrapped: the imported network "
    "computes what PyTorch computes" *
    doctest::test_suite("needs Python")) {
  if (!has_written_yolov8()) return;
  for (const char* name :
       {"best.pt", "epoch.pt", "fused.pt", "wrapped.pt", "object.pt", "state.pt", "state_half.pt",
        "state_fused.pt", "state_wrapped.pt", "state_whole.pt", "state.safetensors"}) {
    CAPTURE(name);
    const StartWeights start = yolov8n_of(name);
    const std::string text = name;
    const bool is_module = !text.starts_with("state"),
               is_fused = text.find("fused") != std::string::npos;
    CHECK(start.graph.classes == 3);
    CHECK(start.tensors.size() == 57 * 5 + 6 * 2);
    CHECK(start.classes == (is_module ? std::vector<std::string>{"red", "green", "blue"}
                                      : std::vector<std::string>{}));
    CHECK(start.side == (is_module ? 64 : 0));
    CHECK(start.folded == is_fused);
    CHECK(start.norm_epsilon == (is_fused ? 0 : 1e-3));
    check_agreement("PyTorch, float64",
                    "Ultralytics' layout, " + text + ": outputs, of the largest",
                    furthest_from_pytorch(start), 1e-4);
  }
}

TEST_CASE(
    "another epsilon is another network: --norm-epsilon wins, and does not touch folded norms" *
    doctest::test_suite("needs Python")) {
  if (!has_written_yolov8()) return;
  CHECK(furthest_from_pytorch(yolov8n_of("best.pt", 1e-5)) > 0.01);
  CHECK(furthest_from_pytorch(yolov8n_of("state.pt", 1e-5)) > 0.01);
  CHECK(furthest_from_pytorch(yolov8n_of("fused.pt", 1e-5)) < 1e-4);
}

TEST_CASE("names that are numbers are none" * doctest::test_suite("needs Python")) {
  if (!has_written_yolov8()) return;
  CHECK(yolov8n_of("unnamed.pt").classes.empty());
  CHECK(yolov8n_of("eighty.pt").classes.size() == 80);
}

TEST_CASE("what another order and another number of classes do to the head is said" *
          doctest::test_suite("needs Python")) {
  if (!has_written_yolov8()) return;
  const auto note = [](const std::string& file, const std::vector<std::string>& classes,
                       Match match) {
    const StartWeights start = yolov8n_of(file);
    Network network(
        make_model("yolov8n", {.classes = static_cast<int>(classes.size()), .side = 64}));
    network.initialise(1);
    const auto rows = load_start_weights(network, start, classes, match);
    return class_note(start, network.graph(), classes, rows);
  };
  CHECK(note("best.pt", {"red", "green", "blue"}, Match::name) == "");
  CHECK(note("best.pt", {"blue", "red", "green"}, Match::name) ==
        "the same classes in another order: the head's rows were put from red, green, blue into "
        "blue, red, green");
  CHECK(note("best.pt", {"blue", "red", "green"}, Match::shape) ==
        "the head's rows were taken as they lie in the file, whose classes have other names or "
        "another order; --match name goes by the names");
  CHECK(note("best.pt", {"blue", "black"}, Match::name) ==
        "3 classes became 2: the head's rows of blue are kept; random start: black; left out: red, "
        "green");
  CHECK(note("best.pt", {"black"}, Match::name) ==
        "3 classes became 1: the head's rows of none of them are kept; random start: black; left "
        "out: red, green, blue");
  CHECK(note("eighty.pt", {"thing 1", "red"}, Match::name) ==
        "80 classes became 2: the branches of the classes have other shapes, so they have a random "
        "start; backbone, neck and boxes are kept");
}

TEST_CASE("another architecture is refused in one line that names what differs" *
          doctest::test_suite("needs Python")) {
  if (!has_written_yolov8()) return;
  const std::string changed = "; it is of another architecture, or was changed",
                    other = "; it is of another architecture, or of another size of this one";
  const std::array<std::pair<const char*, std::string>, 14> refusals{{
      {"yolov5.pt",
       "holds a network of YOLOv5 (models.yolo.Model), not yolov8n; Ultralytics' yolov8 files can "
       "be imported"},
      {"c3k2.pt",
       "has ultralytics.nn.modules.block.C3k2 as module model.2, where yolov8n has C2f" + changed},
      {"relu.pt",
       "has torch.nn.modules.activation.ReLU as module model.4.m.1.cv2.act, where yolov8n has "
       "SiLU" +
           changed},
      {"plain.pt", "add of module model.4.m.1 is 0, must be 1" + changed},
      {"sources.pt", "f of module model.14 is -1, 2, must be -1, 4" + changed},
      {"strided.pt", "stride of module model.16.conv is 1, 1, must be 2, 2" + changed},
      {"pooling.pt", "kernel_size of module model.9.m is 9, must be 5" + changed},
      {"longer.pt", "has more modules than the 23 of yolov8n" + changed},
      {"segment.pt", "has model.22.cv4.0.0.conv.weight, which yolov8n does not" + other},
      {"missing.pt", "has no model.22.cv3.1.2.bias, which yolov8n needs" + other},
      {"distances.pt",
       "model.22.dfl.conv.weight does not hold 0, 1, 2, ... but 1.000000 at 0" + other},
      {"code.pt",
       "calls posix.system when Python loads it, which weights do not need; nothing was executed; "
       "if you trust its origin, in Python: torch.save(model.state_dict(), \"weights.pt\")"},
      {"script.pt",
       "is a TorchScript program, not weights; take the .pt file that it was exported from"},
      {"circle.pt", "has a module that holds itself, circle; the file is damaged, copy it again"},
  }};
  for (const auto& [name, message] : refusals) {
    CAPTURE(name);
    const std::filesystem::path file = written_yolov8() / "refused" / name;
    CHECK(message_of([&] { read_start_weights(file, "yolov8n"); }) ==
          "65 " + file.string() + ": " + message);
  }
  CHECK_FALSE(std::filesystem::exists(written_yolov8() / "executed"));
  const std::string larger =
      message_of([] { read_start_weights(written_yolov8() / "best.pt", "yolov8s"); });
  CHECK_MESSAGE(larger.ends_with("model.0.conv.weight is [16, 3, 3, 3] in the place of "
                                 "stem.weight, which is [32, 3, 3, 3] in yolov8s; is it of "
                                 "another model?"),
                larger);
}

TEST_CASE("layers are modules by their place: joins before blocks, the head by branches") {
  CHECK(ultralytics_module("stem") == "0");
  CHECK(ultralytics_module("stage2_down") == "3");
  CHECK(ultralytics_module("stage2_split") == "4.cv1");
  CHECK(ultralytics_module("stage2_block2_second") == "4.m.1.cv2");
  CHECK(ultralytics_module("pooling_reduce") == "9.cv1");
  CHECK(ultralytics_module("scale16_down") == "16");
  CHECK(ultralytics_module("scale16_join") == "18.cv2");
  CHECK(ultralytics_module("head32_class_output") == "22.cv3.2.2");
}

}  // namespace letterpress
