#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "tests/contains.h"
#include "tests/tools/preprocess/preprocess_tool.h"

namespace letterpress {

TEST_CASE("--verbose prints every flag first; --quiet prints nothing but --json's object") {
  DrawnSet set;
  set.pictures(5);
  CHECK(preprocess(build_words(set, {"--verbose"}))
            .out.starts_with("configuration {\"input\":[\"" + (set.folder / "train.txt").string() +
                             "\"]"));
  const ProgramResult quiet = preprocess(build_words(set, {"--quiet", "--rebuild"}));
  CHECK(quiet.exit_code == 0);
  CHECK(quiet.out.empty());
  CHECK(quiet.err.empty());
  const ProgramResult json = preprocess(build_words(set, {"--quiet", "--json"}));
  CHECK(json.err.empty());
  CHECK(nlohmann::json::parse(json.out).at("outcome") == "unchanged");
  std::filesystem::remove(set.folder / "train.txt");
  const ProgramResult failed = preprocess(build_words(set, {"--quiet"}));
  CHECK(failed.exit_code == 66);
  CHECK(failed.out.empty());
  CHECK(failed.err.find("train.txt") != std::string::npos);
}

TEST_CASE("what is said where standard streams are closed goes into no file") {
  DrawnSet set;
  set.pictures(5);
  struct Case {
    const char* closed;
    int exit_code;
  };
  for (const auto& [closed, exit_code] :
       {Case{"<&- 2>&-", 0}, {"2>&-", 0}, {"<&- >&- 2>&-", 74}, {"<&- >&-", 74}}) {
    CAPTURE(closed);
    std::vector<std::string> words{"/bin/sh", "-c", std::string("exec \"$@\" ") + closed, "sh",
                                   program_path("letterpress-preprocess")};
    for (const std::string& word : build_words(set, {"--verbose"})) words.push_back(word);
    std::filesystem::remove_all(set.folder / "store");
    CHECK(run(words).exit_code == exit_code);
    CHECK(std::filesystem::file_size(set.folder / "store/lock") == 0);
    const ProgramResult verified =
        preprocess({"verify", "--deep", "--store", set.folder / "store"});
    CHECK_MESSAGE(verified.exit_code == 0, verified.err);
  }
}

TEST_CASE("--json prints its object when a build fails, too, with the parts of the message") {
  DrawnSet set;
  set.pictures(4);
  set.list("train.txt", "p0.png 10,10,40,30,0\np1.png 10,10,40\n");
  const ProgramResult failed = preprocess(build_words(set, {"--json"}));
  CHECK(failed.exit_code == 65);
  const auto json = nlohmann::json::parse(failed.last_line());
  CHECK(json.at("outcome") == "failed");
  CHECK(json.at("exit_code") == 65);
  CHECK(json.at("store") == (set.folder / "store").string());
  for (const char* part : {"where", "what", "fix"}) {
    CAPTURE(part);
    REQUIRE(json.at(part).is_string());
    CHECK(failed.err.find(json.at(part).get<std::string>().substr(0, 40)) != std::string::npos);
  }
  CHECK(!json.at("what").get<std::string>().empty());
}

TEST_CASE(
    "--json prints its object when flags are wrong, in words or in their file, and a command "
    "other than build fails") {
  DrawnSet set;
  struct Case {
    std::vector<std::string> words;
    int exit_code;
    const char* what;
  };
  const std::string none = (set.folder / "none").string();
  set.list("flags.toml", "json = true\nstore = \"elsewhere\"\n");
  for (const auto& [words, exit_code, what] :
       {Case{{"build", "--json", "--sizes", "416"}, 64, "unknown flag '--sizes'"},
        Case{{"build", "--store", none, "--input", none, "--size", "17", "--json"}, 64, "17"},
        Case{{"biuld", "--json"}, 64, "unknown command 'biuld'"},
        Case{{"lint", "--store", none, "--json"}, 66, none.c_str()},
        Case{{"info", "--config", (set.folder / "flags.toml").string()}, 66, "elsewhere"}}) {
    CAPTURE(what);
    const ProgramResult failed = preprocess(words);
    CHECK(failed.exit_code == exit_code);
    const auto json = nlohmann::json::parse(failed.last_line());
    CHECK(json.at("outcome") == "failed");
    CHECK(json.at("exit_code") == exit_code);
    CHECK_CONTAINS(json.at("where").get<std::string>() + json.at("what").get<std::string>(), what);
  }
  CHECK(preprocess({"build", "--sizes", "416"}).out.empty());
}

// IoU 380 / 420 of two boxes of 20 x 20 that lie 1 pixel apart; 2 x 30 pixels become 1.6 x 24.
TEST_CASE("build ends with what lint would say, in counts") {
  DrawnSet set;
  set.pictures(3);
  set.list("classes.txt", "cat\n");
  set.list("train.txt", "p0.png 10,10,30,30,0 11,10,31,30,0\np1.png 10,10,12,40,0\n");
  const ProgramResult built = preprocess(build_words(set, {"--json"}));
  CHECK(built.out.find("\nworth a look: 1 aspect, 1 double-box, 1 tiny-box "
                       "(`letterpress-preprocess lint` names them)\n") != std::string::npos);
  const auto json = nlohmann::json::parse(built.last_line());
  CHECK(json.at("findings").at("double-box") == 1);
  CHECK(json.at("findings").size() == 3);
  const ProgramResult same = preprocess(build_words(set));
  CHECK(same.out.find("worth a look") == std::string::npos);
  CHECK(built.out.find("not looked at") == std::string::npos);
}

TEST_CASE("a build with a split that was given says that nobody has looked for scenes in both") {
  DrawnSet set;
  set.pictures(3);
  set.list("classes.txt", "cat\n");
  set.list("train.txt", "p0.png 10,10,30,30,0\np1.png 10,10,30,40,0\n");
  set.list("val.txt", "p2.png 10,10,30,30,0\n");
  const ProgramResult built =
      preprocess(build_words(set, {"--val", (set.folder / "val.txt").string()}));
  CHECK_CONTAINS(built.out,
                 "\nnot looked at: whether other splits show what train shows "
                 "(`letterpress-preprocess lint` tells)\n");
}

}  // namespace letterpress
