#include "letterpress/zip/zip_archive.h"

#include <libdeflate.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <numeric>
#include <span>
#include <tuple>

#include "letterpress/base/bytes_text.h"
#include "letterpress/base/error.h"

namespace letterpress {
namespace {

constexpr std::uint32_t kEnd64 = 0x06064b50, kEnd64Locator = 0x07064b50, kCentral = 0x02014b50,
                        kLocal = 0x04034b50;
constexpr std::size_t kEndBytes = 22, kCentralBytes = 46, kLocalBytes = 30, kLocatorBytes = 20,
                      kEnd64Bytes = 56;
constexpr std::int64_t kMaxCommentBytes = 65535;
constexpr std::uint32_t kInExtra = 0xffffffff;  // the number is in the zip64 field
constexpr std::uint16_t kStored = 0, kDeflated = 8;
// An entry that is larger and denser than both is a bomb: JSON packs 20 times, empty pictures 100.
constexpr std::int64_t kLargest = std::int64_t{256} << 20, kDensest = 100;
constexpr std::int64_t kDeflateLimit = 1032;  // no deflated byte holds more

template <typename Number>
Number number_at(std::string_view bytes, std::size_t offset) {
  Number number{};
  std::memcpy(&number, bytes.data() + offset, sizeof number);
  return number;
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

std::string method_name(std::uint16_t method) {
  switch (method) {
    case 9:
      return "Deflate64";
    case 12:
      return "bzip2";
    case 14:
      return "LZMA";
    case 93:
      return "zstd";
    case 95:
      return "xz";
    default:
      return "method " + std::to_string(method);
  }
}

// Programs of Windows write "a\\b.jpg", where the format wants "a/b.jpg", whatever system they
// name.
std::string name_of(std::string_view written) {
  std::string name(written);
  if (name.find('/') == std::string::npos) std::ranges::replace(name, '\\', '/');
  return name;
}

}  // namespace

void ZipArchive::fail(const std::string& what) const {
  throw Error({.where = file_.path().string(),
               .what = "not a readable zip archive: " + what,
               .fix = "the file was cut or damaged, copy it again"});
}

void ZipArchive::refuse_part() const {
  throw Error({.where = file_.path().string(),
               .what = "is one part of a zip archive of several",
               .fix = "join them first: zip -s 0 set.zip --out whole.zip"});
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
  if (at == std::string::npos || tail.size() - at < kEndBytes) {
    if (size_ >= 4 && bytes_at(0, 4) == std::string_view("PK\x07\x08", 4)) refuse_part();
    fail("it has no directory at its end");
  }
  // This part's number, from 0; where it does not fit, the zip64 directory has it.
  const auto part = number_at<std::uint16_t>(tail, at + 4);
  if ((part != 0 && part != 0xffff) || part != number_at<std::uint16_t>(tail, at + 6))
    refuse_part();
  Directory directory{number_at<std::uint32_t>(tail, at + 16),
                      number_at<std::uint32_t>(tail, at + 12),
                      number_at<std::uint16_t>(tail, at + 10), false};
  if (at < kLocatorBytes || number_at<std::uint32_t>(tail, at - kLocatorBytes) != kEnd64Locator)
    return directory;
  const std::string end =
      bytes_at(number_at<std::int64_t>(tail, at - kLocatorBytes + 8), kEnd64Bytes);
  if (number_at<std::uint32_t>(end, 0) != kEnd64)
    fail("its zip64 directory is not where it should be");
  return {number_at<std::int64_t>(end, 48), number_at<std::int64_t>(end, 40),
          number_at<std::int64_t>(end, 32), true};
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
  const std::uint32_t attributes = number_at<std::uint32_t>(rest, 38);
  const int system = number_at<std::uint8_t>(rest, 5);
  constexpr int kUnix = 3;
  constexpr std::uint32_t kKind = 0170000, kLink = 0120000;
  if (header > static_cast<std::uint64_t>(size_) || stored > static_cast<std::uint64_t>(size_) ||
      bytes > static_cast<std::uint64_t>(size_) * kDeflateLimit)
    fail("entry '" + std::string(rest.substr(kCentralBytes, name)) + "' reaches past its end (" +
         std::to_string(size_) + " bytes), or expands more than can be");
  entries_.push_back({.name = name_of(rest.substr(kCentralBytes, name)),
                      .header = static_cast<std::int64_t>(header),
                      .bytes = static_cast<std::int64_t>(bytes),
                      .stored = static_cast<std::int64_t>(stored),
                      .checksum = number_at<std::uint32_t>(rest, 16),
                      .method = number_at<std::uint16_t>(rest, 10),
                      .encrypted = (number_at<std::uint16_t>(rest, 8) & 1) != 0,
                      .symbolic_link = system == kUnix && (attributes >> 16 & kKind) == kLink});
  rest.remove_prefix(all);
}

// Bombs of a few bytes name the same content many times.
void ZipArchive::refuse_overlaps(std::int64_t directory) {
  by_header_.resize(entries_.size());
  std::iota(by_header_.begin(), by_header_.end(), std::size_t{0});
  std::ranges::sort(by_header_, {}, [&](std::size_t i) { return entries_[i].header; });
  for (std::size_t i = 0; i < by_header_.size(); ++i) {
    const ZipEntry& entry = entries_[by_header_[i]];
    const std::int64_t next =
        i + 1 < by_header_.size() ? entries_[by_header_[i + 1]].header : directory;
    if (entry.header + static_cast<std::int64_t>(kLocalBytes + entry.name.size()) + entry.stored >
        next)
      fail("entry '" + entry.name + "' overlaps what follows it");
  }
}

ZipArchive::ZipArchive(const std::filesystem::path& path) : file_(File::open_to_read(path)) {
  size_ = file_.size();
  const Directory directory = find_directory();
  const std::string content = bytes_at(directory.begin, directory.bytes);
  std::string_view rest = content;
  while (rest.size() >= sizeof(kCentral) && number_at<std::uint32_t>(rest, 0) == kCentral)
    add_entry(rest);
  // Programs without zip64 count more files than its 16 bits hold from 0 again.
  const auto entries = static_cast<std::int64_t>(entries_.size());
  constexpr std::int64_t kCounted = 1 << 16;
  if ((directory.zip64 ? entries : entries % kCounted) != directory.entries)
    fail("its directory is damaged");
  std::ranges::stable_sort(entries_, {}, &ZipEntry::name);
  refuse_overlaps(directory.begin);
}

const ZipEntry* ZipArchive::find(std::string_view name) const {
  const auto after = std::upper_bound(
      entries_.begin(), entries_.end(), name,
      [](std::string_view text, const ZipEntry& entry) { return text < entry.name; });
  return after != entries_.begin() && std::prev(after)->name == name ? &*std::prev(after) : nullptr;
}

const ZipEntry* ZipArchive::at(std::int64_t header) const {
  const auto found = std::ranges::lower_bound(by_header_, header, {},
                                              [&](std::size_t i) { return entries_[i].header; });
  return found != by_header_.end() && entries_[*found].header == header ? &entries_[*found]
                                                                        : nullptr;
}

Message ZipArchive::fault(const ZipEntry& entry) {
  if (entry.encrypted)
    return {.what = "is protected by a password",
            .fix = "unpack it with the password (7z x), and name the folder"};
  if (entry.method != kStored && entry.method != kDeflated)
    return {.what = "is compressed by " + method_name(entry.method) + ", must be Deflate or stored",
            .fix = "unpack it (7z x), and name the folder"};
  if (entry.bytes > kLargest && entry.bytes / kDensest > entry.stored)
    return {.what = "expands from " + bytes_text(static_cast<double>(entry.stored)) + " to " +
                    bytes_text(static_cast<double>(entry.bytes)) + ", as bombs do",
            .fix = "unpack it if you trust it, and name the folder"};
  return {};
}

// The local header has a name and fields of its own, whose lengths alone matter.
std::string ZipArchive::stored_bytes(const ZipEntry& entry) const {
  const std::string header = bytes_at(entry.header, kLocalBytes);
  if (number_at<std::uint32_t>(header, 0) != kLocal)
    fail("entry '" + entry.name + "' is not where its directory says");
  const std::int64_t begin = entry.header + static_cast<std::int64_t>(kLocalBytes) +
                             number_at<std::uint16_t>(header, 26) +
                             number_at<std::uint16_t>(header, 28);
  return bytes_at(begin, entry.stored);
}

void ZipArchive::require_readable(const ZipEntry& entry) const {
  Message message = fault(entry);
  if (message.what.empty()) return;
  message.where = file_.path().string() + ": entry '" + entry.name + "'";
  throw Error(message);
}

void ZipArchive::read(const ZipEntry& entry, std::span<std::byte> content) const {
  require_readable(entry);
  const std::string stored = stored_bytes(entry);
  if (entry.method == kStored) {
    if (stored.size() != content.size())
      fail("entry '" + entry.name + "' is stored in " + std::to_string(stored.size()) +
           " bytes, must be " + std::to_string(content.size()));
    std::ranges::copy(std::as_bytes(std::span(stored)), content.begin());
  } else {
    const std::unique_ptr<libdeflate_decompressor, decltype(&libdeflate_free_decompressor)> codec{
        libdeflate_alloc_decompressor(), libdeflate_free_decompressor};
    if (!codec) throw std::bad_alloc();
    // Without a pointer for the size of the result, too few bytes are an error.
    if (libdeflate_deflate_decompress(codec.get(), stored.data(), stored.size(), content.data(),
                                      content.size(), nullptr) != LIBDEFLATE_SUCCESS)
      fail("entry '" + entry.name + "' does not inflate to its " + std::to_string(content.size()) +
           " bytes");
  }
  if (libdeflate_crc32(0, content.data(), content.size()) != entry.checksum)
    fail("entry '" + entry.name + "' does not match its CRC-32");
}

std::string ZipArchive::read(const ZipEntry& entry) const {
  require_readable(entry);  // before memory is taken for it
  std::string text(static_cast<std::size_t>(entry.bytes), '\0');
  read(entry, std::as_writable_bytes(std::span(text)));
  return text;
}

std::string ZipArchive::read(std::string_view name) const {
  const ZipEntry* const entry = find(name);
  if (!entry) fail("it has no entry '" + std::string(name) + "'");
  return read(*entry);
}

}  // namespace letterpress
