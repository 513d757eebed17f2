// import and fit of files in the layout of Ultralytics' programs, which
// tests/trainer/exchange/write_yolov8.py writes.
#include <doctest/doctest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "letterpress/base/file.h"
#include "tests/read_by_python.h"
#include "tests/tools/trainer/trained_run.h"

using namespace letterpress;

namespace {

/// A drawn store of red, green and blue, and the written files. Without Python there are none.
struct Yolov8Bench : TrainerBench {
  Yolov8Bench() : TrainerBench({.train = 4, .val = 2}) {
    std::filesystem::create_directory(folder / "files");
    check_read_by_python("tests/trainer/exchange/write_yolov8.py", folder / "files");
    folder.write("other.names", "blue\nred\ngreen\n");
    folder.write("two.names", "blue\nblack\n");
  }
  bool has_files() const { return std::filesystem::exists(folder / "files/expected.safetensors"); }
  std::string file(const std::string& name) const { return path("files/" + name); }

  ProgramResult import(const std::string& name, std::vector<std::string> more = {}) const {
    std::vector<std::string> words{"import",  "--weights", file(name),           "--model",
                                   "yolov8n", "--out",     path("b.safetensors")};
    words.insert(words.end(), more.begin(), more.end());
    return trainer(words);
  }
};
const Yolov8Bench& yolov8_bench() {
  static const Yolov8Bench bench;
  return bench;
}

std::string last_part(const ProgramResult& result, const std::string& text) {
  const std::size_t at = result.out.find(text);
  return at == std::string::npos ? "not said: " + result.out + result.err : result.out.substr(at);
}

}  // namespace

TEST_CASE("a module gives its class names and side; --classes and --size win" *
          doctest::test_suite("needs Python")) {
  const Yolov8Bench& bench = yolov8_bench();
  if (!bench.has_files()) return;
  const ProgramResult whole = bench.import("best.pt", {"--json"});
  REQUIRE_MESSAGE(whole.exit_code == 0, whole.err);
  const auto summary = nlohmann::json::parse(whole.last_line());
  CHECK(summary.at("classes") == nlohmann::json({"red", "green", "blue"}));
  CHECK(summary.at("side") == 64);
  CHECK(summary.at("loaded") == 297);
  CHECK(summary.at("tensors") == 297);
  CHECK(summary.at("notes") ==
        nlohmann::json({"norms: its program adds 0.001 to their variances; ours were changed so "
                        "that they compute the same"}));
  const ProgramResult larger =
      bench.import("best.pt", {"--size", "96", "--classes", bench.path("other.names")});
  CHECK(last_part(larger, "the same classes") ==
        "the same classes in another order: the head's rows were put from red, green, blue into "
        "blue, red, green\n" +
            bench.path("b.safetensors") + ": yolov8n of side 96 with 297 of 297 tensors from " +
            bench.file("best.pt") + " (pytorch)\n");
}

TEST_CASE(
    "other classes keep the rows that they share, and import says that the rest needs training" *
    doctest::test_suite("needs Python")) {
  const Yolov8Bench& bench = yolov8_bench();
  if (!bench.has_files()) return;
  CHECK(last_part(bench.import("best.pt", {"--classes", bench.path("two.names")}), "3 classes") ==
        "3 classes became 2: the head's rows of blue are kept; random start: black; left out: red, "
        "green\n" +
            bench.path("b.safetensors") + ": yolov8n of side 64 with 297 of 297 tensors from " +
            bench.file("best.pt") +
            " (pytorch); the others have a random start, train it before use (fit --init)\n");
}

TEST_CASE("a file that does not name its classes needs --classes, as many as it has" *
          doctest::test_suite("needs Python")) {
  const Yolov8Bench& bench = yolov8_bench();
  if (!bench.has_files()) return;
  for (const char* name : {"state.pt", "unnamed.pt"}) {
    CAPTURE(name);
    const ProgramResult result = bench.import(name);
    CHECK(result.exit_code == 64);
    CHECK(result.err == "letterpress-trainer import: --classes: is not given, and " +
                            bench.file(name) +
                            " does not name its classes; name a file with one per line, in the "
                            "order of the weights' classes\n");
  }
  CHECK(bench.import("state.pt", {"--classes", bench.path("other.names")}).exit_code == 0);
  CHECK(bench.import("state.pt", {"--classes", bench.path("two.names")}).exit_code == 78);
  const ProgramResult masked = bench.import("best.pt", {"--masks", "all"});
  CHECK(masked.exit_code == 64);
  CHECK(contains(masked.err, "--masks: of yolov8n there is nothing to choose; leave the flag out"));
}

TEST_CASE("a file with code in it is refused in one line, and nothing is executed or written" *
          doctest::test_suite("needs Python")) {
  const Yolov8Bench& bench = yolov8_bench();
  if (!bench.has_files()) return;
  std::filesystem::remove(bench.path("b.safetensors"));
  const ProgramResult result = bench.import("refused/code.pt");
  CHECK(result.exit_code == 65);
  CHECK(result.out.empty());
  CHECK(result.err.find("calls posix.system when Python loads it") != std::string::npos);
  CHECK(std::ranges::count(result.err, '\n') == 1);
  CHECK_FALSE(std::filesystem::exists(bench.file("executed")));
  CHECK_FALSE(std::filesystem::exists(bench.path("b.safetensors")));
}

TEST_CASE("a fused file says that it is not a good start of a training" *
          doctest::test_suite("needs Python")) {
  const Yolov8Bench& bench = yolov8_bench();
  if (!bench.has_files()) return;
  CHECK(last_part(bench.import("fused.pt"), "its norms are") ==
        "its norms are folded into the convolutions: it predicts the same, but start a training "
        "from a file that is not fused\n" +
            bench.path("b.safetensors") + ": yolov8n of side 64 with 297 of 297 tensors from " +
            bench.file("fused.pt") + " (pytorch)\n");
}

TEST_CASE("fit --pretrained takes such a file, and says what became of the head" *
          doctest::test_suite("needs Python")) {
  const Yolov8Bench& bench = yolov8_bench();
  if (!bench.has_files()) return;
  const auto fit = [&](const std::string& name) {
    return trainer(
        bench.fit_words("from_" + name, {"--model", "yolov8n", "--pretrained", bench.file(name)}));
  };
  const ProgramResult same = fit("best.pt");
  REQUIRE_MESSAGE(same.exit_code == 0, same.err);
  CHECK(same.err.find("(pytorch): 297 of 297 tensors") != std::string::npos);
  CHECK(same.err.find("random start") == std::string::npos);
  const ProgramResult eighty = fit("eighty.pt");
  REQUIRE_MESSAGE(eighty.exit_code == 0, eighty.err);
  CHECK(eighty.err.find("80 classes became 3: the branches of the classes have other shapes, so "
                        "they have a random start; backbone, neck and boxes are kept") !=
        std::string::npos);
}
