#include "preprocess/inputs/stat_cache.h"

#include <fmt/compile.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <span>
#include <string_view>
#include <vector>

#include "letterpress/base/checked_text.h"
#include "letterpress/base/file.h"

namespace letterpress {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::size_t kPieceBytes = std::size_t{64} << 10;
constexpr std::string_view kHeader = "letterpress stat cache 5";

// Fields of a line that we have written ourselves, as the checksum shows. A stream takes ten times
// as long.
class Fields {
 public:
  explicit Fields(std::string_view line) : rest_(line) {}
  std::string_view next() {
    const std::size_t end = rest_.find(' ');
    const std::string_view field = rest_.substr(0, end);
    rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + 1);
    return field;
  }
  template <class T>
  T number() {
    const std::string_view field = next();
    T value{};
    std::from_chars(field.data(), field.data() + field.size(), value);
    return value;
  }

 private:
  std::string_view rest_;
};

KnownPicture known_picture(Fields& fields) {
  KnownPicture known;
  known.stamp.size = fields.number<std::int64_t>();
  known.stamp.modified_ns = fields.number<std::int64_t>();
  known.stamp.changed_ns = fields.number<std::int64_t>();
  known.stamp.inode = fields.number<std::uint64_t>();
  known.hash = Hash128::from_hex(fields.next());
  known.width = fields.number<std::int32_t>();
  known.height = fields.number<std::int32_t>();
  known.orientation = fields.number<std::int32_t>();
  known.bit_depth = fields.number<std::int32_t>();
  known.cmyk = fields.number<int>() != 0;
  known.alpha = fields.number<int>() != 0;
  known.several = fields.number<int>() != 0;
  known.end_sought = fields.number<int>() != 0;
  known.truncated = fields.number<int>() != 0;
  return known;
}

}  // namespace

StatCache StatCache::load(const std::filesystem::path& file) {
  StatCache cache;
  const std::optional<std::string> body = read_checked_text(file, kHeader);
  if (!body) return cache;
  cache.pictures_.reserve(static_cast<std::size_t>(std::count(body->begin(), body->end(), '\n')));
  for (std::string_view rest = *body; !rest.empty();) {
    const std::size_t end = rest.find('\n');
    Fields fields(rest.substr(0, end));
    const KnownPicture known = known_picture(fields);
    cache.pictures_.emplace(Hash128::from_hex(fields.next()), known);
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  }
  return cache;
}

void StatCache::save(const std::filesystem::path& file) const {
  std::vector<const std::pair<const Hash128, KnownPicture>*> ordered;
  for (const auto& picture : pictures_) ordered.push_back(&picture);
  std::sort(ordered.begin(), ordered.end(),
            [](const auto* a, const auto* b) { return a->first < b->first; });
  TemporaryFile temporary(file.parent_path());
  Hasher checksum;
  std::string lines;
  auto offset = static_cast<std::int64_t>(checked_first_line(kHeader, {}).size());
  const auto write_lines = [&] {
    checksum.add(lines);
    temporary.write_at(offset, std::as_bytes(std::span(lines)), file);
    offset += static_cast<std::int64_t>(lines.size());
    lines.clear();
  };
  for (const auto* picture : ordered) {
    const KnownPicture& known = picture->second;
    fmt::format_to(std::back_inserter(lines),
                   FMT_COMPILE("{} {} {} {} {} {} {} {} {} {:d} {:d} {:d} {:d} {:d} {}\n"),
                   known.stamp.size, known.stamp.modified_ns, known.stamp.changed_ns,
                   known.stamp.inode, known.hash.hex(), known.width, known.height,
                   known.orientation, known.bit_depth, known.cmyk, known.alpha, known.several,
                   known.end_sought, known.truncated, picture->first.hex());
    if (lines.size() >= kPieceBytes) write_lines();
  }
  write_lines();
  const std::string first = checked_first_line(kHeader, checksum.digest128());
  temporary.write_at(0, std::as_bytes(std::span(first)), file);
  temporary.replace(file);
}

std::optional<KnownPicture> StatCache::find(const std::string& path, const FileStamp& stamp) const {
  const auto known = pictures_.find(hash128(path));
  if (known == pictures_.end() || known->second.stamp != stamp) return std::nullopt;
  return known->second;
}

void StatCache::remember(const std::string& path, const KnownPicture& picture,
                         std::int64_t now_ns) {
  const std::int64_t changed = std::max(picture.stamp.modified_ns, picture.stamp.changed_ns);
  if (changed + 2 * kSecond > now_ns) return;
  pictures_.insert_or_assign(hash128(path), picture);
}

}  // namespace letterpress
