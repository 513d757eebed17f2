#include "preprocess/likeness/look_cache.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "letterpress/base/checked_text.h"
#include "letterpress/base/file.h"

namespace letterpress {
namespace {

constexpr std::string_view kHeader = "letterpress looks 1";
constexpr std::size_t kHash = 16, kCorner = 11;

// A picture's hash, the number of corners, and of each its bits (least byte first), x, y and level.
void add_record(const Hash128& picture, const Look& look, std::string& text) {
  text.append(reinterpret_cast<const char*>(picture.bytes.data()), kHash);
  text += static_cast<char>(look.size());
  for (const Corner& corner : look) {
    for (unsigned byte = 0; byte < 8; ++byte)
      text += static_cast<char>(corner.bits >> (8 * byte) & 255);
    for (const std::uint8_t value : {corner.x, corner.y, corner.level})
      text += static_cast<char>(value);
  }
}

Corner read_corner(std::string_view bytes) {
  const auto at = [&](std::size_t i) { return static_cast<std::uint8_t>(bytes[i]); };
  Corner corner{.bits = 0, .x = at(8), .y = at(9), .level = at(10)};
  for (unsigned byte = 0; byte < 8; ++byte)
    corner.bits |= static_cast<std::uint64_t>(at(byte)) << (8 * byte);
  return corner;
}

bool is_in_thumbnail(const Corner& corner) {
  return corner.x < kThumbnail && corner.y < kThumbnail && corner.level < kLookLevels;
}

}  // namespace

LookCache LookCache::load(const std::filesystem::path& file) {
  LookCache cache;
  const std::optional<std::string> body = read_checked_text(file, kHeader);
  if (!body) return cache;
  std::string_view rest = *body;
  while (rest.size() > kHash) {  // somebody else may have written it, the checksum, too
    Hash128 picture;
    std::copy_n(rest.begin(), kHash, picture.bytes.begin());
    const auto corners = static_cast<std::uint8_t>(rest[kHash]);
    rest.remove_prefix(kHash + 1);
    if (corners > kLookCorners || rest.size() < corners * kCorner) return {};
    Look look;
    for (int i = 0; i < corners; ++i, rest.remove_prefix(kCorner))
      look.push_back(read_corner(rest));
    if (!std::ranges::all_of(look, is_in_thumbnail)) return {};
    cache.looks_.emplace(picture, std::move(look));
  }
  return cache;
}

void LookCache::save(const std::filesystem::path& file) const {
  std::vector<const std::pair<const Hash128, Look>*> ordered;
  for (const auto& look : looks_) ordered.push_back(&look);
  std::ranges::sort(ordered, {}, [](const auto* look) { return look->first; });
  std::string body;
  for (const auto* look : ordered) add_record(look->first, look->second, body);
  replace_file(file, checked_first_line(kHeader, hash128(body)) + body);
}

const Look* LookCache::find(const Hash128& picture) const {
  const auto known = looks_.find(picture);
  return known == looks_.end() ? nullptr : &known->second;
}

void LookCache::remember(const Hash128& picture, Look look) {
  looks_.insert_or_assign(picture, std::move(look));
}

}  // namespace letterpress
