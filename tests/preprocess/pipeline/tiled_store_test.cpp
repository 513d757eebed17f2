#include <doctest/doctest.h>

#include "tests/preprocess/pipeline/shared_set.h"
#include "tests/preprocess/pipeline/tiled_set.h"
#include "tests/preprocess/published_files.h"

namespace letterpress {
namespace {

Snapshot newest_of(const BuildOptions& options) {
  return Store::open(options.store).latest().value();
}

void check_tiles_like_clean(const TiledSet& set, const BuildOptions& options) {
  BuildOptions clean = options;
  clean.store = set.folder / "clean";
  std::filesystem::remove_all(clean.store);
  build_quietly(clean);
  CHECK(row_contents(options.store) == row_contents(clean.store));
  CHECK(newest_of(options).logical_digest == newest_of(clean).logical_digest);
  CHECK(newest_of(options).accounting == newest_of(clean).accounting);
  CHECK(newest_of(options).statistics.anchors == newest_of(clean).statistics.anchors);
  CHECK(newest_of(options).statistics.channel_mean == newest_of(clean).statistics.channel_mean);
}

}  // namespace

TEST_CASE("1, 2 and 7 threads and parts on several machines give the same bytes") {
  TiledSet set;
  set.pictures(4);
  BuildOptions one = set.options("one");
  one.threads = 1;
  build_quietly(one);
  const auto wanted = published_files(one.store);
  CHECK(wanted.size() > 6);
  for (const int threads : {2, 7}) {
    BuildOptions options = set.options("threads");
    options.threads = threads;
    std::filesystem::remove_all(options.store);
    build_quietly(options);
    CHECK(published_files(options.store) == wanted);
  }
  for (const int parts : {1, 3, 5}) {
    const BuildOptions options = set.options("parts");
    std::filesystem::remove_all(options.store);
    BuildListener silent;
    const BuildReport planned = plan(options, silent, kNoStop);
    CHECK(planned.groups > 1);
    for (int i = parts; i-- > 0;) map_quietly(planned.plan, i, parts);
    CHECK(reduce_quietly(planned.plan).published);
    CHECK(published_files(options.store) == wanted);
  }
}

TEST_CASE("an edited picture makes its own tiles anew; added, removed: as a clean build") {
  TiledSet set;
  set.pictures(5);
  BuildOptions options = set.options();
  build_quietly(options);
  CHECK(row_contents(options.store).size() == 5 * 6 * 3);
  CHECK_FALSE(build_quietly(options).published);

  set.picture("p3.png", 77);
  const BuildReport edited = build_quietly(options);
  CHECK(edited.pictures_new == 1);
  CHECK(edited.rows_new == 6 * 3);
  check_tiles_like_clean(set, options);

  set.picture("p9.png", 9);
  set.list("train.txt", file_text(set.folder / "train.txt") + "p9.png 20,20,50,50,1\n");
  CHECK(build_quietly(options).pictures_new == 1);
  check_tiles_like_clean(set, options);

  std::string lines = file_text(set.folder / "train.txt");
  set.list("train.txt", lines.substr(lines.find('\n') + 1));
  CHECK(build_quietly(options).rows_new == 0);
  check_tiles_like_clean(set, options);

  options.views = 4;
  CHECK(build_quietly(options).rows_new == 5 * 6 * 2);
  check_tiles_like_clean(set, options);
}

TEST_CASE("repacked tiles are those of a clean build") {
  TiledSet set;
  set.pictures(8);
  BuildOptions options = set.options();
  options.shard_bytes *= 2;  // the tiles of two pictures in each clean shard
  build_quietly(options);
  std::string kept;
  for (int i = 0; i < 8; i += 2) kept += DrawnSet::line(i);
  set.list("train.txt", kept);
  CHECK(build_quietly(options).rows_copied > 0);
  check_tiles_like_clean(set, options);
}

TEST_CASE("a picture's tiles are in one split") {
  TiledSet set;
  set.pictures(6);
  BuildOptions options = set.options();
  options.val = "50%";
  build_quietly(options);
  std::map<std::string, std::set<std::string>> splits;
  for (const auto& [key, content] : row_contents(options.store))
    splits[std::get<1>(key).substr(0, 32)].insert(std::get<0>(key));
  CHECK(splits.size() == 6);
  for (const auto& [picture, in] : splits) CHECK(in.size() == 1);
}

TEST_CASE("other tiles than the store's are refused, with the flag") {
  TiledSet set;
  set.pictures(2);
  const BuildOptions options = set.options();
  build_quietly(options);
  const auto refusal = [&](auto change) {
    BuildOptions other = options;
    change(other);
    return message_of([&] { build_quietly(other); });
  };
  const std::string store = "78 " + options.store.string();
  const std::string fix = "; use another --store, or --rebuild";
  CHECK(refusal([](BuildOptions& o) { o.tile = 96; }) ==
        store + ": holds tiles of 64, --tile asks for 96" + fix);
  CHECK(refusal([](BuildOptions& o) { o.tile = 0; }) ==
        store + ": holds tiles of 64, --tile 0 asks for whole pictures" + fix);
  CHECK(refusal([](BuildOptions& o) { o.tiles.overlap = 0.5; }) ==
        store +
            ": holds tiles by {\"overlap\":0.25,\"scale\":1.0,\"background\":1.0}, --overlap, "
            "--scale or --background-tiles asks for "
            "{\"overlap\":0.5,\"scale\":1.0,\"background\":1.0}" +
            fix);
  DrawnSet whole;
  whole.pictures(2);
  BuildOptions tiled = whole.options();
  build_quietly(tiled);
  tiled.side = BuildOptions{}.side;
  tiled.tile = 64;
  CHECK(message_of([&] { build_quietly(tiled); }) ==
        "78 " + tiled.store.string() +
            ": holds whole pictures of side 64, --tile asks for tiles of 64" + fix);
}

}  // namespace letterpress
