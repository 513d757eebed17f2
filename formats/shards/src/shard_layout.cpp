#include "shard_layout.h"

#include <algorithm>
#include <utility>

namespace letterpress {
namespace {

void add_range(Hasher& hasher, const File& file, std::int64_t first, std::int64_t end) {
  constexpr std::int64_t kPiece = 1 << 20;
  std::vector<std::byte> piece(
      static_cast<std::size_t>(std::clamp<std::int64_t>(end - first, 0, kPiece)));
  for (; first < end; first += static_cast<std::int64_t>(piece.size())) {
    piece.resize(static_cast<std::size_t>(std::min(kPiece, end - first)));
    file.read_at(first, piece);
    hasher.add(piece);
  }
}

}  // namespace

std::uint64_t row_checksum(const ShardTables& tables, std::int64_t row,
                           std::span<const std::uint8_t> image, const std::string& name) {
  Hasher pixels;
  pixels.add(std::as_bytes(image));
  return row_checksum(tables, row, std::move(pixels), name);
}

std::uint64_t row_checksum(const ShardTables& tables, std::int64_t row, Hasher pixels,
                           const std::string& name) {
  for_each_table(tables, 0, 0, [&](const char*, const auto& table, const auto&) {
    pixels.add(std::as_bytes(table.row(row)));
  });
  return pixels.add(name).digest64();
}

Hash128 shard_digest(const File& file, std::vector<FileRange> pixels) {
  std::sort(pixels.begin(), pixels.end(),
            [](const FileRange& a, const FileRange& b) { return a.offset < b.offset; });
  Hasher hasher;
  std::int64_t first = 0;
  for (const FileRange& row : pixels) {
    add_range(hasher, file, first, row.offset);
    first = row.offset + row.bytes;
  }
  add_range(hasher, file, first, file.size());
  return hasher.digest128();
}

}  // namespace letterpress
