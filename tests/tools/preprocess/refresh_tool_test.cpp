#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "preprocess_tool.h"

namespace letterpress {
namespace {

using nlohmann::json;

// A store of four pictures with two views.
struct Refreshable {
  DrawnSet set;
  std::string store = (set.folder / "store").string();
  Refreshable() {
    set.pictures(4);
    REQUIRE(preprocess(build_words(set)).exit_code == 0);
  }
};

}  // namespace

TEST_CASE("refresh draws the oldest views anew, says which, and removes what they replace") {
  const Refreshable made;
  ProgramResult result = preprocess({"refresh", "--store", made.store});
  CHECK(result.exit_code == 0);
  CHECK_MESSAGE(result.out.starts_with("snapshot 2: view 1 drawn anew, 4 rows in "), result.out);
  CHECK_MESSAGE(result.out.find("; snapshot 1 removed, ") != std::string::npos, result.out);
  result = preprocess({"refresh", "--store", made.store, "--views", "2", "--json"});
  CHECK(result.exit_code == 0);
  const json round = json::parse(result.last_line());
  CHECK(round.at("generation") == 3);
  CHECK(round.at("views") == json{1, 2});
  CHECK(round.at("rows") == 8);
  CHECK(round.at("removed") == json{2});
  CHECK(preprocess({"verify", "--deep", "--store", made.store}).exit_code == 0);
  result = preprocess({"info", "--store", made.store});
  CHECK(result.out.find("views drawn anew alone: 3 times\n") != std::string::npos);
}

TEST_CASE("refresh --follow draws when a run has taken up the newest snapshot, until SIGTERM") {
  const Refreshable made;
  const Store store = Store::open(made.store);
  RunningProgram program(
      {program_path("letterpress-preprocess"), "refresh", "--store", made.store, "--follow"});
  const Pin first(store, 1, "run", made.set.folder / "run");
  REQUIRE(program.wait_for_output("snapshot 2: view 1 drawn anew"));
  const Pin second(store, 2, "run", made.set.folder / "run");
  REQUIRE(program.wait_for_output("snapshot 3: view 2 drawn anew"));
  program.send(SIGTERM);
  CHECK(program.wait().exit_code == 128 + SIGTERM);
  CHECK(store.generations() == std::vector<std::int64_t>{1, 2, 3});
}

TEST_CASE("refresh says what is wrong with its words and its store") {
  CHECK(preprocess({"refresh"}).exit_code == 64);
  const ProgramResult none = preprocess({"refresh", "--store", "/nonexistent"});
  CHECK(none.exit_code == 66);
  CHECK(none.err.find("/nonexistent") != std::string::npos);
  const ProgramResult zero = preprocess({"refresh", "--store", "x", "--views", "0"});
  CHECK(zero.exit_code == 64);
  CHECK(zero.err.find("--views is 0, must be 1 or more") != std::string::npos);
}

}  // namespace letterpress
