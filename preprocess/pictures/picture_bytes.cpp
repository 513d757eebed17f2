#include "preprocess/pictures/picture_bytes.h"

#include <algorithm>
#include <utility>

namespace letterpress {
namespace {

constexpr std::size_t kWindow = std::size_t{64} << 10, kHashed = std::size_t{1} << 20;

}  // namespace

PictureFile::PictureFile(File file, std::int64_t offset, std::int64_t length)
    : file_(std::move(file)),
      offset_(offset),
      size_(static_cast<std::size_t>(
          std::max<std::int64_t>(0, length < 0 ? file_.size() - offset : length))) {}

std::span<const std::byte> PictureFile::window(std::size_t at, std::size_t n) {
  if (at < at_ || at + n > at_ + held_.size()) {
    held_.resize(std::min(std::max(n, kWindow), size_ - at));
    at_ = at;
    read_at(at, held_);
  }
  return std::span(held_).subspan(at - at_, n);
}

void PictureFile::read(std::vector<std::byte>& bytes) const {
  bytes.resize(size_);
  read_at(0, bytes);
}

void PictureFile::read_at(std::size_t at, std::span<std::byte> bytes) const {
  try {
    file_.read_at(offset_ + static_cast<std::int64_t>(at), bytes);
  } catch (const Error& error) {
    throw UnreadablePicture(error);
  }
}

Hash128 PictureFile::hash() {
  Hasher hasher;
  for (std::size_t at = 0; at < size_; at += kHashed)
    hasher.add(window(at, std::min(kHashed, size_ - at)));
  shrink_window();
  return hasher.digest128();
}

void PictureFile::shrink_window() {
  if (held_.capacity() <= kWindow) return;
  std::vector<std::byte>().swap(held_);
  at_ = 0;
}

}  // namespace letterpress
