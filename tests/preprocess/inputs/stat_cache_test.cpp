#include "preprocess/inputs/stat_cache.h"

#include <doctest/doctest.h>

#include "tests/preprocess/drawn_set.h"

namespace letterpress {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

KnownPicture known() {
  return {
      .stamp = {.size = 5, .modified_ns = 100 * kSecond, .changed_ns = 100 * kSecond, .inode = 7},
      .hash = hash128("x"),
      .width = 640,
      .height = 480,
      .orientation = 6,
      .several = true};
}

}  // namespace

TEST_CASE("a remembered picture is found by its stamp, after a round trip through the file too") {
  TempDir dir;
  StatCache cache;
  cache.remember("/a b/ü.png", known(), 200 * kSecond);
  cache.remember("/new\nline.png", known(), 200 * kSecond);
  cache.save(dir / "stat");
  const StatCache again = StatCache::load(dir / "stat");
  CHECK(again == cache);
  CHECK(again.find("/a b/ü.png", known().stamp) == known());
  CHECK(again.find("/new\nline.png", known().stamp) == known());
  CHECK_FALSE(again.find("/absent.png", known().stamp));
}

TEST_CASE("a cache of more than is written at a time comes back whole") {
  TempDir dir;
  StatCache cache;
  for (int i = 0; i < 2000; ++i) {
    KnownPicture picture = known();
    picture.stamp.inode = static_cast<std::uint64_t>(i);
    cache.remember("/" + std::to_string(i) + ".png", picture, 200 * kSecond);
  }
  cache.save(dir / "stat");
  CHECK(std::filesystem::file_size(dir / "stat") > 200'000);
  const StatCache again = StatCache::load(dir / "stat");
  CHECK(again == cache);
  CHECK(again.find(
      "/1999.png",
      {.size = 5, .modified_ns = 100 * kSecond, .changed_ns = 100 * kSecond, .inode = 1999}));
}

TEST_CASE("any change of size, times or inode makes the file unknown") {
  StatCache cache;
  cache.remember("a", known(), 200 * kSecond);
  for (const auto change :
       {+[](FileStamp& s) { ++s.size; }, +[](FileStamp& s) { ++s.modified_ns; },
        +[](FileStamp& s) { ++s.changed_ns; }, +[](FileStamp& s) { ++s.inode; }}) {
    FileStamp stamp = known().stamp;
    change(stamp);
    CHECK_FALSE(cache.find("a", stamp));
  }
}

TEST_CASE("a file that changed in the last two seconds is not trusted") {
  StatCache cache;
  cache.remember("fresh", known(), 101 * kSecond);
  CHECK(cache == StatCache());
}

TEST_CASE("a damaged, cut or newer cache is an empty one") {
  TempDir dir;
  StatCache cache;
  cache.remember("a", known(), 200 * kSecond);
  cache.save(dir / "stat");
  const std::string good = file_text(dir / "stat");
  for (std::size_t i = 0; i < good.size(); ++i) {
    std::string bad = good;
    bad[i] = static_cast<char>(bad[i] ^ 1);
    dir.write("bad", bad);
    CHECK(StatCache::load(dir / "bad") == StatCache());
    dir.write("bad", good.substr(0, i));
    CHECK(StatCache::load(dir / "bad") == StatCache());
  }
  CHECK(StatCache::load(dir / "absent") == StatCache());
}

}  // namespace letterpress
