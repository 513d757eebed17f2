// Tar archives that are compressed as a whole, by gzip, bzip2 and xz.
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "samples.h"
#include "tests/locations.h"

namespace letterpress {
namespace {
namespace fs = std::filesystem;

const fs::path kPlainTars = fs::path(LETTERPRESS_SOURCE_DIR) / "tests/golden/annotations/tar";

void run(const std::string& command) {
  CAPTURE(command);
  REQUIRE(std::system(command.c_str()) == 0);
}

// What the program makes of a file, beside it.
fs::path compressed(const TempDir& dir, const std::string& program, const fs::path& file,
                    const std::string& name) {
  run(program + " -c '" + file.string() + "' > '" + (dir / name).string() + "'");
  return dir / name;
}

std::ptrdiff_t files_in(const fs::path& folder) {
  if (!fs::exists(folder)) return 0;
  return std::distance(fs::directory_iterator(folder), fs::directory_iterator());
}

}  // namespace

TEST_CASE("a tar compressed by gzip, bzip2 or xz gives the pictures that the tar gives") {
  const AnnotationSet plain = read_annotations(kPlainTars / "pax.tar");
  for (const char* program : {"gzip", "bzip2", "xz"}) {
    CAPTURE(program);
    TempDir dir;
    const fs::path unpacked = dir / "store/cache/unpacked";
    const fs::path archive = compressed(dir, program, kPlainTars / "pax.tar", "set.packed");
    const AnnotationSet set = read_annotations(archive, {.unpacked = unpacked});
    CHECK_CONTAINS(set.recognised_by, "in a tar archive: ");
    REQUIRE(set.items.size() == plain.items.size());
    for (std::size_t i = 0; i < plain.items.size(); ++i) {
      CHECK(picture_path(set.items[i]) ==
            fs::canonical(archive).string() + "/" + plain.items[i].name);
      CHECK(picture_text(set.items[i], unpacked) == picture_text(plain.items[i], {}));
      const FileBytes place = find_picture(picture_path(set.items[i]), unpacked);
      CHECK(place.path == set.items[i].path);
      CHECK(place.offset == set.items[i].offset);
    }
    CHECK(files_in(unpacked) == 1);
  }
}

TEST_CASE("an archive is unpacked once, again when it was removed, anew when it has changed") {
  TempDir dir;
  const fs::path unpacked = dir / "unpacked";
  const fs::path archive = compressed(dir, "gzip", kPlainTars / "pax.tar", "set.tar.gz");
  const AnnotationOptions options{.unpacked = unpacked};
  const AnnotationSet first = read_annotations(archive, options);
  const fs::path tar = fs::directory_iterator(unpacked)->path();
  CHECK(text_of(tar) == text_of(kPlainTars / "pax.tar"));
  const auto made = fs::last_write_time(tar);
  CHECK(read_annotations(archive, options).items.size() == first.items.size());
  CHECK(fs::last_write_time(tar) == made);
  fs::remove(tar);
  CHECK_CONTAINS(picture_text(first.items[1], unpacked), "picture 1picture 1");
  CHECK(fs::exists(tar));
  compressed(dir, "gzip", kPlainTars / "gnu.tar", "set.tar.gz");
  CHECK(read_annotations(archive, options).items.size() == 6);
  CHECK(files_in(unpacked) == 1);
  CHECK_FALSE(fs::exists(tar));
}

TEST_CASE("an archive that is written anew with its size and time of writing is unpacked anew") {
  TempDir dir;
  const auto pack = [&](const std::string& content) {
    dir.write("set/cat/1.jpg", content);
    dir.write("set/dog/2.jpg", "same");
    run("tar -C " + (dir / "set").string() + " -cf " + (dir / "set.tar").string() + " cat dog");
    const std::string store =
        "python3 -c 'import gzip, sys; "
        "sys.stdout.buffer.write(gzip.compress(open(sys.argv[2], \"rb\").read(), 0))'";
    return compressed(dir, store, dir / "set.tar", "set.tar.gz");
  };
  const AnnotationOptions options{.unpacked = dir / "unpacked"};
  const fs::path archive = pack("old");
  const auto size = fs::file_size(archive);
  const auto written = fs::last_write_time(archive);
  CHECK(picture_text(read_annotations(archive, options).items.at(0), options.unpacked) == "old");
  pack("new");
  REQUIRE(fs::file_size(archive) == size);
  fs::last_write_time(archive, written);
  CHECK(picture_text(read_annotations(archive, options).items.at(0), options.unpacked) == "new");
  CHECK(files_in(options.unpacked) == 1);
}

TEST_CASE("archives of several gzip, bzip2 or xz streams, as parallel packers write, are whole") {
  const std::string whole = text_of(kPlainTars / "ustar.tar");
  for (const char* program : {"gzip", "bzip2", "xz"}) {
    CAPTURE(program);
    TempDir dir;
    const fs::path a = dir.write("a", whole.substr(0, 3000)),
                   b = dir.write("b", whole.substr(3000));
    run(std::string(program) + " -c '" + a.string() + "' > '" + (dir / "set").string() + "' && " +
        program + " -c '" + b.string() + "' >> '" + (dir / "set").string() + "'");
    CHECK(read_annotations(dir / "set", {.unpacked = dir / "unpacked"}).items.size() == 5);
    CHECK(text_of(fs::directory_iterator(dir / "unpacked")->path()) == whole);
  }
}

TEST_CASE("a compressed tar that is cut, or has one bit flipped, is refused and leaves nothing") {
  for (const char* program : {"gzip", "bzip2", "xz"}) {
    TempDir dir;
    const std::string whole = text_of(compressed(dir, program, kPlainTars / "ustar.tar", "whole"));
    const AnnotationOptions options{.unpacked = dir / "unpacked"};
    for (std::size_t n = 6; n < whole.size(); n += 37) {
      CAPTURE(program);
      CAPTURE(n);
      CHECK_CONTAINS(failure_of(dir.write("cut", whole.substr(0, n)), options).message, "cut: is ");
      CHECK(files_in(dir / "unpacked") == 0);
    }
    CHECK_CONTAINS(failure_of(dir.write("cut", whole.substr(0, whole.size() - 1)), options).message,
                   "cut: is cut short: its compressed data do not end; copy or pack the archive "
                   "again");
    for (std::size_t at = whole.size() / 4; at < whole.size(); at += 11) {
      CAPTURE(program);
      CAPTURE(at);
      std::string flipped = whole;
      flipped[at] = static_cast<char>(flipped[at] ^ 1 << at % 8);
      const Failure failure = failure_of(dir.write("flipped", flipped), options);
      CHECK(failure.exit == Exit::data);
      CHECK(files_in(dir / "unpacked") == 0);
    }
  }
}

TEST_CASE("what is compressed and no tar, and a bomb, are refused and leave nothing") {
  TempDir dir;
  const AnnotationOptions options{.unpacked = dir / "unpacked"};
  const fs::path text =
      compressed(dir, "gzip", dir.write("boxes.csv", "a.jpg,1,1,2,2,cat\n"), "b.gz");
  CHECK_CONTAINS(
      failure_of(text, options).message,
      "b.gz: is compressed by gzip, and does not contain a tar archive; uncompress it first: "
      "gunzip -k ");
  run("truncate -s 300M '" + (dir / "zeros.jpg").string() + "' && tar -C '" + dir.path().string() +
      "' -cf - zeros.jpg | xz -0 > '" + (dir / "bomb.tar.xz").string() + "'");
  CHECK_CONTAINS(failure_of(dir / "bomb.tar.xz", options).message,
                 "as bombs do; uncompress it first");
  CHECK(files_in(dir / "unpacked") == 0);
}

}  // namespace letterpress
