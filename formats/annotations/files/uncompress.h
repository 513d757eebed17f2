#pragma once
#include <cstddef>
#include <filesystem>
#include <functional>
#include <span>
#include <string_view>

namespace letterpress::annotations {

/// How a file is compressed as a whole, by its first bytes.
struct Compression {
  std::string_view magic, name;
  std::string_view tool;  ///< that uncompresses it: "gunzip -k"
  bool is_read = false;   ///< uncompress() knows it
};
/// nullptr: it is not compressed.
const Compression* compression_of(std::string_view head);

/// Takes the next bytes of the content; what it throws ends the work.
using TakeBytes = std::function<void(std::span<const std::byte>)>;

/// Gives `take` the content of a file, in order, 1 MiB or less at a time. gzip (RFC 1952) by zlib,
/// bzip2 and xz by their libraries, of one stream or several. Throws Error (data) when it is cut or
/// damaged, or takes more than 512 MiB of memory to uncompress.
void uncompress(const std::filesystem::path& file, const Compression& compression,
                const TakeBytes& take);

}  // namespace letterpress::annotations
