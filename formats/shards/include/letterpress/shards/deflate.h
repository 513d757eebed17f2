#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace letterpress {

/// Rows as HDF5's deflate filter stores them: one zlib stream each, RFC 1950, with the Adler-32 of
/// what went in. By libdeflate.

/// Of 1..12, the fastest: on letterboxed pictures the others gain little for much time.
inline constexpr int kDeflateLevel = 1;
/// "libdeflate 1.14": another version may write other bytes for the same row.
std::string deflate_library();

/// Compresses; for one thread. The same row gives the same bytes each time.
class Deflater {
 public:
  Deflater();  ///< throws Error when there is no memory
  ~Deflater();
  Deflater(const Deflater&) = delete;
  Deflater& operator=(const Deflater&) = delete;

  /// The zlib stream of `row`, valid until the next call.
  std::span<const std::byte> deflate(std::span<const std::uint8_t> row);

 private:
  struct Compressor;
  std::unique_ptr<Compressor> compressor_;
  std::vector<std::byte> deflated_;
};

/// Decompresses; for one thread. Takes no memory after its construction.
class Inflater {
 public:
  Inflater();  ///< throws Error when there is no memory
  ~Inflater();
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  /// row <- what was compressed to `deflated`. False when that is not a whole zlib stream, was
  /// damaged, or holds more or fewer bytes.
  [[nodiscard]] bool inflate(std::span<const std::byte> deflated, std::span<std::uint8_t> row);

 private:
  struct Decompressor;
  std::unique_ptr<Decompressor> decompressor_;
};

}  // namespace letterpress
