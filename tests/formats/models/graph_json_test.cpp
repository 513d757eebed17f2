#include <doctest/doctest.h>

#include "letterpress/base/error.h"
#include "letterpress/models/graph.h"

using namespace letterpress;

namespace {

// Written by hand from the header's description of the format.
const std::string kText =
    R"({"version":1,"model":"small","loss":"yolov3","classes":1,"side":16,"ignore_iou":0.25,"anchors":[4.5,4.0],)"
    R"("outputs":[3],"layers":[{"name":"images","kind":"input","inputs":[],"channels":3,"stage":"backbone"},)"
    R"({"name":"a","kind":"conv","inputs":[0],"channels":6,"kernel":3,"stride":2,"padding":1,"norm":true,)"
    R"("norm_epsilon":0.001,"norm_momentum":0.03,"activation":"leaky_relu","stage":"backbone"},)"
    R"({"name":"b","kind":"max_pool","inputs":[1],"channels":6,"kernel":2,"padding_end":1,"stage":"neck"},)"
    R"({"name":"c","kind":"head","inputs":[2],"channels":6,"head_stride":2,"anchor_mask":[0],"stage":"head"}]})";

std::string with(const std::string& old_text, const std::string& new_text) {
  std::string text = kText;
  const std::size_t at = text.find(old_text);
  REQUIRE(at != std::string::npos);
  return text.replace(at, old_text.size(), new_text);
}

}  // namespace

TEST_CASE("a graph written by hand is read field by field and written back as it was") {
  const Graph graph = graph_from_json(kText);
  CHECK(graph.model == "small");
  CHECK(graph.loss == "yolov3");
  CHECK(graph.ignore_iou == 0.25);
  CHECK(graph.anchors == std::vector<double>{4.5, 4});
  REQUIRE(graph.layers.size() == 4);
  const Layer& conv = graph.layers[1];
  CHECK(conv.kind == LayerKind::conv);
  CHECK(conv.inputs == std::vector<int>{0});
  CHECK(conv.channels == 6);
  CHECK(conv.kernel == 3);
  CHECK(conv.stride == 2);
  CHECK(conv.padding == 1);
  CHECK(conv.padding_end == -1);
  CHECK(conv.norm);
  CHECK(conv.norm_epsilon == 0.001);
  CHECK(conv.norm_momentum == 0.03);
  CHECK(conv.activation == Activation::leaky_relu);
  CHECK(conv.stage == "backbone");
  CHECK(graph.layers[2].padding_end == 1);
  CHECK(graph.layers[3].anchor_mask == std::vector<int>{0});
  CHECK(to_json(graph) == kText);
}

TEST_CASE("hostile JSON is refused with layer and field") {
  struct Case {
    std::string text;
    const char* message;
  };
  const Case cases[] = {
      {"", "graph: is not JSON; the file is damaged"},
      {"[]", "graph: is an array, must be an object"},
      {"7", "graph: is 7, must be an object"},
      {"{}", "graph: version is missing"},
      {with("\"version\":1", "\"version\":2"),
       "graph: version is 2, this program knows up to 1; use the letterpress that wrote it, or a "
       "newer one"},
      {with("\"version\":1", "\"version\":0"), "graph: version is 0, must be 1 or more"},
      {with("\"classes\":1", "\"classes\":\"1\""),
       "graph: classes is \"1\", must be a whole number"},
      {with("\"classes\":1", "\"classes\":1e99"),
       "graph: classes is 1e+99, must be a whole number"},
      {with("\"classes\":1", "\"classes\":4294967297"),
       "graph: classes is 4294967297, must be a whole number"},
      {with("\"classes\":1,", ""), "graph: classes is missing"},
      {with("[4.5,4.0]", "[4.5,null]"), "graph: anchors is an array, must be a list of numbers"},
      {with("\"outputs\":[3]", "\"outputs\":{}"),
       "graph: outputs is an object, must be a list of whole numbers"},
      {with("\"side\":16", "\"side\":16,\"scales\":[0]"),
       "graph: unknown field 'scales'; known: classes, side, layers, model, loss, anchors, mean, "
       "outputs, version, ignore_iou; written by "
       "a newer "
       "letterpress?"},
      {with("\"kind\":\"conv\"", "\"kind\":\"cnov\""),
       "layer 1 'a': unknown kind 'cnov'; did you mean 'conv'? known: conv, input"},
      {with("\"leaky_relu\"", "\"leaky\""),
       "layer 1 'a': unknown activation 'leaky'; known: relu, none, leaky_relu, silu"},
      {with("\"kind\":\"conv\",", ""), "layer 1 'a': kind is missing"},
      {with("\"kernel\":3", "\"kernel\":3.5"),
       "layer 1 'a': kernel is 3.5, must be a whole number"},
      {with("\"kernel\":3", "\"kernel\":[3,3]"),
       "layer 1 'a': kernel is an array, must be a whole number"},
      {with("\"norm\":true", "\"norm\":1"), "layer 1 'a': norm is 1, must be true or false"},
      {with("0.03", "\"x\""), "layer 1 'a': norm_momentum is \"x\", must be a number"},
      {with("\"inputs\":[1]", "\"inputs\":[2]"),
       "layer 2 'b': inputs names layer 2, must be an earlier one (0 to 1)"},
      {with("\"name\":\"b\"", "\"name\":3"), "layer 2: name is 3, must be a text"},
      {with("\"padding_end\":1", "\"dilation\":2"), "layer 2 'b': unknown field 'dilation'"},
      {with("{\"name\":\"b\",", "7,{\"name\":\"b\","), "layer 2: is 7, must be an object"},
  };
  for (const Case& one : cases) {
    CAPTURE(one.text);
    CHECK_THROWS_WITH_AS(graph_from_json(one.text), doctest::Contains(one.message), Error);
  }
}

TEST_CASE("a graph cut anywhere is refused") {
  for (std::size_t n = 0; n < kText.size(); ++n) {
    CAPTURE(n);
    CHECK_THROWS_AS(graph_from_json(kText.substr(0, n)), Error);
  }
}

TEST_CASE("a graph with any byte changed is refused or is a whole graph") {
  for (std::size_t i = 0; i < kText.size(); ++i) {
    for (const int bit : {1, 8, 64}) {
      std::string text = kText;
      text[i] = static_cast<char>(text[i] ^ bit);
      try {
        validate(graph_from_json(text));
      } catch (const Error& error) {
        CHECK(std::string(error.what()).size() > 10);
      }
    }
  }
}

TEST_CASE("a deeply nested text is refused without exhausting the stack") {
  CHECK_THROWS_WITH_AS(graph_from_json(std::string(1000000, '[')),
                       "graph: is nested deeper than 8 levels; the file is damaged", Error);
  const std::string deep = std::string(200000, '[') + std::string(200000, ']');
  CHECK_THROWS_WITH_AS(graph_from_json(with("\"side\":16", "\"side\":" + deep)),
                       doctest::Contains("nested deeper"), Error);
}
