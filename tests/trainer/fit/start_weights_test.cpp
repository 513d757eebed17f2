#include <map>
#include <set>

#include "tests/trainer/fit/run_bench.h"

using namespace letterpress;

TEST_CASE("start weights are taken over where they fit, the rest is named") {
  RunBench bench;
  Trainer(bench.options("first", 1)).run();
  FitOptions options = bench.options("second", 1);
  options.init = bench.dir / "first";
  {
    Trainer second(options);
    CHECK(bench.noted("6 anchors (of the start weights)"));
    CHECK(bench.noted("59 of 59 tensors, see "));
    CHECK_FALSE(bench.noted("rows of"));
  }
  DrawnStore{.train = 2, .class_names = {"red", "green", "blue", "violet"}}.publish(bench.dir /
                                                                                    "wider");
  options.store = bench.dir / "wider";
  options.out = bench.dir / "third";
  {
    Trainer third(options);
    CHECK(bench.noted(
        "scale16_output.bias: box and objectness rows, rows of red, green, blue; new: violet"));
    CHECK(read_file(options.out / "start_weights.txt").find("conv1.weight") != std::string::npos);
  }
  options.match = Match::strict;
  options.out = bench.dir / "strict";
  check_error(
      Exit::configuration,
      "4 tensors do not fit narrow-yolov3-tiny with 4 classes: scale16_output.bias not loaded: "
      "the model has [27]",
      [&] { Trainer strict(options); });
  options.match = Match::name;
  options.pretrained = bench.dir / "first";
  check_error(Exit::usage, "--init and --pretrained: both name start weights; give one of them",
              [&] { Trainer both(options); });
  options.init.clear();
  options.out = bench.dir / "pretrained";
  {
    Trainer pretrained(options);
    CHECK(bench.noted("(k-means over "));
    CHECK(bench.noted("(letterpress): 59 of 59 tensors, see "));
  }
  options.pretrained.clear();
  const std::string other = (bench.dir / "best.pt").string();
  replace_file(other, std::string("PK\x03\x04 and so on"));
  options.init = other;
  check_error(Exit::data,
              "--init " + other +
                  ": is not a checkpoint of this program, but weights of format pytorch; another "
                  "program's weights go with --pretrained",
              [&] { Trainer elsewhere(options); });
  const std::string cut = (bench.dir / "cut.weights").string();
  replace_file(cut, read_file(bench.dir / "first" / "last.safetensors").substr(0, 5000));
  options.init = cut;
  check_error(Exit::data, cut + ": not a readable safetensors file",
              [&] { Trainer damaged(options); });
  options.init = bench.dir / "nowhere";
  options.out = bench.dir / "fourth";
  check_error(Exit::no_input, "--init " + (bench.dir / "nowhere").string() + ": is not there",
              [&] { Trainer fourth(options); });
}

TEST_CASE("a folder with files of no run of ours is not trained into") {
  RunBench bench;
  for (const char* name : {"best.safetensors", "results.csv", "configuration.json"}) {
    CAPTURE(name);
    FitOptions options = bench.options(std::string("of ") + name, 1);
    std::filesystem::create_directory(options.out);
    replace_file(options.out / name, std::string("{}\n"));
    check_error(Exit::cannot_create,
                "--out " + options.out.string() + ": holds " + name +
                    ", which is of no run of this program there; name another folder, or move that "
                    "file away",
                [&] { Trainer other(options); });
    CHECK(read_file(options.out / name) == "{}\n");
  }
}

TEST_CASE(
    "published anchors keep the published masks, also as start weights; computed ones are all "
    "used") {
  RunBench bench;
  const auto masks_of = [&](const std::string& run, const std::string& anchors,
                            const std::string& init) {
    FitOptions options = bench.options(run, 1);
    options.anchors = anchors;
    if (!init.empty()) options.init = bench.dir / init;
    Trainer(options).run();
    const Graph graph = read_checkpoint(options.out / "last.safetensors", true).info.graph;
    std::map<int, std::vector<int>> masks;  // by stride
    for (const int output : graph.outputs) {
      const Layer& head = graph.layers.at(static_cast<std::size_t>(output));
      masks[head.head_stride] = head.anchor_mask;
    }
    return masks;
  };
  const std::map<int, std::vector<int>> published{{16, {1, 2, 3}}, {32, {3, 4, 5}}},
      all{{16, {0, 1, 2}}, {32, {3, 4, 5}}};
  CHECK(masks_of("published", "model", "") == published);
  CHECK(masks_of("continued", "auto", "published") == published);
  CHECK(masks_of("computed", "auto", "") == all);
}
