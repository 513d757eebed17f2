#include "preprocess/reduce/channel_mean.h"

#include <doctest/doctest.h>

#include "tests/preprocess/drawn_set.h"

namespace letterpress {
namespace {

namespace fs = std::filesystem;

// Pictures of one grey level each, which fill the frame: the mean of their levels is the mean of
// their pixels.
struct GreySet : DrawnSet {
  GreySet() {
    for (const int level : {10, 20, 30, 100}) grey(level, level);
    list("train.txt", "10.png\n20.png\n30.png\n100.png\n");
  }
  void grey(int name, int level) const {
    const std::vector<std::uint8_t> rgb(64 * 64 * 3, static_cast<std::uint8_t>(level));
    const std::vector<std::byte> png = encode_png(rgb, 64, 64);
    folder.write(std::to_string(name) + ".png",
                 {reinterpret_cast<const char*>(png.data()), png.size()});
  }
  BuildOptions grey_options() const {
    BuildOptions options = this->options();
    options.format = "keras";
    options.recipe = "none";
    options.views = 0;
    return options;
  }
};

// Of the newest snapshot; all three channels are alike.
double mean_of(const BuildOptions& options) {
  const std::array<double, 3> mean = Store::open(options.store).latest()->statistics.channel_mean;
  CHECK(mean[0] == mean[1]);
  CHECK(mean[0] == mean[2]);
  return mean[0];
}

}  // namespace

TEST_CASE(
    "the mean is that of the pictures that are there, by hand: one deleted, one moved to val, one "
    "edited, one new") {
  GreySet set;
  BuildOptions options = set.grey_options();
  build_quietly(options);
  CHECK(mean_of(options) == 40);
  set.list("train.txt", "10.png\n20.png\n30.png\n");
  CHECK(build_quietly(options).rows_copied == 0);  // a dead row in a shard that is kept
  CHECK(mean_of(options) == 20);
  set.list("val.txt", "30.png\n");
  options.val = (set.folder / "val.txt").string();
  CHECK(build_quietly(options).rows_copied == 2);  // packed anew, since half of it is dead
  CHECK(mean_of(options) == 15);
  set.grey(20, 50);
  build_quietly(options);
  CHECK(mean_of(options) == 30);
  set.grey(7, 240);
  set.list("train.txt", "10.png\n20.png\n7.png\n30.png\n");
  build_quietly(options);
  CHECK(mean_of(options) == 100);
}

TEST_CASE(
    "the snapshot keeps the sums of clean train shards, and a build reads the living rows where an "
    "older one kept none") {
  GreySet set;
  const BuildOptions options = set.grey_options();
  build_quietly(options);
  Snapshot older = Store::open(options.store).latest().value();
  REQUIRE(older.shards.size() == 1);
  CHECK(older.shards[0].channel_sum == std::vector<std::int64_t>(3, std::int64_t{160} * 64 * 64));
  older.shards[0].channel_sum.clear();
  older.statistics.channel_mean = {77, 77,
                                   77};  // as it came to be in stores from which pictures had gone
  fs::remove(options.store / "snapshots/00000001.json");
  std::ofstream(options.store / "snapshots/00000001.json") << to_json(older);
  set.list("train.txt", "10.png\n20.png\n30.png\n");
  CHECK(build_quietly(options).published);
  CHECK(mean_of(options) == 20);
}

TEST_CASE("a row that nobody needs any more may be damaged: the mean is counted from the others") {
  for (const Compression compression : {Compression::none, Compression::deflate}) {
    GreySet set;
    BuildOptions options = set.grey_options();
    options.compression = compression;
    build_quietly(options);
    const Store store = Store::open(options.store);
    const fs::path shard = store.shard_path(store.latest()->shards.at(0).digest);
    const FileRange row = ShardReader(shard).stored_pixels(3);  // 100.png
    std::string bytes = file_text(shard);
    bytes[static_cast<std::size_t>(row.offset + row.bytes / 2)] ^= 4;
    fs::remove(shard);
    std::ofstream(shard, std::ios::binary) << bytes;
    set.list("train.txt", "10.png\n20.png\n30.png\n");
    CHECK(build_quietly(options).published);
    CHECK(mean_of(options) == 20);
  }
}

}  // namespace letterpress
