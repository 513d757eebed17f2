#include <doctest/doctest.h>

#include <thread>

#include "flip.h"
#include "letterpress/base/error.h"
#include "letterpress/base/fault_hook.h"
#include "letterpress/hdf5/deflated.h"
#include "letterpress/shards/shard.h"
#include "sample_shard.h"
#include "tests/message_of.h"
#include "tests/temp_dir.h"

using namespace letterpress;
namespace fs = std::filesystem;

namespace {

std::vector<std::uint8_t> read_rows(const ShardReader& reader, std::int64_t first, std::int64_t n) {
  std::vector<std::uint8_t> images(static_cast<std::size_t>(n * reader.image_bytes()));
  reader.read_images(first, n, images.data());
  return images;
}

void open_and_verify(const fs::path& file, ShardReader::Check check = ShardReader::Check::digest) {
  ShardReader(file, check).verify_rows();
}

void replace(const fs::path& file, const std::string& content) {
  fs::permissions(file, fs::perms::owner_all);
  replace_file(file, content);
}

}  // namespace

TEST_CASE(
    "a compressed shard gives back the same rows, tables and checksums as an uncompressed one") {
  TempDir dir;
  const ShardReader plain(write_sample(dir.path())),
      deflated(write_sample(dir.path(), Compression::deflate));
  CHECK(plain.spec().compression == Compression::none);
  CHECK(deflated.spec().compression == Compression::deflate);
  CHECK(deflated.rows() == 3);
  CHECK(deflated.image_bytes() == plain.image_bytes());
  CHECK(deflated.spec().names == plain.spec().names);
  for (std::int64_t row = 0; row < 3; ++row) {
    CAPTURE(row);
    CHECK(read_rows(deflated, row, 1) == sample_image(row));
    CHECK_NOTHROW(deflated.verify_row(row, sample_image(row)));
    CHECK(std::ranges::equal(deflated.boxes(row), plain.boxes(row)));
    CHECK(deflated.source_hash(row) == plain.source_hash(row));
    CHECK(deflated.stored_pixels(row).bytes < 1000);  // of 3,072 in a pattern of 251 bytes
  }
  CHECK(read_rows(deflated, 1, 2) == read_rows(plain, 1, 2));
  CHECK(read_rows(deflated, 3, 0).empty());
  CHECK_THROWS_WITH_AS(read_rows(deflated, 2, 2),
                       doctest::Contains("rows 2..4 asked for, it has 3"), Error);
}

TEST_CASE("compressed shards: 1 and 4 threads, in any order, write the same bytes") {
  TempDir dir;
  ShardSpec spec = sample_spec(Compression::deflate);
  spec.names.assign(300, "picture.jpg");  // more than one node of HDF5's index
  std::vector<std::string> files;
  for (const int threads : {1, 4}) {
    ShardWriter writer(dir.path(), spec);
    std::vector<std::jthread> workers;
    for (int t = 0; t < threads; ++t) {
      workers.emplace_back([&, t] {
        for (std::int64_t row = 299 - t; row >= 0; row -= threads)
          writer.write_row(row, {}, sample_image(row));
      });
    }
    workers.clear();
    const fs::path folder = dir / std::to_string(threads);
    fs::create_directory(folder);
    const fs::path file = folder / (writer.finish(folder).hex() + ".h5");
    CHECK_NOTHROW(open_and_verify(file));
    files.push_back(read_file(file));
  }
  CHECK(files[0] == files[1]);
}

TEST_CASE("publishing equal compressed rows again is a success and leaves no temporary file") {
  TempDir dir;
  const fs::path file = write_sample(dir.path(), Compression::deflate);
  CHECK(write_sample(dir.path(), Compression::deflate) == file);
  CHECK(std::distance(fs::directory_iterator(dir.path()), {}) == 1);
}

TEST_CASE("one changed byte in a compressed row is found, and shard and row are named") {
  TempDir dir;
  const fs::path file = write_sample(dir.path(), Compression::deflate);
  const std::string fix =
      "; restore it from a copy, or remove it and run `letterpress-preprocess build` again";
  const FileRange row = ShardReader(file).stored_pixels(1);
  {
    const Flip flip(file, row.offset + row.bytes / 2);
    CHECK(message_of([&] { open_and_verify(file); }) ==
          "65 " + file.string() +
              ": row 1 (a b.jpg) is damaged: its compressed pixels cannot be decompressed" + fix);
  }
  {
    const Flip flip(file, row.offset + row.bytes - 1);  // Adler-32
    CHECK(message_of([&] { open_and_verify(file); }) ==
          "65 " + file.string() +
              ": row 1 (a b.jpg) is damaged: its compressed pixels cannot be decompressed" + fix);
  }
  CHECK_NOTHROW(open_and_verify(file));
}

// In a compressed row some changes mean nothing (another distance to equal bytes, padding): then
// its pixels are whole all the same.
TEST_CASE(
    "one changed bit anywhere in a compressed shard is found, or has changed no pixel; without a "
    "crash") {
  TempDir dir;
  const fs::path file = write_sample(dir.path(), Compression::deflate);
  const ShardReader whole(file);
  const auto is_in_a_row = [&](std::int64_t at) {
    for (std::int64_t row = 0; row < 3; ++row) {
      const FileRange stored = whole.stored_pixels(row);
      if (at >= stored.offset && at < stored.offset + stored.bytes) return true;
    }
    return false;
  };
  std::int64_t found_in_rows = 0, found_outside = 0, tried_outside = 0;
  const auto size = static_cast<std::int64_t>(fs::file_size(file));
  for (std::int64_t at = 0; at < size; at += 3) {
    CAPTURE(at);
    const Flip flip(file, at, 1 << at % 8);
    tried_outside += !is_in_a_row(at);
    try {
      const ShardReader changed(file);
      changed.verify_rows();
      for (std::int64_t row = 0; row < 3; ++row)
        CHECK(read_rows(changed, row, 1) == sample_image(row));
    } catch (const Error& error) {
      CHECK(std::string(error.what()).starts_with(file.string() + ": "));
      ++(is_in_a_row(at) ? found_in_rows : found_outside);
    }
  }
  CHECK(tried_outside > 1000);
  CHECK(found_outside == tried_outside);
  CHECK(found_in_rows > 100);
}

TEST_CASE("a compressed shard cut at any place is refused") {
  TempDir dir;
  const fs::path file = write_sample(dir.path(), Compression::deflate);
  const std::string whole = read_file(file);
  for (std::size_t step = 0; step < 97; ++step) {
    CAPTURE(step);
    replace(file, whole.substr(0, step * whole.size() / 97));
    CHECK_THROWS_AS(open_and_verify(file), Error);
    CHECK_THROWS_AS(open_and_verify(file, ShardReader::Check::none), Error);
  }
}

TEST_CASE(
    "a damaged compressed shard under the right name is healed by publishing the same rows again") {
  TempDir dir;
  const fs::path file = write_sample(dir.path(), Compression::deflate);
  const std::string whole = read_file(file);
  std::string turned = whole;
  turned[static_cast<std::size_t>(ShardReader(file).stored_pixels(2).offset) + 9] ^= 1;
  replace(file, turned);
  CHECK(write_sample(dir.path(), Compression::deflate) == file);
  CHECK(read_file(file) == whole);
}

TEST_CASE(
    "whichever call fails while a compressed shard is made, it is told and nothing is published") {
  TempDir temporary, shards;
  int failing = 0;
  for (bool failed = true; failed; ++failing) {
    CAPTURE(failing);
    failed = false;
    int call = 0;
    set_fault_hook([&](std::string_view operation, std::string_view) {
      return operation != "unlink" && call++ == failing ? ENOSPC : 0;
    });
    try {
      ShardWriter writer(temporary.path(), sample_spec(Compression::deflate));
      for (std::int64_t row = 0; row < 3; ++row) writer.write_row(row, {}, sample_image(row));
      writer.finish(shards.path());
    } catch (const Error& error) {
      failed = true;
      CHECK(error.exit() == Exit::io);
    }
    set_fault_hook(nullptr);
    CHECK(fs::is_empty(temporary.path()));
    for (const auto& entry : fs::directory_iterator(shards.path())) {
      CHECK_NOTHROW(open_and_verify(entry.path()));  // whole or absent
      fs::remove(entry.path());
    }
  }
  CHECK(failing > 20);  // as an uncompressed shard, and three rows to the spool and out of it
}

TEST_CASE("more compressed rows than HDF5 finds in reasonable time are refused") {
  TempDir dir;
  ShardSpec spec = sample_spec(Compression::deflate);
  spec.names.assign(4097, "a.jpg");
  CHECK_THROWS_WITH_AS(ShardWriter(dir.path(), spec),
                       "ShardWriter: 4097 compressed rows, must be at most 4096", std::logic_error);
}
