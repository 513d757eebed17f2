#define XXH_INLINE_ALL
#include "letterpress/base/hash.h"

#include <xxhash.h>

#include <cstring>

#include "hash_kernels.h"
#include "letterpress/base/cpu.h"
#include "letterpress/base/error.h"

namespace letterpress {
namespace {

Hash128 canonical(XXH128_hash_t hash) noexcept {
  XXH128_canonical_t out;
  XXH128_canonicalFromHash(&out, hash);
  Hash128 result;
  std::memcpy(result.bytes.data(), out.digest, sizeof out.digest);
  return result;
}

const HashKernels& kernels() noexcept {
  static const HashKernels& chosen = runs_avx2() ? kHashAvx2 : kHashBaseline;
  return chosen;
}

int digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return -1;
}

}  // namespace

std::string Hash128::hex() const {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  text.reserve(32);
  for (const std::uint8_t byte : bytes) {
    text += kDigits[byte >> 4];
    text += kDigits[byte & 15];
  }
  return text;
}

Hash128 Hash128::from_hex(std::string_view text) {
  Hash128 hash;
  bool good = text.size() == 32;
  for (std::size_t i = 0; good && i < 16; ++i) {
    const int high = digit(text[2 * i]), low = digit(text[2 * i + 1]);
    good = high >= 0 && low >= 0;
    hash.bytes[i] = static_cast<std::uint8_t>(high * 16 + low);
  }
  if (!good)
    throw Error("'" + std::string(text) +
                "' is not a digest, must be 32 hexadecimal digits in lower case");
  return hash;
}

Hash128 hash128(std::span<const std::byte> bytes) noexcept {
  Hash128 result;
  kernels().hash128(bytes.data(), bytes.size(), result.bytes.data());
  return result;
}

Hash128 hash128(std::string_view text) noexcept { return hash128(std::as_bytes(std::span(text))); }

std::uint64_t hash64(std::span<const std::byte> bytes) noexcept {
  return kernels().hash64(bytes.data(), bytes.size());
}

// XXH3's state carries both digests: XXH3_64bits_reset and XXH3_128bits_reset initialise it alike.
struct Hasher::State {
  XXH3_state_t xxh;
};

Hasher::Hasher() : state_(new State) { XXH3_128bits_reset(&state_->xxh); }
Hasher::~Hasher() = default;
Hasher::Hasher(Hasher&&) noexcept = default;
Hasher& Hasher::operator=(Hasher&&) noexcept = default;

Hasher& Hasher::add(std::span<const std::byte> bytes) noexcept {
  kernels().update(&state_->xxh, bytes.data(), bytes.size());
  return *this;
}
Hasher& Hasher::add(std::string_view text) noexcept { return add(std::as_bytes(std::span(text))); }
Hash128 Hasher::digest128() const noexcept { return canonical(XXH3_128bits_digest(&state_->xxh)); }
std::uint64_t Hasher::digest64() const noexcept { return XXH3_64bits_digest(&state_->xxh); }

}  // namespace letterpress
