#pragma once
#include <array>
#include <string_view>

namespace letterpress {

/// How a shard stores its pixels. A row has the same content and checksum in both.
enum class Compression {
  none,    ///< schema 1: as they are, to be read at the speed of memory
  deflate  ///< schema 2: each row by itself, with HDF5's own filter: smaller, and slower to write
           ///< and to read
};
/// By Compression.
inline constexpr std::array<std::string_view, 2> kCompressionNames{"none", "deflate"};

/// The most rows of a compressed shard: the time that HDF5 needs to find them all grows with the
/// square of their number.
inline constexpr int kMostDeflatedRows = 4096;

}  // namespace letterpress
