#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "letterpress/base/hash.h"

namespace letterpress {

/// What the pixels of a batch are. float32 and bfloat16: the byte / 255, in 0..1.
enum class PixelType { bytes, float32, bfloat16 };
constexpr std::int64_t bytes_of(PixelType type) noexcept {
  return type == PixelType::float32 ? 4 : type == PixelType::bfloat16 ? 2 : 1;
}

/// Writes the bytes of row after row into a batch, in pieces that stay in the cache: each is hashed
/// if start() asks for it, then copied or normalised. One thread.
class RowSink {
 public:
  RowSink(PixelType type, std::int64_t row_bytes);  ///< a multiple of 64

  /// Begins another row. target: on a multiple of 64, row_bytes * bytes_of(type) bytes.
  void start(std::uint8_t* target, bool hash);
  /// Where to read the row's next bytes to; empty when all are there.
  std::span<std::uint8_t> room();
  void commit(std::size_t n);  ///< the first n bytes of room() are there
  /// The row's next bytes, from elsewhere; not after commit().
  void add(std::span<const std::uint8_t> bytes);
  std::int64_t taken() const noexcept { return static_cast<std::int64_t>(taken_); }
  /// The hash of the row, all of whose bytes are there; nothing unless start() asked for it.
  std::optional<Hasher> take_hash() { return std::exchange(hasher_, std::nullopt); }

 private:
  void write(std::span<const std::uint8_t> piece);

  PixelType type_;
  std::size_t row_bytes_;
  std::vector<std::uint8_t> piece_;  ///< bytes that wait to be normalised
  std::size_t waiting_ = 0, taken_ = 0, written_ = 0;
  std::uint8_t* target_ = nullptr;
  std::optional<Hasher> hasher_;
};

}  // namespace letterpress
