#include <doctest/doctest.h>

#include "preprocess/pipeline/steps.h"
#include "tests/preprocess/drawn_set.h"
#include "tests/preprocess/published_files.h"

namespace letterpress {
namespace {

namespace fs = std::filesystem;

BuildOptions deflated(BuildOptions options) {
  options.compression = Compression::deflate;
  return options;
}

// Several shards of either kind.
BuildOptions small(const DrawnSet& set, const std::string& store) {
  BuildOptions options = set.options(store);
  options.shard_bytes = 4 * 64 * 64 * 3;
  return options;
}

std::vector<Compression> compressions(const fs::path& store) {
  std::vector<Compression> all;
  const Store opened = Store::open(store);
  const SnapshotReader reader(opened, opened.latest().value());
  for (std::size_t i = 0; i < reader.snapshot().shards.size(); ++i) {
    // The snapshot says what the shard is.
    CHECK(reader.snapshot().shards[i].compression ==
          reader.shard(static_cast<std::int32_t>(i)).spec().compression);
    all.push_back(reader.snapshot().shards[i].compression);
  }
  return all;
}

std::int64_t count(const fs::path& store, Compression compression) {
  const std::vector<Compression> all = compressions(store);
  return std::count(all.begin(), all.end(), compression);
}

Hash128 logical_digest(const fs::path& store) {
  return Store::open(store).latest()->logical_digest;
}

std::int64_t bytes_of_shards(const fs::path& store) {
  std::int64_t bytes = 0;
  for (const auto& entry : fs::directory_iterator(store / "shards"))
    bytes += static_cast<std::int64_t>(entry.file_size());
  return bytes;
}

class Notes : public BuildListener {
 public:
  void note(const std::string& text) override { all += text + "\n"; }
  std::string all;
};

}  // namespace

TEST_CASE("a compressed store holds the same rows under the same logical digest, in less space") {
  DrawnSet set;
  set.pictures(9);
  const BuildOptions plain = small(set, "plain"), packed = deflated(small(set, "packed"));
  build_quietly(plain);
  build_quietly(packed);
  CHECK(count(plain.store, Compression::deflate) == 0);
  CHECK(count(packed.store, Compression::none) == 0);
  CHECK(row_contents(packed.store) == row_contents(plain.store));
  CHECK(logical_digest(packed.store) == logical_digest(plain.store));
  CHECK(bytes_of_shards(packed.store) < bytes_of_shards(plain.store));
  CHECK(fs::is_empty(packed.store / "tmp"));
  CHECK_FALSE(build_quietly(packed).published);  // nothing is new
}

TEST_CASE("compressed stores: 1 and 4 threads, and three parts, make the same bytes") {
  DrawnSet set;
  set.pictures(9);
  BuildOptions one = deflated(small(set, "one")), four = deflated(small(set, "four"));
  one.threads = 1;
  four.threads = 4;
  build_quietly(one);
  build_quietly(four);
  CHECK(published_files(one.store) == published_files(four.store));

  BuildListener silent;
  const BuildOptions parts = deflated(small(set, "parts"));
  const BuildReport planned = plan(parts, silent, kNoStop);
  for (const int i : {2, 0, 1}) map_part({planned.plan, {i, 3, "test"}, 2, kNoStop}, silent);
  CHECK(reduce_plan(planned.plan, silent).published);
  CHECK(published_files(parts.store) == published_files(one.store));
}

TEST_CASE("another --compress keeps the rows that are there, says so, and holds for new shards") {
  DrawnSet set;
  set.pictures(8);
  build_quietly(small(set, "store"));
  const std::set<std::string> before = shard_names(set.folder / "store");
  const auto plain = static_cast<std::int64_t>(before.size());
  set.pictures(14);
  Notes notes;
  const BuildReport report = build(deflated(small(set, "store")), notes, kNoStop);
  CHECK(report.published);
  CHECK(report.pictures_new == 6);
  CHECK(notes.all.find(std::to_string(plain) + " of " +
                       std::to_string(compressions(set.folder / "store").size()) +
                       " shards stay as they are, uncompressed; --rebuild makes them anew\n") !=
        std::string::npos);
  CHECK(count(set.folder / "store", Compression::none) == plain);
  CHECK(count(set.folder / "store", Compression::deflate) > 0);
  const std::set<std::string> after = shard_names(set.folder / "store");
  CHECK(std::includes(after.begin(), after.end(), before.begin(), before.end()));

  build_quietly(small(set, "clean"));
  CHECK(row_contents(set.folder / "store") == row_contents(set.folder / "clean"));
  CHECK(logical_digest(set.folder / "store") == logical_digest(set.folder / "clean"));
}

TEST_CASE("--rebuild and repacking bring all rows to the compression that is asked for") {
  DrawnSet set;
  set.pictures(12);
  build_quietly(small(set, "store"));
  const auto rows = row_contents(set.folder / "store");

  BuildOptions again = deflated(small(set, "store"));
  again.rebuild = true;
  build_quietly(again);
  CHECK(count(set.folder / "store", Compression::none) == 0);
  CHECK(row_contents(set.folder / "store") == rows);

  // Half of the pictures go: what stays is copied out of compressed shards into uncompressed ones.
  std::string lines;
  for (int i = 0; i < 12; i += 2) lines += DrawnSet::line(i);
  set.list("train.txt", lines);
  const BuildReport report = build_quietly(small(set, "store"));
  CHECK(report.rows_copied > 0);
  CHECK(report.rows_new == 0);
  CHECK(count(set.folder / "store", Compression::deflate) == 0);
  const auto kept = row_contents(set.folder / "store");
  CHECK(kept.size() == rows.size() / 2);
  CHECK(std::includes(rows.begin(), rows.end(), kept.begin(), kept.end()));
}

TEST_CASE("--compress is part of the stored configuration") {
  BuildOptions options;
  CHECK(build_options_from_json(to_json(options)).compression == Compression::none);
  CHECK(build_options_from_json(to_json(deflated(options))).compression == Compression::deflate);
  CHECK(build_options_from_json("{}").compression ==
        Compression::none);  // of a build before there was the flag
}

}  // namespace letterpress
