#include "trainer/loader/pixels/pixel_kernels.h"

#include <doctest/doctest.h>

#include <bit>
#include <cstdlib>
#include <memory>
#include <vector>

using namespace letterpress;

namespace {

/// n elements on a page boundary, as a batch's are, and `beyond` more that nobody may touch.
template <class T>
struct Aligned {
  explicit Aligned(std::size_t n)
      : size(n),
        memory(static_cast<T*>(std::aligned_alloc(4096, (n * sizeof(T) / 4096 + 2) * 4096)),
               std::free) {
    std::fill_n(memory.get(), n + kBeyond, T(77));
  }
  bool untouched_beyond() const {
    for (std::size_t i = size; i < size + kBeyond; ++i)
      if (memory.get()[i] != T(77)) return false;
    return true;
  }
  static constexpr std::size_t kBeyond = 64;
  std::size_t size;
  std::unique_ptr<T, void (*)(void*)> memory;
};

std::vector<std::uint8_t> some_bytes(std::size_t n) {
  std::vector<std::uint8_t> bytes(n);
  for (std::size_t i = 0; i < n; ++i)
    bytes[i] = static_cast<std::uint8_t>(i < 256 ? i : i * 2654435761U >> 24);
  return bytes;
}

/// IEEE 754 says what a division gives; this is the compiler's scalar one.
float quotient(std::uint8_t byte) {
  volatile float divisor = 255;
  return static_cast<float>(byte) / divisor;
}

/// The 16 upper bits that are nearest; of two that are, the even one. By comparison, not by the
/// trick of the kernels.
std::uint16_t nearest_bfloat16(float number) {
  const auto bits = std::bit_cast<std::uint32_t>(number);
  const std::uint32_t below = bits & 0xFFFF0000, above = below + 0x10000;
  const double down =
      static_cast<double>(number) - static_cast<double>(std::bit_cast<float>(below));
  const double up = static_cast<double>(std::bit_cast<float>(above)) - static_cast<double>(number);
  const bool is_even = (below >> 16) % 2 == 0;
  return static_cast<std::uint16_t>((down < up || (down == up && is_even) ? below : above) >> 16);
}

const PixelKernels* const kAll[] = {&kPixelBaseline, &kPixelAvx2, &kPixelAvx512};

}  // namespace

TEST_CASE(
    "every byte becomes the quotient by 255, to the bit, with each instruction set that runs "
    "here") {
  for (const std::size_t n : {std::size_t{256}, std::size_t{64}, std::size_t{3 * 96 * 96}}) {
    const std::vector<std::uint8_t> bytes = some_bytes(n);
    for (const PixelKernels* kernels : kAll) {
      if (!runs_here(*kernels)) continue;
      CAPTURE(kernels->name);
      Aligned<std::uint8_t> copied(n);
      Aligned<float> floats(n);
      Aligned<std::uint16_t> halves(n);
      kernels->copy(bytes.data(), n, copied.memory.get());
      kernels->to_float32(bytes.data(), n, floats.memory.get());
      kernels->to_bfloat16(bytes.data(), n, halves.memory.get());
      for (std::size_t i = 0; i < n; ++i) {
        REQUIRE(copied.memory.get()[i] == bytes[i]);
        REQUIRE(std::bit_cast<std::uint32_t>(floats.memory.get()[i]) ==
                std::bit_cast<std::uint32_t>(quotient(bytes[i])));
        REQUIRE(halves.memory.get()[i] == nearest_bfloat16(quotient(bytes[i])));
      }
      CHECK(copied.untouched_beyond());
      CHECK(floats.untouched_beyond());
      CHECK(halves.untouched_beyond());
    }
  }
}

TEST_CASE("bytes may begin anywhere") {
  const std::vector<std::uint8_t> bytes = some_bytes(64 + 7);
  for (const PixelKernels* kernels : kAll) {
    if (!runs_here(*kernels)) continue;
    Aligned<float> floats(64);
    kernels->to_float32(bytes.data() + 7, 64, floats.memory.get());
    for (std::size_t i = 0; i < 64; ++i) REQUIRE(floats.memory.get()[i] == quotient(bytes[i + 7]));
  }
}

TEST_CASE("what runs here is what the processor says") {
  CHECK(runs_here(kPixelBaseline));
  CHECK(runs_here(pixel_kernels()));
  CHECK(runs_here(kPixelAvx512) == (__builtin_cpu_supports("avx512f") != 0));
}
