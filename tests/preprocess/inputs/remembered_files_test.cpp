// Which pictures a build reads again, and which it believes to be as they were.
#include "tests/preprocess/remembered_files.h"

#include <doctest/doctest.h>

#include <chrono>
#include <cstring>

#include "tests/locations.h"
#include "tests/skip.h"

namespace letterpress {
namespace {

namespace fs = std::filesystem;
using Names = std::set<std::string>;

// A BMP of 80 x 60: as many bytes whatever `seed`.
std::string drawn_bmp(int seed) {
  const std::vector<std::uint8_t> pixels = drawn_pixels(seed, 80, 60);
  std::string bytes(54, '\0');
  const auto put = [&](std::size_t at, std::int32_t value) {
    std::memcpy(bytes.data() + at, &value, 4);
  };
  put(2, 54 + 80 * 60 * 3);
  put(10, 54);
  put(14, 40);
  put(18, 80);
  put(22, 60);
  bytes[0] = 'B';
  bytes[1] = 'M';
  bytes[26] = 1;
  bytes[28] = 24;
  return bytes.append(reinterpret_cast<const char*>(pixels.data()), pixels.size());
}

// Three BMPs with old times; built.
struct OldPictures {
  OldPictures() : options(set.options()) {
    std::string lines;
    for (int i = 0; i < 3; ++i) {
      const std::string name = "p" + std::to_string(i) + ".bmp";
      set.folder.write(name, drawn_bmp(i));
      set_old_time(set.folder / name);
      lines += name + " 10,10,40,30,1\n";
    }
    set.list("train.txt", lines);
    build_quietly(options);
  }
  DrawnSet set;
  BuildOptions options;
};

}  // namespace

TEST_CASE("pictures that are as they were are not read again") {
  const OldPictures old;
  remember_pictures(old.options);
  const OpenedFiles opened(old.set.folder.path());
  CHECK_FALSE(build_quietly(old.options).published);
  CHECK(opened.names(".bmp").empty());
  CHECK(opened.names("train.txt") == Names{"train.txt"});
}

TEST_CASE(
    "a picture overwritten with as many bytes and the old time is found, and it alone is made "
    "anew") {
  const OldPictures old;
  remember_pictures(old.options);
  const fs::path changed = old.set.folder / "p1.bmp";
  const FileStamp before = file_stamp(changed.string()).value();
  old.set.folder.write("p1.bmp", drawn_bmp(17));
  set_old_time(changed);
  const FileStamp after = file_stamp(changed.string()).value();
  REQUIRE(after.size == before.size);
  REQUIRE(after.modified_ns == before.modified_ns);
  REQUIRE(after.inode == before.inode);
  REQUIRE(after.changed_ns != before.changed_ns);
  BuildReport report;
  {
    const OpenedFiles opened(old.set.folder.path());
    report = build_quietly(old.options);
    CHECK(opened.names(".bmp") == Names{"p1.bmp"});
  }
  CHECK(report.published);
  CHECK(report.pictures_new == 1);
  CHECK(report.rows_new == 3);
  BuildOptions clean = old.options;
  clean.store = old.set.folder / "clean";
  build_quietly(clean);
  CHECK(row_contents(old.options.store) == row_contents(clean.store));
}

TEST_CASE("another file of the same size and time under a picture's name is found") {
  const OldPictures old;
  remember_pictures(old.options);
  old.set.folder.write("other", drawn_bmp(18));
  set_old_time(old.set.folder / "other");
  fs::rename(old.set.folder / "other", old.set.folder / "p2.bmp");
  const OpenedFiles opened(old.set.folder.path());
  CHECK(build_quietly(old.options).rows_new == 3);
  CHECK(opened.names(".bmp") == Names{"p2.bmp"});
}

TEST_CASE("what a build has just seen changing it reads again, whatever the time of change says") {
  const OldPictures old;
  CHECK_FALSE(remembered(old.options, old.set.folder / "p0.bmp"));
  const OpenedFiles opened(old.set.folder.path());
  CHECK_FALSE(build_quietly(old.options).published);
  CHECK(opened.names(".bmp") == Names{"p0.bmp", "p1.bmp", "p2.bmp"});
}

TEST_CASE("a build remembers old files by itself: the next one does not read them" *
          doctest::test_suite("needs old sources")) {
  DrawnSet set;
  // Of the source tree, so that they are older than this test; a copy would be young.
  const fs::path pictures = fs::path(LETTERPRESS_SOURCE_DIR) / "tests/golden/pictures";
  for (const char* name : {"photo.jpg", "rgb.png"})
    fs::create_symlink(pictures / name, set.folder / name);
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  if (file_stamp((pictures / "rgb.png").string()).value().changed_ns + 10'000'000'000 >
      std::chrono::nanoseconds(now).count())
    return skip("the source tree is younger than ten seconds");
  set.list("train.txt", "photo.jpg 1,1,20,20,0\nrgb.png 1,1,20,20,1\n");
  BuildOptions options = set.options();
  options.allow_outside = true;
  CHECK(build_quietly(options).accounting.pictures_stored == 2);
  for (const char* name : {"photo.jpg", "rgb.png"}) {
    CAPTURE(name);
    const auto known = remembered(options, set.folder / name);
    REQUIRE(known);
    CHECK(known->hash == hash128(file_text(pictures / name)));
    CHECK(known->width == 48);
    CHECK(known->height == 32);
  }
  const OpenedFiles opened(set.folder.path());
  CHECK_FALSE(build_quietly(options).published);
  CHECK(opened.names("photo.jpg").empty());
  CHECK(opened.names("rgb.png").empty());
}

}  // namespace letterpress
