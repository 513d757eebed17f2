#pragma once
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace letterpress {

/// What the benchmarks work on.
struct BenchmarkSetting {
  std::vector<std::vector<std::byte>> photographs;  ///< JPEG files, at least one
  /// Rows are written here: on a tmpfs this measures the processor, on a disk the disk.
  std::filesystem::path folder;
  int side = 640;           ///< pixels of a row's square frame, multiple of 32
  std::int64_t rows = 256;  ///< rows of a pass over a file
};

/// One thing that is timed alone, in passes over all its items. Threads take the items in any
/// order.
class Benchmark {
 public:
  virtual ~Benchmark() = default;
  virtual std::int64_t items() const = 0;           ///< of one pass
  virtual std::int64_t bytes_per_item() const = 0;  ///< moved or made, for GB/s; 0: no GB/s
  virtual void begin_pass() {}                      ///< not timed
  virtual void run(std::int64_t item) = 0;          ///< thread-safe for different items
};

/// A kind of benchmark: one file that ends in its entry, one line in registry.cpp.
struct BenchmarkEntry {
  std::string_view name;
  std::string_view summary;
  std::unique_ptr<Benchmark> (*make)(const BenchmarkSetting& setting);
};
std::span<const BenchmarkEntry* const> benchmarks() noexcept;

/// Keeps the compiler from removing work because nobody reads its result.
inline void keep(const void* result) { asm volatile("" : : "g"(result) : "memory"); }

}  // namespace letterpress
