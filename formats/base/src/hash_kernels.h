#pragma once
#include <cstddef>
#include <cstdint>

namespace letterpress {

// XXH3's functions, compiled once per instruction set; the results are the same, and so is the
// state (an XXH3_state_t).
struct HashKernels {
  std::uint64_t (*hash64)(const void* bytes, std::size_t n);
  void (*hash128)(const void* bytes, std::size_t n, std::uint8_t* canonical);
  void (*update)(void* state, const void* bytes, std::size_t n);
};
extern const HashKernels kHashBaseline, kHashAvx2;

}  // namespace letterpress
