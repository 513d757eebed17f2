#include "trainer/loader/rates/ceilings.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>

#include "letterpress/base/error.h"
#include "trainer/loader/pixels/pixel_kernels.h"
#include "trainer/loader/sample_stream.h"

namespace letterpress {
namespace {

using Memory = std::unique_ptr<std::uint8_t, void (*)(void*)>;

Memory touched_memory(std::int64_t bytes) {
  Memory memory(static_cast<std::uint8_t*>(std::aligned_alloc(
                    4096, static_cast<std::size_t>((bytes + 4095) / 4096 * 4096))),
                std::free);
  if (!memory)
    throw Error({.what = "no memory to measure with, " + std::to_string(bytes) + " bytes",
                 .fix = "use fewer --rows"},
                Exit::io);
  std::memset(memory.get(), 1, static_cast<std::size_t>(bytes));
  return memory;
}

}  // namespace

Ceilings measure_ceilings(const CeilingOptions& options) {
  // A thread writes to slots of its own: a pass is short enough for one to fall a round behind.
  const std::int64_t slots_of_thread =
      std::max(std::int64_t{1}, std::int64_t{options.batch} * options.buffers / options.threads);
  const std::int64_t slots = slots_of_thread * options.threads;
  const Memory source = touched_memory(options.rows * options.row_bytes),
               target = touched_memory(slots * options.row_bytes * 4);
  const SampleStream order(options.rows, 1);
  const auto measured = [&](std::int64_t element_bytes, const auto& move) {
    const auto seconds_of_pass = [&](std::int64_t rows, std::int64_t begin) {
      return seconds_of(options.threads, rows, [&](int thread, std::int64_t item) {
        const std::int64_t slot = item % slots_of_thread * options.threads + thread;
        const std::uint8_t* const from =
            source.get() + order.at(begin + item).sample * options.row_bytes;
        move(from, target.get() + slot * options.row_bytes * element_bytes);
      });
    };
    const std::int64_t rows = options.rows * repeats_to_last(seconds_of_pass(options.rows, 0));
    std::vector<double> rates;
    for (std::int64_t run = 0; run < options.runs; ++run)
      rates.push_back(static_cast<double>(rows) / seconds_of_pass(rows, options.rows + run * rows));
    return rate_of(rates);
  };
  const auto n = static_cast<std::size_t>(options.row_bytes);
  const PixelKernels& kernels = pixel_kernels();
  return {.copy = measured(
              1, [n](const std::uint8_t* from, std::uint8_t* to) { std::memcpy(to, from, n); }),
          .stream_copy = measured(
              1, [&](const std::uint8_t* from, std::uint8_t* to) { kernels.copy(from, n, to); }),
          .float32 = measured(4,
                              [&](const std::uint8_t* from, std::uint8_t* to) {
                                kernels.to_float32(from, n, reinterpret_cast<float*>(to));
                              }),
          .bfloat16 = measured(2, [&](const std::uint8_t* from, std::uint8_t* to) {
            kernels.to_bfloat16(from, n, reinterpret_cast<std::uint16_t*>(to));
          })};
}

}  // namespace letterpress
