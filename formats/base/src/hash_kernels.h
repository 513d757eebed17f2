#pragma once
#include <cstddef>
#include <cstdint>

namespace letterpress {

// XXH3's one-shot functions, compiled once per instruction set; the results are the same.
struct HashKernels {
  std::uint64_t (*hash64)(const void* bytes, std::size_t n);
  void (*hash128)(const void* bytes, std::size_t n, std::uint8_t* canonical);
};
extern const HashKernels kHashAvx2;

}  // namespace letterpress
