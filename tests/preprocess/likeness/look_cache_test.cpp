#include "preprocess/likeness/look_cache.h"

#include <doctest/doctest.h>

#include "letterpress/base/file.h"
#include "tests/temp_dir.h"

namespace letterpress {
namespace {

LookCache filled() {
  LookCache cache;
  cache.remember(hash128("one"), {{0x0123456789abcdefULL, 12, 34, 0}, {~0ULL, 159, 119, 2}});
  cache.remember(hash128("none"), {});
  return cache;
}

}  // namespace

TEST_CASE("looks come back as they were saved") {
  const TempDir dir;
  filled().save(dir / "looks");
  const LookCache loaded = LookCache::load(dir / "looks");
  CHECK(loaded == filled());
  REQUIRE(loaded.find(hash128("one")) != nullptr);
  CHECK(loaded.find(hash128("one"))->at(1).x == 159);
  CHECK(loaded.find(hash128("other")) == nullptr);
}

TEST_CASE("a missing, cut, changed or newer file is an empty cache") {
  const TempDir dir;
  CHECK(LookCache::load(dir / "looks") == LookCache());
  filled().save(dir / "looks");
  const std::string text = read_file(dir / "looks");
  for (const std::size_t size : {std::size_t{0}, std::size_t{10}, text.size() - 1}) {
    CAPTURE(size);
    replace_file(dir / "cut", text.substr(0, size));
    CHECK(LookCache::load(dir / "cut") == LookCache());
  }
  std::string changed = text, newer = text;
  changed.back() = static_cast<char>(changed.back() ^ 1);
  newer.replace(newer.find("looks 1"), 7, "looks 2");
  replace_file(dir / "changed", changed);
  replace_file(dir / "newer", newer);
  CHECK(LookCache::load(dir / "changed") == LookCache());
  CHECK(LookCache::load(dir / "newer") == LookCache());
}

TEST_CASE("a file that is whole, but of no look that there can be, is an empty cache") {
  const TempDir dir;
  for (const Look& look : {Look(kLookCorners + 1), Look{{.bits = 1, .x = kThumbnail, .y = 0}},
                           Look{{.bits = 1, .x = 0, .y = kThumbnail}},
                           Look{{.bits = 1, .x = 0, .y = 0, .level = kLookLevels}}}) {
    LookCache cache = filled();
    cache.remember(hash128("odd"), look);
    cache.save(dir / "looks");
    CHECK(LookCache::load(dir / "looks") == LookCache());
  }
}

}  // namespace letterpress
