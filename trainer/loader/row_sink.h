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

/// Brings the bytes of one row after the other to their place in a batch, in pieces that stay in
/// the cache: each is hashed where that is asked for, then copied or normalised. One thread.
class RowSink {
 public:
  RowSink(PixelType type, std::int64_t row_bytes);  ///< a multiple of 64

  /// The next bytes are those of another row, to `target`, which lies on a multiple of 64 and has
  /// row_bytes * bytes_of(type) bytes.
  void start(std::uint8_t* target, bool hash);
  /// Where the row's next bytes may be read to; empty when all are there.
  std::span<std::uint8_t> room();
  void commit(std::size_t n);  ///< the first n bytes of room() are there
  void add(std::span<const std::uint8_t>
               bytes);  ///< the row's next bytes, which lie elsewhere; not after commit()
  std::int64_t taken() const noexcept { return static_cast<std::int64_t>(taken_); }
  /// Of all bytes of the row, which are there; nothing unless start() was told to.
  std::optional<Hasher> take_hash() { return std::exchange(hasher_, std::nullopt); }

 private:
  void write(std::span<const std::uint8_t> piece);

  PixelType type_;
  std::size_t row_bytes_;
  std::vector<std::uint8_t> piece_;  ///< where bytes wait that are to be normalised
  std::size_t waiting_ = 0, taken_ = 0, written_ = 0;
  std::uint8_t* target_ = nullptr;
  std::optional<Hasher> hasher_;
};

}  // namespace letterpress
