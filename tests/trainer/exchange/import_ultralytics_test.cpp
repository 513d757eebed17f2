// Files that write_yolov8.py and write_yolo11.py wrote in the layout of Ultralytics' programs give,
// in our network, what PyTorch computed from the same numbers; what is of another architecture is
// refused.
#include <doctest/doctest.h>
#include <torch/types.h>

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
#include "trainer/exchange/ultralytics_layout.h"

namespace letterpress {
namespace {

/// Of each family one for all tests: what its script writes. Empty where Python or its packages are
/// not there.
const TempDir& written_files(const std::string& family) {
  static std::map<std::string, TempDir> folders;
  const TempDir& dir = folders[family];
  if (!std::filesystem::exists(dir / "refused"))
    check_read_by_python("tests/trainer/exchange/write_" + family + ".py", dir.path());
  return dir;
}
bool has_written(const std::string& family) {
  return std::filesystem::exists(written_files(family) / "expected.safetensors");
}
const TempDir& written_yolov8() { return written_files("yolov8"); }
bool has_written_yolov8() { return has_written("yolov8"); }

torch::Tensor expected_tensor(const std::string& family, const std::string& name) {
  const SafetensorsFile file(written_files(family) / "expected.safetensors");
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
  const std::string family = start.graph.model.substr(0, start.graph.model.size() - 1);
  Graph graph = start.graph;
  graph.side = 64;
  Network network(graph);
  load_weights(network, start.tensors, start.file);
  network.eval();
  const std::vector<torch::Tensor> outputs = network.forward(expected_tensor(family, "images"));
  double furthest = 0;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const torch::Tensor wanted = expected_tensor(family, "raw." + std::to_string(i));
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
    "Ultralytics' yolov8n and yolo11n, module or state dict, half, fused, wrapped: the imported "
    "network computes what PyTorch computes" *
    doctest::test_suite("needs Python")) {
  struct Family {
    const char* name;
    std::size_t norms;
  };
  for (const auto& [family, norms] : {Family{"yolov8", 57}, Family{"yolo11", 81}}) {
    if (!has_written(family)) return;
    for (const char* name :
         {"best.pt", "epoch.pt", "fused.pt", "wrapped.pt", "object.pt", "state.pt", "state_half.pt",
          "state_fused.pt", "state_wrapped.pt", "state_whole.pt", "state.safetensors"}) {
      CAPTURE(family);
      CAPTURE(name);
      const StartWeights start =
          read_start_weights(written_files(family) / name, family + std::string("n"));
      const std::string text = name;
      const bool is_module = !text.starts_with("state"),
                 is_fused = text.find("fused") != std::string::npos;
      CHECK(start.graph.classes == 3);
      CHECK(start.tensors.size() == norms * 5 + 6 * 2);
      CHECK(start.classes == (is_module ? std::vector<std::string>{"red", "green", "blue"}
                                        : std::vector<std::string>{}));
      CHECK(start.side == (is_module ? 64 : 0));
      CHECK(start.folded == is_fused);
      CHECK(start.norm_epsilon == (is_fused ? 0 : 1e-3));
      check_agreement("PyTorch, float64",
                      "Ultralytics' layout, " + std::string(family) + "n, " + text +
                          ": outputs, of the largest",
                      furthest_from_pytorch(start), 1e-4);
    }
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
  const std::array<std::pair<const char*, std::string>, 15> refusals{{
      {"yolov5.pt",
       "holds a network of YOLOv5 (models.yolo.Model), not yolov8n; files of Ultralytics' "
       "yolov8 and yolo11 can be imported"},
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
      {"nan.pt",
       "model.0.bn.weight holds values that are not finite; a training that diverged leaves such: "
       "take an earlier checkpoint"},
      {"longer.pt", "has model.23.conv.weight, which yolov8n does not" + other},
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
  CHECK_MESSAGE(larger.ends_with(": holds a yolov8n, not a yolov8s; --model yolov8n"), larger);
}

TEST_CASE("yolo11: what only its modules show is refused with the module" *
          doctest::test_suite("needs Python")) {
  if (!has_written("yolo11")) return;
  const std::array<std::pair<const char*, std::string>, 5> refusals{
      {{"heads.pt", "num_heads of module model.10.m.0.attn is 4, must be 2"},
       {"plain.pt", "add of module model.10.m.0 is 0, must be 1"},
       {"active.pt",
        "has torch.nn.modules.activation.SiLU as module model.10.m.0.attn.proj.act, where yolo11n "
        "has Identity"},
       {"nested.pt", "add of module model.6.m.0.m.1 is 0, must be 1"},
       {"groups.pt", "groups of module model.23.cv3.0.0.0.conv is 1, must be 64"}}};
  for (const auto& [name, message] : refusals) {
    CAPTURE(name);
    const std::filesystem::path file = written_files("yolo11") / "refused" / name;
    CHECK(message_of([&] { read_start_weights(file, "yolo11n"); }) ==
          "65 " + file.string() + ": " + message +
              "; it is of another architecture, or was changed");
  }
  // A head that is as wide as it has classes, as that of the published weights.
  const StartWeights many = read_start_weights(written_files("yolo11") / "many.pt", "yolo11n");
  CHECK(many.graph.classes == 80);
  CHECK(many.classes.back() == "class 79");
  const std::filesystem::path state = written_files("yolo11") / "state.pt";
  CHECK(message_of([&] { read_start_weights(state, "yolov8n"); }) ==
        "65 " + state.string() + ": holds a yolo11n, not a yolov8n; --model yolo11n");
}

TEST_CASE("layers are modules by their place: joins before blocks, the head by branches") {
  struct Case {
    const char *model, *layer, *module;
  };
  for (const auto& [model, layer, module] :
       {Case{"yolov8n", "stem", "0"}, Case{"yolov8n", "stage2_down", "3"},
        Case{"yolov8n", "stage2_split", "4.cv1"},
        Case{"yolov8n", "stage2_block2_second", "4.m.1.cv2"},
        Case{"yolov8n", "pooling_reduce", "9.cv1"}, Case{"yolov8n", "scale16_down", "16"},
        Case{"yolov8n", "scale16_join", "18.cv2"},
        Case{"yolov8n", "head32_class_output", "22.cv3.2.2"},
        Case{"yolo11n", "stage3_block1_inner2_first", "6.m.0.m.1.cv1"},
        Case{"yolo11n", "stage3_block1_side", "6.m.0.cv2"},
        Case{"yolo11n", "stage3_block1_join", "6.m.0.cv3"},
        Case{"yolo11n", "attention_block1_qkv", "10.m.0.attn.qkv"},
        Case{"yolo11n", "attention_block1_narrow", "10.m.0.ffn.1"},
        Case{"yolo11n", "head8_class_second_depth", "23.cv3.0.1.0"},
        Case{"yolo11n", "head8_class_second", "23.cv3.0.1.1"},
        Case{"yolo11n", "head16_box_second", "23.cv2.1.1"}}) {
    CAPTURE(layer);
    CHECK(ultralytics_module(*ultralytics_layout(model), layer) == module);
  }
  CHECK(ultralytics_layout("yolov3") == nullptr);
}

}  // namespace letterpress
