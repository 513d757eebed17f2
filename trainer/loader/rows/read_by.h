#pragma once
#include <array>
#include <string_view>

namespace letterpress {

/// How the reader threads get the bytes of rows.
enum class ReadBy {
  automatic,  ///< choose_read() decides
  pread,      ///< copied from the page cache: works everywhere, errors are error codes
  mmap,   ///< mapped; one pass copies or normalises straight from the page cache; for local disks
  direct  ///< bypasses the page cache (O_DIRECT), several reads ahead per thread (io_uring): for
          ///< stores larger than memory
};
inline constexpr std::array<std::string_view, 4> kReadNames{"auto", "pread", "mmap",
                                                            "direct"};  ///< by ReadBy

}  // namespace letterpress
