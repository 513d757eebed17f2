#include "zip_archive.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "letterpress/base/error.h"

namespace letterpress {
namespace {

constexpr std::uint32_t kEnd64 = 0x06064b50, kEnd64Locator = 0x07064b50, kCentral = 0x02014b50,
                        kLocal = 0x04034b50;
constexpr std::size_t kEndBytes = 22, kCentralBytes = 46, kLocalBytes = 30, kLocatorBytes = 20,
                      kEnd64Bytes = 56;
constexpr std::int64_t kMaxCommentBytes = 65535;
constexpr std::uint32_t kInExtra = 0xffffffff;  // the number is in the zip64 field

template <typename Number>
Number number_at(std::string_view bytes, std::size_t offset) {
  Number number{};
  std::memcpy(&number, bytes.data() + offset, sizeof number);
  return number;
}

constexpr std::array<std::uint32_t, 256> make_table() {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t i = 0; i < 256; ++i) {
    std::uint32_t value = i;
    for (int bit = 0; bit < 8; ++bit) value = value & 1 ? value >> 1 ^ 0xedb88320u : value >> 1;
    table[i] = value;
  }
  return table;
}

// The zip64 field of an entry holds, in this order, its numbers that do not fit in 32 bits.
void read_zip64(std::string_view extra, std::initializer_list<std::uint64_t*> wide) {
  while (extra.size() >= 4) {
    const auto id = number_at<std::uint16_t>(extra, 0);
    const std::size_t size =
        std::min<std::size_t>(number_at<std::uint16_t>(extra, 2), extra.size() - 4);
    std::string_view field = extra.substr(4, size);
    extra.remove_prefix(4 + size);
    if (id != 1) continue;
    for (std::uint64_t* number : wide) {
      if (*number != kInExtra || field.size() < 8) continue;
      *number = number_at<std::uint64_t>(field, 0);
      field.remove_prefix(8);
    }
  }
}

}  // namespace

std::uint32_t crc32(std::string_view bytes) {
  static constexpr std::array<std::uint32_t, 256> table = make_table();
  std::uint32_t value = 0xffffffff;
  for (const char byte : bytes)
    value = table[(value ^ static_cast<std::uint8_t>(byte)) & 0xff] ^ value >> 8;
  return ~value;
}

void ZipArchive::fail(const std::string& what) const {
  throw Error({.where = file_.path().string(),
               .what = "not a readable zip archive: " + what,
               .fix = "the file was cut or damaged, copy it again"});
}

std::string ZipArchive::bytes_at(std::int64_t offset, std::int64_t bytes) const {
  if (offset < 0 || bytes < 0 || offset > size_ || bytes > size_ - offset) {
    fail(std::to_string(bytes) + " bytes at " + std::to_string(offset) + " reach past its end (" +
         std::to_string(size_) + " bytes)");
  }
  std::string content(static_cast<std::size_t>(bytes), '\0');
  file_.read_at(offset, std::as_writable_bytes(std::span(content)));
  return content;
}

// The place of the directory is stored at the end, before a comment of any length.
ZipArchive::Directory ZipArchive::find_directory() const {
  const std::int64_t wanted =
      std::min(size_, static_cast<std::int64_t>(kEndBytes) + kMaxCommentBytes);
  const std::string tail = bytes_at(size_ - wanted, wanted);
  const std::size_t at = tail.rfind(std::string_view("PK\x05\x06", 4));
  if (at == std::string::npos || tail.size() - at < kEndBytes)
    fail("it has no directory at its end");
  Directory directory{number_at<std::uint32_t>(tail, at + 16),
                      number_at<std::uint32_t>(tail, at + 12),
                      number_at<std::uint16_t>(tail, at + 10)};
  if (at < kLocatorBytes || number_at<std::uint32_t>(tail, at - kLocatorBytes) != kEnd64Locator)
    return directory;
  const std::string end =
      bytes_at(number_at<std::int64_t>(tail, at - kLocatorBytes + 8), kEnd64Bytes);
  if (number_at<std::uint32_t>(end, 0) != kEnd64)
    fail("its zip64 directory is not where it should be");
  return {number_at<std::int64_t>(end, 48), number_at<std::int64_t>(end, 40),
          number_at<std::int64_t>(end, 32)};
}

void ZipArchive::add_entry(std::string_view& rest) {
  if (rest.size() < kCentralBytes || number_at<std::uint32_t>(rest, 0) != kCentral)
    fail("its directory is damaged");
  const std::size_t name = number_at<std::uint16_t>(rest, 28),
                    extra = number_at<std::uint16_t>(rest, 30);
  const std::size_t all = kCentralBytes + name + extra + number_at<std::uint16_t>(rest, 32);
  if (rest.size() < all) fail("its directory is cut");
  std::uint64_t bytes = number_at<std::uint32_t>(rest, 24),
                stored = number_at<std::uint32_t>(rest, 20);
  std::uint64_t header = number_at<std::uint32_t>(rest, 42);
  read_zip64(rest.substr(kCentralBytes + name, extra), {&bytes, &stored, &header});
  entries_[std::string(rest.substr(kCentralBytes, name))] = {
      static_cast<std::int64_t>(header), static_cast<std::int64_t>(bytes),
      number_at<std::uint32_t>(rest, 16),
      number_at<std::uint16_t>(rest, 10) != 0 || bytes != stored};
  rest.remove_prefix(all);
}

ZipArchive::ZipArchive(const std::filesystem::path& path) : file_(File::open_to_read(path)) {
  size_ = file_.size();
  const Directory directory = find_directory();
  const std::string content = bytes_at(directory.begin, directory.bytes);
  std::string_view rest = content;
  for (std::int64_t i = 0; i < directory.entries; ++i) add_entry(rest);
}

std::string ZipArchive::read(const std::string& name) const {
  const auto found = entries_.find(name);
  if (found == entries_.end()) fail("it has no entry '" + name + "'");
  const Entry& entry = found->second;
  if (entry.compressed) fail("entry '" + name + "' is compressed, which PyTorch does not do");
  const std::string header = bytes_at(entry.header, kLocalBytes);
  if (number_at<std::uint32_t>(header, 0) != kLocal)
    fail("entry '" + name + "' is not where its directory says");
  const std::int64_t begin = entry.header + static_cast<std::int64_t>(kLocalBytes) +
                             number_at<std::uint16_t>(header, 26) +
                             number_at<std::uint16_t>(header, 28);
  std::string content = bytes_at(begin, entry.bytes);
  if (crc32(content) != entry.checksum) fail("entry '" + name + "' does not match its CRC-32");
  return content;
}

}  // namespace letterpress
