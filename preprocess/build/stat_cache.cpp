#include "preprocess/build/stat_cache.h"

#include <sys/stat.h>

#include <algorithm>
#include <sstream>
#include <vector>

#include "letterpress/base/error.h"
#include "letterpress/base/file.h"

namespace letterpress {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr const char* kHeader = "letterpress stat cache 2";

std::int64_t nanoseconds(const timespec& time) { return time.tv_sec * kSecond + time.tv_nsec; }

}  // namespace

std::optional<FileStamp> file_stamp(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
  return FileStamp{status.st_size, nanoseconds(status.st_mtim), nanoseconds(status.st_ctim), status.st_ino};
}

StatCache StatCache::load(const std::filesystem::path& file) {
  StatCache cache;
  std::error_code ignored;
  if (!std::filesystem::exists(file, ignored)) return cache;
  std::string text;
  try {
    text = read_file(file);
  } catch (const Error&) {
    return cache;
  }
  // The first line ends in the checksum of all that follows.
  const std::size_t header = text.find('\n');
  if (header == std::string::npos) return cache;
  const std::string body = text.substr(header + 1);
  if (text.substr(0, header) != kHeader + std::string(" ") + hash128(body).hex()) return cache;
  std::istringstream lines(body);
  KnownPicture known;
  std::string hash, path;
  while (lines >> known.stamp.size >> known.stamp.modified_ns >> known.stamp.changed_ns >> known.stamp.inode >> hash >> known.width >>
         known.height >> known.orientation >> known.bit_depth >> known.cmyk >> known.alpha) {
    lines.ignore(1);
    std::getline(lines, path);
    known.hash = Hash128::from_hex(hash);
    cache.pictures_.emplace(path, known);
  }
  return cache;
}

void StatCache::save(const std::filesystem::path& file) const {
  std::vector<const std::pair<const std::string, KnownPicture>*> ordered;
  for (const auto& picture : pictures_) ordered.push_back(&picture);
  std::sort(ordered.begin(), ordered.end(), [](const auto* a, const auto* b) { return a->first < b->first; });
  std::ostringstream body;
  for (const auto* picture : ordered) {
    const KnownPicture& known = picture->second;
    body << known.stamp.size << ' ' << known.stamp.modified_ns << ' ' << known.stamp.changed_ns << ' ' << known.stamp.inode << ' '
         << known.hash.hex() << ' ' << known.width << ' ' << known.height << ' ' << known.orientation << ' ' << known.bit_depth << ' '
         << known.cmyk << ' ' << known.alpha << ' ' << picture->first << '\n';
  }
  replace_file(file, kHeader + std::string(" ") + hash128(body.str()).hex() + "\n" + body.str());
}

std::optional<KnownPicture> StatCache::find(const std::string& path, const FileStamp& stamp) const {
  const auto place = pictures_.find(path);
  if (place == pictures_.end() || place->second.stamp != stamp) return std::nullopt;
  return place->second;
}

void StatCache::remember(const std::string& path, const KnownPicture& picture, std::int64_t now_ns) {
  const std::int64_t changed = std::max(picture.stamp.modified_ns, picture.stamp.changed_ns);
  if (path.find('\n') != std::string::npos || changed + 2 * kSecond > now_ns) return;
  pictures_.insert_or_assign(path, picture);
}

}  // namespace letterpress
