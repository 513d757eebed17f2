#include "preprocess/pictures/tiff_directory.h"

namespace letterpress {
namespace {

constexpr std::uint32_t kShort = 3;

}  // namespace

TiffDirectory::TiffDirectory(const PictureBytes& tiff)
    : big_endian_(ByteReader(tiff).starts_with("MM")), reader_(tiff, big_endian_) {
  if (!big_endian_ && !reader_.starts_with("II")) return;
  const std::uint32_t version = reader_.u16(2);
  big_ = version == 43;
  if (version == 42 || big_) enter(big_ ? reader_.u64(8) : reader_.u32(4));
}

void TiffDirectory::enter(std::size_t directory) {
  first_ = directory + (big_ ? 8 : 2);
  entries_ = big_ ? reader_.u64(directory) : reader_.u16(directory);
  found_ = reader_.ok();
  if (!found_) entries_ = 0;
}

bool TiffDirectory::next() {
  const std::size_t at = first_ + (big_ ? 20 : 12) * entries_;
  const std::size_t directory = big_ ? reader_.u64(at) : reader_.u32(at);
  if (!reader_.ok() || directory == 0) return false;
  enter(directory);
  return found_;
}

TiffDirectory::Entry TiffDirectory::find(std::uint32_t tag) {
  for (std::size_t i = 0; i < entries_ && reader_.ok(); ++i) {
    const std::size_t entry = first_ + (big_ ? 20 : 12) * i;
    if (reader_.u16(entry) == tag) return {entry + 2, entry + 4, entry + (big_ ? 12u : 8u)};
  }
  return {};
}

std::uint32_t TiffDirectory::number(std::uint32_t tag, std::uint32_t absent) {
  const Entry entry = find(tag);
  if (entry.type == 0) return absent;
  if (reader_.u16(entry.type) != kShort) return reader_.u32(entry.value);
  const std::uint32_t count = big_ ? reader_.u64(entry.count) : reader_.u32(entry.count);
  if (count <= (big_ ? 4u : 2u)) return reader_.u16(entry.value);
  return reader_.u16(big_ ? reader_.u64(entry.value) : reader_.u32(entry.value));
}

}  // namespace letterpress
