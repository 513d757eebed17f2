#include "letterpress/shards/deflate.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>

using namespace letterpress;

namespace {

std::vector<std::byte> bytes_of(std::initializer_list<int> numbers) {
  std::vector<std::byte> bytes;
  for (const int number : numbers) bytes.push_back(static_cast<std::byte>(number));
  return bytes;
}

std::vector<std::uint8_t> pattern(std::size_t n) {
  std::vector<std::uint8_t> row(n);
  for (std::size_t k = 0; k < n; ++k) row[k] = static_cast<std::uint8_t>(k * k / 7 % 251);
  return row;
}

}  // namespace

TEST_CASE("a zlib stream of another program is inflated") {
  // Python 3.11: zlib.compress(bytes(range(8)), 9)
  const std::vector<std::byte> stream = bytes_of({0x78, 0xda, 0x63, 0x60, 0x64, 0x62, 0x66, 0x61,
                                                  0x65, 0x63, 0x07, 0x00, 0x00, 0x5c, 0x00, 0x1d});
  std::array<std::uint8_t, 8> row{};
  Inflater inflater;
  REQUIRE(inflater.inflate(stream, row));
  CHECK(row == std::array<std::uint8_t, 8>{0, 1, 2, 3, 4, 5, 6, 7});
}

TEST_CASE("what was deflated comes back, also what cannot be made smaller") {
  Deflater deflater;
  Inflater inflater;
  for (const std::size_t n : {1, 100, 3072, 100'000}) {
    CAPTURE(n);
    const std::vector<std::uint8_t> row = pattern(n);
    std::vector<std::uint8_t> back(n);
    REQUIRE(inflater.inflate(deflater.deflate(row), back));
    CHECK(back == row);
  }
}

TEST_CASE("the same row gives the same bytes, whatever went before") {
  Deflater deflater, other;
  const std::span<const std::byte> first = deflater.deflate(pattern(5000));
  const std::vector<std::byte> kept(first.begin(), first.end());
  (void)deflater.deflate(pattern(77));
  CHECK(std::ranges::equal(deflater.deflate(pattern(5000)), kept));
  CHECK(std::ranges::equal(other.deflate(pattern(5000)), kept));
}

TEST_CASE("a stream that is cut, damaged, too long or of another size is not a row") {
  Deflater deflater;
  Inflater inflater;
  const std::span<const std::byte> deflated = deflater.deflate(pattern(4096));
  std::vector<std::byte> stream(deflated.begin(), deflated.end());
  std::vector<std::uint8_t> row(4096), shorter(4095), longer(4097);
  REQUIRE(inflater.inflate(stream, row));
  CHECK_FALSE(inflater.inflate(stream, shorter));
  CHECK_FALSE(inflater.inflate(stream, longer));
  CHECK_FALSE(inflater.inflate({}, row));
  CHECK_FALSE(inflater.inflate(std::span(stream).first(stream.size() - 1), row));
  for (std::size_t at = 0; at < stream.size(); ++at) {
    CAPTURE(at);
    stream[at] ^= std::byte{16};
    // Bits that mean nothing (padding, the level in the header) may differ: then the row is whole.
    if (inflater.inflate(stream, row)) CHECK(row == pattern(4096));
    stream[at] ^= std::byte{16};
  }
  stream.push_back(std::byte{0});
  CHECK_FALSE(inflater.inflate(stream, row));
}
