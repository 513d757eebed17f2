#include <doctest/doctest.h>

#include <cstring>
#include <nlohmann/json.hpp>

#include "letterpress/base/file.h"
#include "tests/contains.h"
#include "tests/tools/trainer/trained_run.h"

using namespace letterpress;

namespace {

nlohmann::json metrics_of(const TrainerBench& bench, const std::string& checkpoint) {
  const ProgramResult result = trainer({"eval", "--store", bench.path("store"), "--checkpoint",
                                        bench.path(checkpoint), "--device", "cpu", "--json"});
  REQUIRE_MESSAGE(result.exit_code == 0, result.err);
  return nlohmann::json::parse(result.last_line());
}

/// A safetensors file as other programs write it: with the tensors, but without our metadata.
std::string without_metadata(const std::string& file) {
  std::uint64_t size = 0;
  std::memcpy(&size, file.data(), sizeof size);
  nlohmann::json header = nlohmann::json::parse(file.substr(sizeof size, size));
  header.erase("__metadata__");
  std::string text = header.dump();
  text.resize((text.size() + 7) / 8 * 8, ' ');
  const std::uint64_t length = text.size();
  return std::string(reinterpret_cast<const char*>(&length), sizeof length) + text +
         file.substr(sizeof size + size);
}

std::string joined(const nlohmann::json& numbers) {
  std::string text;
  for (const double number : numbers)
    text += (text.empty() ? "" : ",") + nlohmann::json(number).dump();
  return text;
}

/// A run, exported to Darknet as a.cfg, a.weights and a.names.
struct ExportedBench : TrainerBench {
  ExportedBench() {
    const ProgramResult fitted = trainer(fit_words("run"));
    REQUIRE_MESSAGE(fitted.exit_code == 0, fitted.err);
    REQUIRE(
        trainer({"export", "--checkpoint", path("run"), "--to", "darknet", "--out", path("a.cfg")})
            .exit_code == 0);
  }
  ProgramResult import(std::vector<std::string> more, const std::string& weights = "a.weights",
                       const std::string& names = "a.names") const {
    std::vector<std::string> words{"import",    "--weights",   path(weights),
                                   "--model",   "yolov3-tiny", "--classes",
                                   path(names), "--out",       path("b.safetensors")};
    words.insert(words.end(), more.begin(), more.end());
    return trainer(words);
  }
};
/// One for all tests; each writes b.safetensors anew.
const ExportedBench& exported_bench() {
  static const ExportedBench bench;
  return bench;
}

std::string refused(const ProgramResult& result) {
  return std::to_string(result.exit_code) + " " + result.err;
}

}  // namespace

TEST_CASE("what is exported to Darknet and imported again gives the same metrics") {
  const ExportedBench& bench = exported_bench();
  const auto described = nlohmann::json::parse(
      trainer({"inspect", "--checkpoint", bench.path("run"), "--json"}).last_line());
  const ProgramResult imported =
      bench.import({"--size", "64", "--anchors", joined(described.at("anchors")), "--letterbox",
                    "ultralytics", "--json"});
  REQUIRE_MESSAGE(imported.exit_code == 0, imported.err);
  CHECK(imported.out.find("convolution 0 weight") != std::string::npos);
  CHECK(imported.out.find("-> scale16_output.weight\n") != std::string::npos);
  CHECK(imported.out.find(bench.path("b.safetensors") +
                          ": yolov3-tiny of side 64 with 59 of 59 tensors from " +
                          bench.path("a.weights") + " (darknet)\n") != std::string::npos);
  const auto summary = nlohmann::json::parse(imported.last_line());
  CHECK(summary.at("loaded") == 59);
  CHECK(summary.at("rows").size() == 59);
  const nlohmann::json before = metrics_of(bench, "run"),
                       after = metrics_of(bench, "b.safetensors");
  for (const char* metric : {"map50", "map50_95", "recall"}) {
    CAPTURE(metric);
    CHECK(after.at(metric).get<double>() ==
          doctest::Approx(before.at(metric).get<double>()).epsilon(1e-3));
  }
}

TEST_CASE("published anchors are imported in their pixels, whatever the side, and named or not") {
  const ExportedBench& bench = exported_bench();
  const std::vector<double> published{10, 14, 23, 27, 37, 58, 81, 82, 135, 169, 344, 319};
  for (const std::vector<std::string>& more :
       {std::vector<std::string>{}, {"--anchors", joined(published)}}) {
    std::vector<std::string> words{"--size", "608"};
    words.insert(words.end(), more.begin(), more.end());
    const ProgramResult imported = bench.import(words);
    REQUIRE(imported.exit_code == 0);
    CHECK(contains(imported.out,
                   "anchors: the published ones of yolov3-tiny are taken, 10,14,23,27,37,58,81,82,"
                   "135,169,344,319; where its cfg or program has others pass --anchors\n") ==
          more.empty());
    CHECK_CONTAINS(imported.out, "as keras-yolo3 does; --letterbox chooses\n");
    const auto described = nlohmann::json::parse(
        trainer({"inspect", "--checkpoint", bench.path("b.safetensors"), "--json"}).last_line());
    CHECK(described.at("anchors") == published);
    REQUIRE(trainer({"export", "--checkpoint", bench.path("b.safetensors"), "--to", "darknet",
                     "--out", bench.path("again.cfg")})
                .exit_code == 0);
    CHECK(contains(read_file(bench.path("again.cfg")), "mask=1,2,3"));
  }
  REQUIRE(bench.import({"--size", "608", "--masks", "all"}).exit_code == 0);
  REQUIRE(trainer({"export", "--checkpoint", bench.path("b.safetensors"), "--to", "darknet",
                   "--out", bench.path("again.cfg")})
              .exit_code == 0);
  CHECK(contains(read_file(bench.path("again.cfg")), "mask=0,1,2"));
  // Anchors of one's own are all used, unless the weights are of the published masks.
  const std::string own = "9,11,20,22,30,33,40,44,50,55,60,66";
  for (const std::vector<std::string>& more :
       {std::vector<std::string>{}, {"--masks", "published"}}) {
    std::vector<std::string> words{"--anchors", own};
    words.insert(words.end(), more.begin(), more.end());
    REQUIRE(bench.import(words).exit_code == 0);
    REQUIRE(trainer({"export", "--checkpoint", bench.path("b.safetensors"), "--to", "darknet",
                     "--out", bench.path("again.cfg")})
                .exit_code == 0);
    CHECK(contains(read_file(bench.path("again.cfg")), more.empty() ? "mask=0,1,2" : "mask=1,2,3"));
  }
}

TEST_CASE("names that build would refuse are refused, and a byte order mark is none of a name") {
  const ExportedBench& bench = exported_bench();
  const std::string names = bench.path("other.names");
  const auto import = [&](const std::string& text) {
    replace_file(names, text);
    return refused(
        trainer({"import", "--weights", bench.path("a.weights"), "--model", "yolov3-tiny",
                 "--classes", names, "--out", bench.path("n.safetensors")}));
  };
  CHECK(contains(import("red\ngreen\nred\n"), "65 letterpress-trainer import: " + names +
                                                  ": classes 0 and 2 are both called 'red'"));
  CHECK(contains(import("red\ncaf\xe9\nblue\n"), ": class 'caf\\xe9' is not UTF-8"));
  CHECK(contains(import("red\ngr\teen\nblue\n"), " holds a control character"));
  CHECK(contains(import("red\n\ngreen\nblue\n"), names + ":2: is empty, so the ids"));
  CHECK(contains(import("names: [red, green, blue]\n"), "YAML"));
  CHECK(import("\xEF\xBB\xBFred \ngreen\nblue\n").starts_with("0 "));
  CHECK(contains(trainer({"inspect", "--checkpoint", bench.path("n.safetensors"), "--json"}).out,
                 R"(["red","green","blue"])"));
}

TEST_CASE("each refusal of import has its exit code and its words") {
  const ExportedBench& bench = exported_bench();
  bench.folder.write("two.names", "red\ngreen\n");
  CHECK(refused(bench.import({}, "a.weights", "two.names"))
            .find("two.names: names 2 classes, the output layers of " + bench.path("a.weights") +
                  " are made for 3; name those") != std::string::npos);
  bench.folder.write("none.names", "\n");
  CHECK(refused(bench.import({}, "a.weights", "none.names")).starts_with("65 "));
  const std::string whole = read_file(bench.path("a.weights"));
  bench.folder.write("cut.weights", whole.substr(0, whole.size() - 4000));
  CHECK(
      refused(bench.import({}, "cut.weights"))
          .starts_with("65 letterpress-trainer import: " + bench.path("cut.weights") + ": holds "));
  CHECK(refused(bench.import({}, "run/best.safetensors"))
            .find("is a checkpoint of ours already; use it as it is") != std::string::npos);
  const ProgramResult over_a_run =
      trainer({"import", "--weights", bench.path("a.weights"), "--model", "yolov3-tiny",
               "--classes", bench.path("a.names"), "--out", bench.path("run/best.safetensors")});
  CHECK(over_a_run.exit_code == 73);
  CHECK_MESSAGE(contains(over_a_run.err, "run/best.safetensors: is a file of the run in " +
                                             bench.path("run") + "; name another file"),
                over_a_run.err);
  CHECK(refused(bench.import({}, "nothing")).starts_with("66 "));
  CHECK(refused(bench.import({"--norm-epsilon", "1"}))
            .find("--norm-epsilon is 1, must be 0 (the file's own) or more and under 1") !=
        std::string::npos);
  CHECK(
      refused(bench.import({"--mean", "0.4,0.2,0.1"}))
          .starts_with("64 letterpress-trainer import: --mean: yolov3-tiny subtracts none; leave"));
  CHECK(refused(bench.import({"--letterbox", "yolo"}))
            .find("unknown letterbox system 'yolo'; did you mean 'yolox'?") != std::string::npos);
}

TEST_CASE("fit starts from Darknet's weights, and refuses cut and missing ones") {
  const ExportedBench& bench = exported_bench();
  const std::string whole = read_file(bench.path("a.weights"));
  bench.folder.write("cut.weights", whole.substr(0, whole.size() - 4000));
  const ProgramResult started = trainer(bench.fit_words(
      "from_darknet", {"--pretrained", bench.path("a.weights"), "--match", "strict"}));
  REQUIRE_MESSAGE(started.exit_code == 0, started.err);
  CHECK(started.err.find("start weights of " + bench.path("a.weights") +
                         " (darknet): 59 of 59 tensors, see " +
                         bench.path("from_darknet/start_weights.txt")) != std::string::npos);
  CHECK(read_file(bench.path("from_darknet/start_weights.txt")).find("convolution 0 norm.bias") !=
        std::string::npos);
  CHECK(refused(trainer(bench.fit_words("r2", {"--pretrained", bench.path("cut.weights")})))
            .starts_with("65 "));
  CHECK(refused(trainer(bench.fit_words("r3", {"--pretrained", bench.path("gone")})))
            .find("--pretrained " + bench.path("gone") + ": is not there") != std::string::npos);
  CHECK(refused(trainer(bench.fit_words("r4", {"--match", "all"})))
            .find("--match is 'all', must be strict, shape or name") != std::string::npos);
}

TEST_CASE("of weights that hold a backbone only the rest has a random start") {
  const ExportedBench& bench = exported_bench();
  const std::string whole = read_file(bench.path("a.weights"));
  bench.folder.write("two.names", "red\ngreen\n");
  // Header and the first convolution: a backbone.
  bench.folder.write("first.weights", whole.substr(0, 20 + 4 * (16 * 27 + 16 * 4)));
  const ProgramResult backbone = bench.import({}, "first.weights", "two.names");
  REQUIRE_MESSAGE(backbone.exit_code == 0, backbone.err);
  const auto started = [&](const char* run, const char* match) {
    return trainer(
        bench.fit_words(run, {"--pretrained", bench.path("first.weights"), "--match", match}));
  };
  CHECK(refused(started("by_all", "strict")).starts_with("78 "));
  const ProgramResult by_shape = started("by_shape", "shape");
  REQUIRE_MESSAGE(by_shape.exit_code == 0, by_shape.err);
  CHECK(by_shape.err.find("(darknet): 5 of 59 tensors, see ") != std::string::npos);
  CHECK(backbone.out.find(
            "with 5 of 59 tensors from " + bench.path("first.weights") +
            " (darknet); the others have a random start, train it before use (fit --init)") !=
        std::string::npos);
}

TEST_CASE(
    "a classifier's weights are used with the mean that was subtracted when they were trained") {
  const TrainerBench bench({.side = 32, .train = 8, .val = 6, .whole_pictures = true});
  REQUIRE(trainer(bench.fit_words("run", {"--model", "minigooglenet"})).exit_code == 0);
  bench.folder.write("a.safetensors",
                     without_metadata(read_file(bench.path("run/best.safetensors"))));
  bench.folder.write("a.names", "red\ngreen\nblue\n");
  const auto import = [&](const std::string& model, const std::string& mean) {
    const ProgramResult result =
        trainer({"import", "--weights", bench.path("a.safetensors"), "--model", model, "--classes",
                 bench.path("a.names"), "--size", "32", "--letterbox", "ultralytics", "--mean",
                 mean, "--out", bench.path("b.safetensors")});
    return std::to_string(result.exit_code) + " " + result.err;
  };
  CHECK(import("minigooglenet", "0.4,0.2")
            .find("--mean is 0.4,0.2, must be three numbers 0 to 1: red, green, blue") !=
        std::string::npos);
  CHECK(import("minigooglenet", "102,51,25.5").starts_with("64 "));
  REQUIRE(import("minigooglenet", "0.4,0.2,0.1").starts_with("0 "));  // the drawn store's
  CHECK(read_file(bench.path("b.safetensors")).find("[0.4,0.2,0.1]") != std::string::npos);
  CHECK(metrics_of(bench, "b.safetensors") == metrics_of(bench, "run"));
}
