#include <doctest/doctest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/contains.h"
#include "tests/tools/trainer/trained_run.h"

using namespace letterpress;

namespace {

std::string content_of(const std::string& file) {
  std::ostringstream text;
  text << std::ifstream(file, std::ios::binary).rdbuf();
  return text.str();
}

ProgramResult report(std::vector<std::string> words) {
  words.insert(words.begin(), "report");
  return trainer(words);
}

}  // namespace

TEST_CASE(
    "report --worst lists the pictures with the largest loss of the run's own store, as a table, "
    "JSON and CSV") {
  const TrainerBench bench;
  REQUIRE(trainer(bench.fit_words("run")).exit_code == 0);
  const ProgramResult result = report(
      {"--run", bench.path("run"), "--worst", "3", "--out", bench.path("worst.csv"), "--json"});
  REQUIRE_MESSAGE(result.exit_code == 0, result.err);
  CHECK(contains(result.err, "rows are read by "));
  CHECK(contains(result.out, "run/best.safetensors, snapshot 1 of "));
  CHECK(contains(result.out, "store, split train\n8 pictures, mean loss "));
  CHECK(contains(result.out, "box_xy    box_wh  objectness   classes  picture (its labels)\n"));
  const auto json = nlohmann::json::parse(result.last_line());
  CHECK(json.at("pictures") == 8);
  REQUIRE(json.at("worst").size() == 3);
  CHECK(json.at("worst").at(0).at("loss") >= json.at("worst").at(1).at("loss"));
  CHECK(json.at("worst").at(0).at("labels") == 2);
  CHECK(json.at("worst").at(0).at("path").get<std::string>().starts_with("/set/train"));
  const std::string csv = content_of(bench.path("worst.csv"));
  CHECK(csv.starts_with("loss,labels,box_xy,box_wh,objectness,classes,path,where\n"));
  CHECK(std::count(csv.begin(), csv.end(), '\n') == 9);
  CHECK(contains(csv, "," + json.at("worst").at(0).at("path").get<std::string>() + ",labels.txt:"));

  // Another split, from a checkpoint whose store was moved.
  std::filesystem::rename(bench.folder / "store", bench.folder / "moved");
  const std::string last = bench.path("run/last.safetensors");
  CHECK(report({"--run", last, "--worst", "3"}).exit_code == 66);
  const ProgramResult val = report({"--run", last, "--store", bench.path("moved"), "--worst", "9",
                                    "--split", "val", "--by", "per-label", "--json"});
  REQUIRE_MESSAGE(val.exit_code == 0, val.err);
  CHECK(nlohmann::json::parse(val.last_line()).at("worst").size() == 3);
}

TEST_CASE("report writes the page into the run's folder, or where it is told") {
  const TrainerBench bench;
  REQUIRE(trainer(bench.fit_words("run")).exit_code == 0);
  const ProgramResult result = report({"--run", bench.path("run"), "--json"});
  REQUIRE_MESSAGE(result.exit_code == 0, result.err);
  const std::size_t reading = result.err.find("rows are read by ");
  CHECK(reading != std::string::npos);
  CHECK(result.err.find("rows are read by ", reading + 1) == std::string::npos);  // of two passes
  CHECK(contains(result.out, "run/report.html: "));
  CHECK(contains(result.out, "; open it in a browser\n"));
  const std::string page = content_of(bench.path("run/report.html"));
  CHECK(page.starts_with("<!DOCTYPE html>"));
  CHECK(page.ends_with("</html>\n"));
  CHECK(nlohmann::json::parse(result.last_line()).at("bytes") == page.size());
  CHECK(report({"--run", bench.path("run")}).exit_code == 0);  // over its own page
  REQUIRE(report({"--run", bench.path("run"), "--out", bench.path("page.html"), "--split", "train",
                  "--pictures", "1"})
              .exit_code == 0);
  CHECK(content_of(bench.path("page.html")).size() < page.size());
}

TEST_CASE("what report cannot do is said with its exit code before any work") {
  const TrainerBench bench;
  REQUIRE(trainer(bench.fit_words("run")).exit_code == 0);
  const auto check = [&](int code, std::vector<std::string> words, const std::string& text) {
    CAPTURE(text);
    words.insert(words.begin(), {"--run", bench.path("run")});
    const ProgramResult result = report(words);
    CHECK(result.exit_code == code);
    CHECK_MESSAGE(contains(result.err, text), result.err);
  };
  check(64, {"--worst", "-1"}, "--worst is -1, must be 0 (the page) or more pictures");
  check(64, {"--by", "box_xy"}, "--by: orders what --worst lists; give --worst, too");
  check(64, {"--pictures", "101"}, "--pictures is 101, must be 0 to 100");
  check(64, {"--worst", "3", "--by", "los"}, "--by: unknown order 'los'; did you mean 'loss'?");
  check(64, {"--worst", "3", "--split", "trian"},
        "--split: unknown split 'trian'; did you mean 'train'?");
  check(66, {"--worst", "3", "--store", bench.path("none")}, "none");
  bench.folder.write("other.csv", "precious\n");
  check(73, {"--worst", "3", "--out", bench.path("other.csv")},
        "is there and is not a CSV file; name another file, or remove this one");
  check(73, {"--out", bench.path("other.csv")},
        "is there and is not an HTML file; name another file, or remove this one");
}
