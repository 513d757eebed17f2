// Help, the reference page, TOML files and refusals of flags.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "tests/tools/preprocess/preprocess_tool.h"

namespace letterpress {
namespace {

void refusal(const std::vector<std::string>& words, int exit_code, const std::string& text) {
  const ProgramResult result = preprocess(words);
  CAPTURE(result.err);
  CHECK(result.exit_code == exit_code);
  CHECK(result.err.find(text) != std::string::npos);
}

}  // namespace

TEST_CASE("--help of --allow-outside says what links may do") {
  const std::string help = preprocess({"build", "--help"}).out;
  CHECK(help.find("--allow-outside") != std::string::npos);
  CHECK(help.find("symbolic") != std::string::npos);
}

TEST_CASE("--help of --recipe says that detect is the default, and it is") {
  const std::string help = preprocess({"build", "--help"}).out;
  const std::size_t at = help.find("--recipe");
  REQUIRE(at != std::string::npos);
  CHECK(help.substr(at, 40).find("TEXT=detect ") != std::string::npos);
  DrawnSet set;
  set.pictures(2);
  std::vector<std::string> words = build_words(set);
  words.push_back("--verbose");
  const ProgramResult built = preprocess(words);
  CHECK(built.exit_code == 0);
  CHECK(built.out.find("\"recipe\":\"detect\"") != std::string::npos);
}

TEST_CASE("help and the reference page print the defaults that a build has") {
  const std::string help = preprocess({"build", "--help"}).out,
                    page = preprocess({"reference"}).out;
  for (const char* text : {"BYTES=256MiB ", "SHARE=5% ", "SHARE=1% ", "INT=416 "}) {
    CAPTURE(text);
    CHECK(help.find(text) != std::string::npos);
  }
  for (const char* row :
       {"\n## build\n", "\n## verify\n",
        "| `--shard-bytes` | BYTES | `256MiB` | bytes, for instance 256MiB | taken over |",
        "| `--max-removed` | SHARE | `5%` |",
        "| `--on-overflow` | TEXT | `error` | error or largest |"}) {
    CAPTURE(row);
    CHECK(page.find(row) != std::string::npos);
  }
}

TEST_CASE("flags may stand in a TOML file; the command line wins") {
  DrawnSet set;
  set.pictures(3);
  set.folder.write("build.toml", "size = 96\nviews = 1\nseed = 7\ninput = [\"" +
                                     (set.folder / "train.txt").string() + "\"]\n");
  const auto json = nlohmann::json::parse(
      preprocess({"build", "--config", (set.folder / "build.toml").string(), "--store",
                  (set.folder / "store").string(), "--classes",
                  (set.folder / "classes.txt").string(), "--views", "2", "--json"})
          .last_line());
  CHECK(json.at("configuration").at("size") == 96);
  CHECK(json.at("configuration").at("views") == 2);
  CHECK(json.at("configuration").at("seed") == 7);
}

TEST_CASE("each refusal has its exit code and its words on stderr") {
  DrawnSet set;
  set.pictures(4);
  const std::string store = (set.folder / "store").string();
  REQUIRE(preprocess(build_words(set)).exit_code == 0);
  refusal(build_words(set, {"--sise", "64"}), 64, "unknown flag '--sise'; did you mean '--size'?");
  refusal({"biuld"}, 64, "did you mean 'build'?");
  refusal({"build"}, 64, "letterpress-preprocess build: no --store given");
  refusal({"build", "--store", (set.folder / "new").string()}, 64,
          "no --input given, and the store has no earlier build to repeat");
  refusal(
      {"build", "--store", store, "--size", "96"}, 78,
      store + ": holds pictures of side 64, --size asks for 96; use another --store, or --rebuild");
  refusal({"build", "--store", store, "--size", "100"}, 64,
          "--size is 100, must be a multiple of 32");
  // What auto is inside is not to be written for it.
  refusal({"build", "--store", store, "--views", "-1"}, 64,
          "--views is '-1', must be auto or 0 to 1024");
  refusal({"build", "--store", store, "--tile", "64", "--scale", "-1"}, 64,
          "--scale is '-1', must be auto or 0.015625 (1/64) to 1");
  refusal({"build", "--store", store, "--recipe", "nnoe"}, 64, "did you mean 'none'?");
  refusal({"build", "--store", store, "--shard-bytes", "lots"}, 64,
          "--shard-bytes is 'lots', must be bytes, for instance 268435456, 256MiB or 10GB");
  refusal({"build", "--store", store, "--max-removed", "7"}, 64,
          "--max-removed is 7 (700%), must be a share like 0.01 or a percentage like 1%");
  refusal({"build", "--store", store, "--split", "test"}, 64,
          "--split is 'test', must be NAME=LABELS, for instance test=test.txt");
  refusal({"build", "--store", store, "--input", ""}, 64,
          "--input is empty, must be a label file or a folder");
  refusal({"build", "--store", store, "--on-overflow", "cut"}, 64,
          "--on-overflow is 'cut', must be error or largest");
  for (const std::string val : {"2", "-0.1", "nan", "150%", "1", "1e999"}) {
    refusal({"build", "--store", store, "--val=" + val}, 64,
            "--val is '" + val +
                "', must be a number from 0 to below 1, a percentage, or a label file");
  }
  refusal({"build", "--store", store, "--val="}, 64,
          "--val is '', must be a number from 0 to below 1, a percentage, or a label file");
  refusal({"build", "--store", store, "--group", ""}, 64, "--group is '', must be a text");
  refusal({"build", "--store", store, "--val", "/nope.txt"}, 66,
          "--val /nope.txt: there is no such file or folder (is a mount missing?)");
  refusal({"build", "--store", store, "--root", "/nope"}, 66,
          "--root /nope: there is no such file or folder (is a mount missing?)");
  for (const std::string seed : {"-1", "18446744073709551616", "x"}) {
    refusal({"build", "--store", store, "--seed=" + seed}, 64,
            "--seed is '" + seed + "', must be a whole number from 0 to 18446744073709551615");
  }
  refusal({"build", "--store", store, "--format", "vco"}, 64, "voc");
  refusal({"build", "--store", store, "--group", "(", "--val", "0.5"}, 64,
          "--group (: must be 'auto', 'none', 'folder' or a regular expression");
  refusal({"build", "--store", store, "--input", (set.folder / "gone.txt").string()}, 66,
          "gone.txt");
  refusal({"build", "--store", store, "--max-store-bytes", "1k", "--rebuild"}, 73,
          "--max-store-bytes allows");
  std::filesystem::remove(set.folder / "store" / "FORMAT");
  set.folder.write("store/FORMAT", "letterpress store 2\n");
  refusal({"build", "--store", store}, 78,
          "store format 2 is newer than this program's 1; update Letterpress");
  refusal({"verify", "--store", store}, 78, "store format 2 is newer");
}

}  // namespace letterpress
