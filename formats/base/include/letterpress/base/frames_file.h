#pragma once
#include <cstdint>
#include <filesystem>
#include <span>

#include "letterpress/base/file.h"

namespace letterpress {

/// The frames that a network was given, uint8 [n, side, side, 3], as a file of numpy's
/// (numpy.lib.format, version 1.0). One thread.
class FramesFile {
 public:
  FramesFile(std::filesystem::path file, int side);
  void add(std::span<const std::uint8_t> frames);
  void finish();  ///< the file has its name from here on

 private:
  std::filesystem::path name_;
  TemporaryFile file_;
  std::int64_t side_, bytes_ = 0;
};

}  // namespace letterpress
