#include "letterpress/base/hash.h"

#include <doctest/doctest.h>

#include <vector>

#include "formats/base/src/hash_kernels.h"
#include "letterpress/base/error.h"
#include "tests/skip.h"

using namespace letterpress;

namespace {

std::vector<std::byte> ramp(std::size_t n) {
  std::vector<std::byte> bytes(n);
  for (std::size_t i = 0; i < n; ++i) bytes[i] = static_cast<std::byte>(i % 251);
  return bytes;
}

std::vector<std::byte> bytes_of(std::string_view text) {
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

// From the Python package xxhash (xxh3_64_hexdigest, xxh3_128_hexdigest).
struct KnownAnswer {
  std::vector<std::byte> input;
  std::uint64_t hash64;
  const char* hash128;
};
const std::vector<KnownAnswer> kKnown{
    {{}, 0x2d06800538d394c2, "99aa06d3014798d86001c324468d497f"},
    {bytes_of("abc"), 0x78af5f94892f3950, "06b05ab6733a618578af5f94892f3950"},
    {ramp(1000), 0x33ef703fb2b20ed1, "18bf41bc8229e27733ef703fb2b20ed1"},
    {ramp(1'000'000), 0xdf99c4163891c544, "00d4a9d9f77c7d2ddf99c4163891c544"}};

}  // namespace

TEST_CASE("hashes are those of the reference implementation") {
  for (const KnownAnswer& known : kKnown) {
    CAPTURE(known.input.size());
    CHECK(hash64(known.input) == known.hash64);
    CHECK(hash128(known.input).hex() == known.hash128);
  }
}

void check_hashes(const HashKernels& kernel) {
  for (const KnownAnswer& known : kKnown) {
    CAPTURE(known.input.size());
    Hash128 hash;
    kernel.hash128(known.input.data(), known.input.size(), hash.bytes.data());
    CHECK(hash.hex() == known.hash128);
    CHECK(kernel.hash64(known.input.data(), known.input.size()) == known.hash64);
  }
}

TEST_CASE("the kernels for any x86-64 have the reference's hashes, too") {
  check_hashes(kHashBaseline);
}

TEST_CASE("the kernels for AVX2 have the reference's hashes, too" *
          doctest::test_suite("needs AVX2")) {
  if (!__builtin_cpu_supports("avx2")) return skip("this CPU has no AVX2");
  check_hashes(kHashAvx2);
}

TEST_CASE("bytes that arrive in pieces have the same hashes, however they are cut") {
  for (const KnownAnswer& known : kKnown) {
    for (const std::size_t piece : {1, 7, 256, 1024, 100'000}) {
      if (piece == 1 && known.input.size() > 10'000) continue;
      CAPTURE(known.input.size());
      CAPTURE(piece);
      Hasher hasher;
      const std::span<const std::byte> all(known.input);
      for (std::size_t first = 0; first < all.size(); first += piece)
        hasher.add(all.subspan(first, std::min(piece, all.size() - first)));
      CHECK(hasher.digest64() == known.hash64);
      CHECK(hasher.digest128().hex() == known.hash128);
    }
  }
}

TEST_CASE("a value is hashed as its little-endian bytes") {
  Hasher value, bytes;
  value.add_value(std::uint32_t{0x64636261});
  bytes.add("abcd");
  CHECK(value.digest128() == bytes.digest128());
}

TEST_CASE("hexadecimal text goes there and back, and the prefix is its first 16 digits") {
  const Hash128 hash = Hash128::from_hex("06b05ab6733a618578af5f94892f3950");
  CHECK(hash == hash128("abc"));
  CHECK(hash.hex() == "06b05ab6733a618578af5f94892f3950");
  CHECK(hash.prefix() == 0x06b05ab6733a6185);
}

TEST_CASE("what is not a digest is refused with what was got") {
  for (const char* text :
       {"", "06b0", "06B05AB6733A618578AF5F94892F3950", "06b05ab6733a618578af5f94892f395g",
        "06b05ab6733a618578af5f94892f39500"}) {
    CAPTURE(text);
    const std::string wanted =
        "'" + std::string(text) + "' is not a digest, must be 32 hexadecimal digits in lower case";
    CHECK_THROWS_WITH_AS(Hash128::from_hex(text), wanted.c_str(), Error);
  }
}
