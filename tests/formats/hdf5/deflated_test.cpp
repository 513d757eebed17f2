#include "letterpress/hdf5/deflated.h"

#include <doctest/doctest.h>

#include <array>

#include "tests/message_of.h"
#include "tests/temp_dir.h"

using namespace letterpress;
namespace fs = std::filesystem;

namespace {

// zlib.compress(bytes([i] * 4), 9) of Python 3.11, for i of 1, 2, 3.
std::span<const std::byte> stream(std::int64_t row) {
  static const std::array<std::array<unsigned char, 12>, 3> streams{
      {{0x78, 0xda, 0x63, 0x64, 0x64, 0x64, 0x04, 0x00, 0x00, 0x0e, 0x00, 0x05},
       {0x78, 0xda, 0x63, 0x62, 0x62, 0x62, 0x02, 0x00, 0x00, 0x18, 0x00, 0x09},
       {0x78, 0xda, 0x63, 0x66, 0x66, 0x66, 0x06, 0x00, 0x00, 0x22, 0x00, 0x0d}}};
  return std::as_bytes(std::span(streams.at(static_cast<std::size_t>(row))));
}

fs::path make(const fs::path& path) {
  hdf5::File file = hdf5::create_file(path);
  hdf5::create_deflated_rows(file, "rows", hdf5::Number::u8, {3, 4}, 9);
  hdf5::write_deflated_rows(file, "rows", stream);
  hdf5::close_file(std::move(file));
  return path;
}

}  // namespace

TEST_CASE("deflated rows: HDF5's own filter reads what was written past it") {
  TempDir dir;
  const hdf5::File file = hdf5::open_file(make(dir / "a.h5"));
  const hdf5::Dataset dataset(H5Dopen2(file, "rows", H5P_DEFAULT), {.what = "rows"});
  std::array<std::uint8_t, 12> numbers{};
  REQUIRE(H5Dread(dataset, H5T_NATIVE_UINT8, H5S_ALL, H5S_ALL, H5P_DEFAULT, numbers.data()) >= 0);
  CHECK(numbers == std::array<std::uint8_t, 12>{1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3});
}

TEST_CASE("deflated rows are found where they lie, and equal rows give equal files") {
  TempDir dir;
  const fs::path path = make(dir / "a.h5");
  const hdf5::DeflatedRows found = hdf5::find_deflated_rows(hdf5::open_file(path), "rows");
  CHECK(found.number == hdf5::Number::u8);
  CHECK(found.shape == std::vector<std::int64_t>{3, 4});
  REQUIRE(found.rows.size() == 3);
  const std::string content = read_file(path);
  for (std::int64_t row = 0; row < 3; ++row) {
    const FileRange& range = found.rows[static_cast<std::size_t>(row)];
    CHECK(range.bytes == 12);
    const std::span<const std::byte> wanted = stream(row);
    CHECK(content.substr(static_cast<std::size_t>(range.offset), 12) ==
          std::string(reinterpret_cast<const char*>(wanted.data()), 12));
  }
  CHECK(read_file(make(dir / "b.h5")) == content);
}

TEST_CASE("what is not deflated by rows, or lacks one, is refused by name") {
  TempDir dir;
  const fs::path path = dir / "a.h5";
  hdf5::File file = hdf5::create_file(path);
  hdf5::create_dataset(file, "plain", hdf5::Number::u8, {3, 4});
  hdf5::create_deflated_rows(file, "empty", hdf5::Number::u8, {3, 4}, 1);
  const auto message = [&](const std::string& name) {
    return message_of([&] { hdf5::find_deflated_rows(file, name); });
  };
  CHECK(message("plain") ==
        "65 " + path.string() +
            ": /plain: must have one chunk per row and the deflate filter alone");
  CHECK(message("empty") ==
        "65 " + path.string() +
            ": /empty: has 0 compressed rows, must be 3; restore or rebuild this file");
  CHECK(message("none").starts_with("65 " + path.string() + ": /none: is missing or unreadable"));
  CHECK(message_of([&] { hdf5::find_dataset(file, "empty"); }) ==
        "65 " + path.string() +
            ": /empty: is chunked, compact or external, must be a contiguous dataset");
}

TEST_CASE("deflated rows that reach past the end of the file are refused") {
  TempDir dir;
  const fs::path path = dir / "a.h5";
  hdf5::File file = hdf5::create_file(path);
  hdf5::create_deflated_rows(file, "rows", hdf5::Number::u8, {1, 100'000}, 1);
  const std::vector<std::byte> noise(70'000, std::byte{7});
  hdf5::write_deflated_rows(file, "rows", [&](std::int64_t) { return std::span(noise); });
  hdf5::close_file(std::move(file));
  CHECK(hdf5::find_deflated_rows(hdf5::open_file(path), "rows").rows[0].bytes == 70'000);
  fs::resize_file(path, fs::file_size(path) - 1);
  CHECK_THROWS_WITH_AS(hdf5::find_deflated_rows(hdf5::open_file(path), "rows"),
                       doctest::Contains("a.h5: "), Error);
}
