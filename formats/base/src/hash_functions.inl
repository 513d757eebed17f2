// XXH3 for the instructions that the including unit is compiled for.
#define XXH_INLINE_ALL
#include <xxhash.h>

#include <cstring>

#include "hash_kernels.h"

namespace letterpress {
namespace {

std::uint64_t xxh3_64(const void* bytes, std::size_t n) { return XXH3_64bits(bytes, n); }

void xxh3_128(const void* bytes, std::size_t n, std::uint8_t* canonical) {
  XXH128_canonical_t out;
  XXH128_canonicalFromHash(&out, XXH3_128bits(bytes, n));
  std::memcpy(canonical, out.digest, sizeof out.digest);
}

void xxh3_update(void* state, const void* bytes, std::size_t n) {
  XXH3_128bits_update(static_cast<XXH3_state_t*>(state), bytes, n);
}

}  // namespace
}  // namespace letterpress
