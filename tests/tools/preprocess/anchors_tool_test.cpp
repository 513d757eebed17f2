#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "tests/tools/preprocess/preprocess_tool.h"

namespace letterpress {
namespace {

std::int64_t boxes_stored(const std::filesystem::path& store, bool augmented) {
  const Store opened = Store::open(store);
  const SnapshotReader reader(opened, opened.latest().value());
  std::int64_t boxes = 0;
  for (std::size_t s = 0; s < reader.snapshot().shards.size(); ++s) {
    if (reader.snapshot().shards[s].augmented != augmented) continue;
    const ShardReader& shard = reader.shard(static_cast<std::int32_t>(s));
    for (std::int64_t row = 0; row < shard.rows(); ++row) boxes += shard.box_count(row);
  }
  return boxes;
}

}  // namespace

// 80 x 60 in a frame of 64: 0.8. Boxes 24x16, 24x16.8, 16x36, 24x17.6; one anchor is their median,
// 24 x 17.2, with IoU 16/17.2, 16.8/17.2, 275.2/713.6 and 17.2/17.6.
TEST_CASE(
    "anchors of the clean rows are those counted by hand, in the forms that fit and Darknet read") {
  DrawnSet set;
  set.pictures(3);
  REQUIRE(preprocess(build_words(set)).exit_code == 0);
  const std::string store = (set.folder / "store").string();
  const ProgramResult result =
      preprocess({"anchors", "--store", store, "--k", "1", "--rows", "clean", "--json"});
  CHECK(result.exit_code == 0);
  CHECK(
      result.out.starts_with("1 anchors for 4 boxes of split train (clean rows), pixels of the 64 "
                             "frame\nmean best IoU 0.8175\n"));
  CHECK(result.out.find("the snapshot's own 9 give ") != std::string::npos);
  CHECK(result.out.find("fit:     --anchors 24.0,17.2\nDarknet: anchors = 24,17\n") !=
        std::string::npos);
  const auto json = nlohmann::json::parse(result.last_line());
  CHECK(json.at("mean_best_iou").get<double>() ==
        doctest::Approx((16 / 17.2 + 16.8 / 17.2 + 275.2 / 713.6 + 17.2 / 17.6) / 4).epsilon(1e-6));
  CHECK(json.at("anchors").at(0).at(1).get<double>() == doctest::Approx(17.2).epsilon(1e-6));
}

TEST_CASE(
    "augmented boxes count as they are stored, and any number of anchors comes out the same "
    "twice") {
  DrawnSet set;
  set.pictures(12);
  REQUIRE(preprocess(build_words(set)).exit_code == 0);
  const std::string store = (set.folder / "store").string();
  const auto boxes = [&](const std::string& rows) {
    const auto json = nlohmann::json::parse(
        preprocess({"anchors", "--store", store, "--rows", rows, "--json"}).last_line());
    return json.at("boxes").get<std::int64_t>();
  };
  CHECK(boxes("clean") == 18);
  CHECK(boxes("augmented") == boxes_stored(store, true));
  CHECK(boxes("all") == 18 + boxes_stored(store, true));
  for (const std::string k : {"1", "2", "5", "12"}) {
    CAPTURE(k);
    const ProgramResult result = preprocess({"anchors", "--store", store, "--k", k, "--json"});
    CHECK(nlohmann::json::parse(result.last_line()).at("anchors").size() == std::stoul(k));
    CHECK(preprocess({"anchors", "--store", store, "--k", k, "--json"}).out == result.out);
  }
}

TEST_CASE("anchors refuses what it cannot compute, and says what it takes") {
  DrawnSet set;
  set.pictures(2);
  set.list("train.txt", "p0.png\np1.png\n");
  REQUIRE(preprocess(build_words(set, {"--format", "keras"})).exit_code == 0);
  const std::string store = (set.folder / "store").string();
  const auto refusal = [&](const std::vector<std::string>& more, int exit_code,
                           const std::string& text) {
    std::vector<std::string> words{"anchors", "--store", store};
    words.insert(words.end(), more.begin(), more.end());
    const ProgramResult result = preprocess(words);
    CHECK(result.exit_code == exit_code);
    CHECK_MESSAGE(result.err.find(text) != std::string::npos, result.err);
  };
  refusal({"--k", "0"}, 64, "--k is 0, must be 1 to 100");
  refusal({"--k", "101"}, 64, "--k is 101, must be 1 to 100");
  refusal({"--rows", "claen"}, 64,
          "--rows is 'claen', must be clean, augmented or all; did you mean 'clean'?");
  refusal({}, 66, "split train: holds no box in these rows: all; choose another --split or --rows");
  refusal({"--split", "val"}, 64, "has no split 'val'; there are: train");
}

}  // namespace letterpress
