// info, ledger and verify from outside.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "tests/contains.h"
#include "tests/tools/preprocess/built_store.h"

namespace letterpress {
namespace {

// Replaces the (read-only) file by one with one bit of byte `at` turned.
void flip(const std::filesystem::path& file, std::size_t at) {
  std::string bytes = file_text(file);
  bytes.at(at) = static_cast<char>(bytes[at] ^ 4);
  std::filesystem::remove(file);
  std::ofstream(file, std::ios::binary) << bytes;
}

}  // namespace

TEST_CASE("info says side, recipe, splits, classes with counts, shards and both identities") {
  const BuiltStore built;
  const ProgramResult result = preprocess({"info", "--store", built.store, "--json"});
  CHECK(result.exit_code == 0);
  CHECK(result.out.find("side 64, recipe detect (seed 1, draw 0), 2 views\n") != std::string::npos);
  CHECK(result.out.find("split train: 6 pictures, 12 augmented rows, 0 dead rows\n") !=
        std::string::npos);
  CHECK(result.out.find(
            "pictures found 8 = stored 6 (of which background 0) + duplicates 1 + rejected 1\n") !=
        std::string::npos);
  CHECK(result.out.find("boxes found 11 = stored 9 + merged 1 + rejected 1; clipped 0\n") !=
        std::string::npos);
  CHECK(result.out.find("3 classes; up to 8 boxes per row\n    0 cat                              "
                        "2 boxes\n    1 dog ") != std::string::npos);
  const auto json = nlohmann::json::parse(result.last_line());
  CHECK(json.at("generations") == std::vector<int>{1});
  CHECK(json.at("bytes") > 18 * 64 * 64 * 3);
}

TEST_CASE("ledger says where a picture's rows are, and why another is out") {
  const BuiltStore built;
  const ProgramResult all = preprocess({"ledger", "--store", built.store});
  CHECK(all.exit_code == 0);
  CHECK(all.last_line() == "8 of 8 pictures in snapshot 1");
  const ProgramResult one = preprocess({"ledger", "--store", built.store, "--name", "p1.png"});
  CHECK(one.out.starts_with("stored    train p1.png (" + (built.set.folder / "train.txt").string() +
                            ":2): 80x60, 2 boxes, row 1 of " + built.shard(0).stem().string() +
                            ", views 1-2 in rows "));
  CHECK(one.last_line() == "1 of 8 pictures in snapshot 1");
  const ProgramResult rejected =
      preprocess({"ledger", "--store", built.store, "--state", "rejected"});
  CHECK(rejected.out.starts_with("rejected  train bad.png ("));
  CHECK(rejected.last_line() == "1 of 8 pictures in snapshot 1");
  const ProgramResult duplicate =
      preprocess({"ledger", "--store", built.store, "--state", "duplicate"});
  CHECK(duplicate.out.find("same bytes as p0.png (") != std::string::npos);
  const ProgramResult wrong = preprocess({"ledger", "--store", built.store, "--state", "regected"});
  CHECK(wrong.exit_code == 64);
  CHECK(contains(wrong.err,
                 "--state is 'regected', must be stored, duplicate or rejected; did you mean "
                 "'rejected'?"));
}

TEST_CASE("verify passes a whole store, with and without --deep") {
  const BuiltStore built;
  const ProgramResult quick = preprocess({"verify", "--store", built.store});
  CHECK(quick.exit_code == 0);
  CHECK(quick.last_line() ==
        built.store + ": snapshot 1 is whole: 2 shards; --deep checks the pixels of every row too");
  const ProgramResult deep = preprocess({"verify", "--deep", "--store", built.store});
  CHECK(deep.exit_code == 0);
  CHECK(deep.last_line() == built.store + ": snapshot 1 is whole: 2 shards, every row");
}

TEST_CASE(
    "a turned bit in the pixels is found by --deep, which names shard and row; all damage is "
    "listed") {
  const BuiltStore built;
  std::size_t offset = 0;
  {
    const ShardReader shard(built.shard(0));
    offset = static_cast<std::size_t>(shard.stored_pixels(0).offset);
  }
  flip(built.shard(0), offset + 64 * 64 * 3 * 2 + 17);
  flip(built.shard(0), offset + 64 * 64 * 3 * 4);
  CHECK(preprocess({"verify", "--store", built.store}).exit_code == 0);
  const ProgramResult result = preprocess({"verify", "--deep", "--store", built.store});
  CHECK(result.exit_code == 65);
  CHECK(result.err.find("snapshot 1 is damaged in 2 places:\n") != std::string::npos);
  CHECK(result.err.find(built.shard(0).string()) != std::string::npos);
  CHECK(result.err.find("p2.png") != std::string::npos);
  CHECK(result.err.find("p4.png") != std::string::npos);
}

TEST_CASE(
    "a turned bit anywhere outside the pixels is found by verify, as are cut and missing shards") {
  const BuiltStore built(2);
  const std::filesystem::path shard = built.shard(0);
  const std::string good = file_text(shard);
  std::size_t first = 0, last = 0;
  {
    const ShardReader reader(shard);
    first = static_cast<std::size_t>(reader.stored_pixels(0).offset);
    last = first + static_cast<std::size_t>(reader.rows() * reader.image_bytes());
  }
  std::vector<std::size_t> places;
  for (std::size_t at = 0; at < good.size(); at += good.size() / 40 + 1) {
    if (at < first || at >= last) places.push_back(at);
  }
  places.push_back(good.size() - 1);
  CHECK(places.size() > 5);
  const auto put = [&](const std::string& bytes) {
    std::filesystem::remove(shard);
    std::ofstream(shard, std::ios::binary) << bytes;
  };
  for (const std::size_t at : places) {
    CAPTURE(at);
    put(good);
    flip(shard, at);
    const ProgramResult result = preprocess({"verify", "--store", built.store});
    CHECK(result.exit_code == 65);
    CHECK(result.err.find(shard.string()) != std::string::npos);
  }
  put(good.substr(0, good.size() - 100));
  CHECK(preprocess({"verify", "--store", built.store}).exit_code == 65);
  std::filesystem::remove(shard);
  const ProgramResult missing = preprocess({"verify", "--store", built.store});
  CHECK(missing.exit_code == 65);
  CHECK(missing.err.find(shard.string() + ": missing, snapshot 1 needs it") != std::string::npos);
  put(good);
  CHECK(preprocess({"verify", "--store", built.store}).exit_code == 0);
}

TEST_CASE("reading commands want a store and a snapshot that is there") {
  TempDir dir;
  for (const char* command : {"anchors", "info", "ledger", "preview", "report", "verify"}) {
    CAPTURE(command);
    CHECK(preprocess({command}).exit_code == 64);
    CHECK(preprocess({command, "--store", (dir / "absent").string()}).exit_code == 66);
  }
  const BuiltStore built(2);
  const ProgramResult result = preprocess({"info", "--store", built.store, "--snapshot", "7"});
  CHECK(result.exit_code == 66);
  CHECK(result.err.find("has no snapshot 7; there are: 1") != std::string::npos);
  const ProgramResult negative = preprocess({"info", "--store", built.store, "--snapshot", "-1"});
  CHECK(negative.exit_code == 64);
  CHECK(
      negative.err.find("--snapshot is -1, must be a generation from 1 on, or 0 for the newest") !=
      std::string::npos);
  const ProgramResult split = preprocess({"ledger", "--store", built.store, "--split", "foo"});
  CHECK(split.exit_code == 64);
  CHECK(split.err.find("--split: snapshot 1 has no split 'foo'; there are: train") !=
        std::string::npos);
}

TEST_CASE(
    "a picture in a tar has a path of its own, by which ledger finds it and explain draws it "
    "again") {
  DrawnSet set;
  set.picture("in/a.png", 1);
  set.picture("in/b.png", 2);
  set.folder.write("in/boxes.csv", "a.png,10,10,40,30,cat\nb.png,10,10,40,30,dog\n");
  const std::string folder = set.folder.path().string(), store = folder + "/store";
  REQUIRE(
      run({"/bin/sh", "-c", "tar -C '" + folder + "/in' -cf '" + folder + "/t.tar' ."}).exit_code ==
      0);
  REQUIRE(preprocess({"build", "--store", store, "--input", folder + "/t.tar/boxes.csv", "--size",
                      "64", "--views", "1"})
              .exit_code == 0);
  const ProgramResult one =
      preprocess({"ledger", "--store", store, "--path", folder + "/t.tar/b.png"});
  CHECK(one.exit_code == 0);
  CHECK(one.last_line() == "1 of 2 pictures in snapshot 1");
  CHECK(one.out.find("has other bytes now") == std::string::npos);
  const ProgramResult drawn = preprocess(
      {"preview", "--store", store, "--explain", "b.png", "--out", folder + "/steps.png"});
  CHECK(drawn.exit_code == 0);
  CHECK(drawn.out.find("drawn again: the same 12288 bytes") != std::string::npos);
}

}  // namespace letterpress
