#include <doctest/doctest.h>

#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>

#include "tests/contains.h"
#include "tests/formats/shards/flip.h"
#include "tests/tools/preprocess/preprocess_tool.h"

using namespace letterpress;

namespace {

ProgramResult verify_subset(const std::string& store, const std::string& subset) {
  return preprocess({"verify", "--store", store, "--subset", subset});
}

// The newest snapshot, changed, with the checksum that docs/reference/store.md says.
template <class Change>
void reseal(const DrawnSet& set, Change change) {
  const std::filesystem::path file = set.folder / "store/snapshots/00000001.json";
  nlohmann::json json = nlohmann::json::parse(file_text(file));
  change(json["snapshot"]);
  json["checksum"] = hash128(json["snapshot"].dump()).hex();
  std::filesystem::remove(file);
  std::ofstream(file) << json.dump(1) << "\n";
}

}  // namespace

TEST_CASE("verify finds what a snapshot says that cannot be, though each shard is whole") {
  const auto kill_all = [](nlohmann::json& snapshot) {
    for (nlohmann::json& shard : snapshot["shards"]) {
      shard["dead"] = nlohmann::json::array();
      for (int row = 0; row < shard["rows"]; ++row) shard["dead"].push_back(row);
    }
  };
  const auto count = [](nlohmann::json& snapshot) { snapshot["accounting"]["boxes_found"] = 7; };
  const auto forget = [](nlohmann::json& snapshot) {
    snapshot["classes"] = nlohmann::json::array();
  };
  const auto widen = [](nlohmann::json& snapshot) { snapshot["shards"][0]["max_boxes"] = 16; };
  const std::pair<std::function<void(nlohmann::json&)>, std::string> cases[]{
      {kill_all, "00000001.json: it has no row that may be used"},
      {count, "00000001.json: of its boxes, found is not stored + merged + rejected"},
      {forget, "00000001.json: it has no classes"},
      {forget, " is of class 0, snapshot 1 has 0; restore shard and snapshot from the same copy"},
      {widen, " and 8 boxes, snapshot 1 says "},
  };
  for (const auto& [change, wanted] : cases) {
    CAPTURE(wanted);
    DrawnSet set;
    set.pictures(1);
    REQUIRE(preprocess(build_words(set)).exit_code == 0);
    reseal(set, change);
    const ProgramResult result =
        preprocess({"verify", "--deep", "--store", (set.folder / "store").string()});
    CHECK(result.exit_code == 65);
    CHECK_CONTAINS(result.err, wanted);
  }
}

TEST_CASE("verify --subset: n nights read every shard once, and one of them finds a flipped bit") {
  DrawnSet set;
  set.pictures(12);
  REQUIRE(preprocess(build_words(set, {"--shard-bytes", "50k"})).exit_code == 0);
  const std::string store = (set.folder / "store").string();
  const auto shards = shard_names(store);
  std::size_t read = 0;
  for (const std::string subset : {"1/3", "2/3", "3/3"}) {
    const ProgramResult result = verify_subset(store, subset);
    REQUIRE_MESSAGE(result.exit_code == 0, result.err);
    const std::string line = result.last_line(),
                      head = store + ": snapshot 1 is whole: " + std::to_string(shards.size()) +
                             " shards, every row in ";
    REQUIRE(line.starts_with(head));
    CHECK(line.ends_with(" of them"));
    read += std::stoul(line.substr(head.size()));
  }
  CHECK(read == shards.size());

  const std::filesystem::path shard = set.folder / "store/shards" / *shards.begin();
  const Flip flip(shard, static_cast<std::int64_t>(std::filesystem::file_size(shard)) / 2);
  int found = 0;
  for (const std::string subset : {"1/3", "2/3", "3/3"}) {
    const ProgramResult result = verify_subset(store, subset);
    found += result.exit_code == 65 && contains(result.err, shard.string() + ": ") ? 1 : 0;
  }
  CHECK(found == 1);
}

TEST_CASE("verify refuses a subset that there is not") {
  DrawnSet set;
  set.pictures(1);
  REQUIRE(preprocess(build_words(set)).exit_code == 0);
  for (const std::string subset : {"0/3", "4/3", "3", "1/0", "a/b", "1/3x"}) {
    const ProgramResult result = verify_subset((set.folder / "store").string(), subset);
    CHECK(result.exit_code == 64);
    CHECK(contains(result.err, "--subset is '" + subset +
                                   "', must be i/n with i from 1 to n, for instance 3/30"));
  }
}
