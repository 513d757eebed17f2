#pragma once
#include <array>
#include <string_view>

namespace letterpress {

/// How a shard keeps its pixels. Whatever it is, a row has the same content and checksum.
enum class Compression {
  none,    ///< schema 1: as they are, to be read at the speed of memory
  deflate  ///< schema 2: each row by itself, with HDF5's own filter: smaller, and slower to write
           ///< and to read
};
inline constexpr std::array<std::string_view, 2> kCompressionNames{"none",
                                                                   "deflate"};  ///< by Compression

/// Rows of a compressed shard, at most: what HDF5 needs to find them all grows with the square of
/// their number.
inline constexpr int kMostDeflatedRows = 4096;

}  // namespace letterpress
