#include "letterpress/base/frames_file.h"

#include <fmt/format.h>

#include <utility>

#include "letterpress/base/folder.h"

namespace letterpress {
namespace {

constexpr std::size_t kHeader = 128;  // so that the number of frames may come last

}  // namespace

FramesFile::FramesFile(std::filesystem::path file, int side)
    : name_(std::move(file)), file_(folder_of(name_)), side_(side) {}

void FramesFile::add(std::span<const std::uint8_t> frames) {
  file_.write_at(static_cast<std::int64_t>(kHeader) + bytes_, std::as_bytes(frames), name_);
  bytes_ += static_cast<std::int64_t>(frames.size());
}

void FramesFile::finish() {
  std::string header = "\x93NUMPY";
  header += {1, 0, static_cast<char>(kHeader - 10), 0};
  header += fmt::format("{{'descr': '|u1', 'fortran_order': False, 'shape': ({}, {}, {}, 3), }}",
                        bytes_ / (3 * side_ * side_), side_, side_);
  header.resize(kHeader - 1, ' ');
  header += '\n';
  file_.write_at(0, std::as_bytes(std::span(header)), name_);
  file_.replace(name_);
}

}  // namespace letterpress
