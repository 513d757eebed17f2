#include <doctest/doctest.h>

#include "tests/contains.h"
#include "tests/formats/shards/flip.h"
#include "tests/tools/preprocess/preprocess_tool.h"

using namespace letterpress;

namespace {

ProgramResult verify_subset(const std::string& store, const std::string& subset) {
  return preprocess({"verify", "--store", store, "--subset", subset});
}

}  // namespace

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
