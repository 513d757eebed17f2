#include "tar_headers.h"

#include <algorithm>
#include <charconv>

#include "letterpress/base/error.h"
#include "text.h"

namespace letterpress::annotations {
namespace {

// Written by hand: libarchive streams members, but does not tell where in the file their bytes are,
// and pictures are read in place.
constexpr std::int64_t kBlock = 512;
constexpr std::int64_t kLongestHeader = 1 << 20;  // of a long name or an extended header
constexpr std::size_t kChecksumAt = 148, kChecksumLength = 8;

std::string_view field(std::string_view block, std::size_t at, std::size_t length) {
  const std::string_view text = block.substr(at, length);
  return text.substr(0, text.find('\0'));
}

// Octal digits between blanks, or GNU's base 256 behind a first byte of 0x80. -1: neither.
std::int64_t number(std::string_view text) {
  std::int64_t value = 0;
  if (!text.empty() && static_cast<unsigned char>(text[0]) == 0x80) {
    for (const char c : text.substr(1)) {
      if (value >> 54) return -1;
      value = value * 256 + static_cast<unsigned char>(c);
    }
    return value;
  }
  text = trim(text.substr(0, text.find('\0')));
  if (text.empty()) return 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value, 8);
  return failure == std::errc() && end == text.data() + text.size() && value >= 0 ? value : -1;
}

bool checksum_is_right(std::string_view block) {
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < block.size(); ++i) {
    const bool own = i >= kChecksumAt && i < kChecksumAt + kChecksumLength;
    sum += own ? ' ' : static_cast<unsigned char>(block[i]);
  }
  return sum == number(block.substr(kChecksumAt, kChecksumLength));
}

bool is_zero(std::string_view block) {
  return block.find_first_not_of('\0') == std::string_view::npos;
}

std::string name_of(std::string_view block) {
  std::string name(field(block, 0, 100));
  const std::string_view prefix = field(block, 345, 155);
  // GNU's magic "ustar  " has other things where POSIX has the prefix.
  const bool posix = block.substr(257, 6) == std::string_view("ustar\0", 6);
  return posix && !prefix.empty() ? std::string(prefix) + "/" + name : name;
}

TarKind kind_of(char type, const std::string& name) {
  switch (type) {
    case '0':
    case '\0':
    case '7':
      return name.ends_with('/') ? TarKind::other : TarKind::file;
    case '1':
      return TarKind::hard_link;
    case '2':
      return TarKind::symbolic_link;
    case 'S':
      return TarKind::sparse;
    default:
      return TarKind::other;
  }
}

}  // namespace

bool is_tar(std::string_view head) {
  if (head.size() < static_cast<std::size_t>(kBlock)) return false;
  const std::string_view block = head.substr(0, static_cast<std::size_t>(kBlock));
  return !is_zero(block) && checksum_is_right(block);
}

struct TarHeaders::Overrides {
  std::string name, link;
  std::int64_t length = -1;
  bool sparse = false;
};

TarHeaders::TarHeaders(const std::filesystem::path& path)
    : file_(File::open_to_read(path)), size_(file_.size()) {}

void TarHeaders::fail(const std::string& what) const {
  throw Error({.where = file_.path().string(),
               .what = "byte " + std::to_string(at_) + " of " + std::to_string(size_) + ": " + what,
               .fix = "copy or pack the archive again"});
}

// False at the block of zeros that ends the archive.
bool TarHeaders::read_block() {
  if (at_ + kBlock > size_)
    fail("the archive is cut short: another member or the zeros at its end are missing");
  block_.resize(static_cast<std::size_t>(kBlock));
  file_.read_at(at_, std::as_writable_bytes(std::span(block_)));
  if (is_zero(block_)) return false;
  if (!checksum_is_right(block_))
    fail("a tar header with a wrong checksum, the archive is damaged");
  return true;
}

std::string TarHeaders::body(std::int64_t length) const {
  if (length > kLongestHeader)
    fail("an extended header of " + std::to_string(length) + " bytes, must be at most 1 MiB");
  std::string text(static_cast<std::size_t>(length), '\0');
  file_.read_at(at_ + kBlock, std::as_writable_bytes(std::span(text)));
  return text;
}

// Bytes between the header and the body of a sparse member as GNU tar writes it: blocks that go on
// with the list of its pieces.
std::int64_t TarHeaders::more_pieces() const {
  constexpr std::size_t kGoesOnInHeader = 482, kGoesOn = 504;
  std::int64_t bytes = 0;
  std::string block(static_cast<std::size_t>(kBlock), '\0');
  for (bool more = block_[kGoesOnInHeader] != '\0'; more; more = block[kGoesOn] != '\0') {
    if (at_ + 2 * kBlock + bytes > size_) fail("the archive is cut short in a sparse member");
    file_.read_at(at_ + kBlock + bytes, std::as_writable_bytes(std::span(block)));
    bytes += kBlock;
  }
  return bytes;
}

// Records "length key=value\n", the length being that of the whole record.
void TarHeaders::read_extended(std::int64_t length, Overrides& overrides) const {
  const std::string text = body(length);
  std::string_view rest = text;
  while (!rest.empty() && rest[0] != '\0') {
    std::size_t n = 0;
    const auto [end, failure] = std::from_chars(rest.data(), rest.data() + rest.size(), n);
    const auto digits = static_cast<std::size_t>(end - rest.data());
    if (failure != std::errc() || n > rest.size() || n < digits + 3 || *end != ' ')
      fail("a damaged extended header");
    std::string_view value = rest.substr(digits + 1, n - digits - 2);
    rest.remove_prefix(n);
    const std::string_view key = take_until(value, '=');
    if (key == "path") overrides.name = value;
    if (key == "linkpath") overrides.link = value;
    if (key.starts_with("GNU.sparse")) overrides.sparse = true;
    if (key == "size") {
      const auto size = parse_integer(value);
      if (!size || *size < 0) fail("an extended header with the size " + in_quotes(value));
      overrides.length = *size;
    }
  }
}

std::optional<TarEntry> TarHeaders::next() {
  Overrides overrides;
  while (read_block()) {
    const std::int64_t stated = number(std::string_view(block_).substr(124, 12));
    const std::int64_t length = overrides.length >= 0 ? overrides.length : stated;
    const char type = block_[156];
    const bool no_body = type >= '1' && type <= '6';
    if (stated < 0) fail("a member of unreadable size");
    if (!no_body && length > size_ - at_ - kBlock) {
      fail("the archive is cut short: member " +
           in_quotes(overrides.name.empty() ? name_of(block_) : overrides.name) + " has " +
           std::to_string(length) + " bytes, " + std::to_string(size_ - at_ - kBlock) +
           " are left");
    }
    const std::int64_t pieces = type == 'S' ? more_pieces() : 0;
    const std::int64_t next =
        at_ + kBlock + pieces + (no_body ? 0 : (length + kBlock - 1) / kBlock * kBlock);
    if (type == 'L') overrides.name = field(body(length), 0, std::string::npos);
    if (type == 'K') overrides.link = field(body(length), 0, std::string::npos);
    if (type == 'x') read_extended(length, overrides);
    const std::int64_t start = std::exchange(at_, next);
    if (type == 'L' || type == 'K' || type == 'x' || type == 'g') continue;
    TarEntry entry;
    entry.name = overrides.name.empty() ? name_of(block_) : overrides.name;
    entry.link = overrides.link.empty() ? std::string(field(block_, 157, 100)) : overrides.link;
    entry.kind = overrides.sparse ? TarKind::sparse : kind_of(type, entry.name);
    entry.offset = start + kBlock;
    entry.length = length;
    return entry;
  }
  return std::nullopt;
}

}  // namespace letterpress::annotations
