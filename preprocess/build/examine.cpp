#include "preprocess/build/examine.h"

#include <tbb/blocked_range.h>
#include <tbb/enumerable_thread_specific.h>
#include <tbb/parallel_for.h>

#include <chrono>
#include <map>
#include <tuple>

#include "letterpress/base/error.h"
#include "letterpress/base/file.h"
#include "letterpress/commandline/program.h"
#include "preprocess/pictures/picture.h"

namespace letterpress {
namespace {

struct Examined {
  KnownPicture picture;
  bool cacheable = false;
  std::optional<Reject> reject;
};

std::int64_t now_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::system_clock::now().time_since_epoch()).count();
}

// Whole files only: an archive's stamp says nothing cheap about its members.
bool is_whole_file(const Item& item) { return item.offset == 0 && item.length < 0; }

Reject unreadable(const Item& item, const Error& error) {
  return {item.where, error.what(), "restore the picture or take it out of the label file"};
}

Examined examine_one(const Item& item, const BuildOptions& options, const StatCache& known, std::vector<std::byte>& bytes) {
  Examined result;
  const std::optional<FileStamp> stamp = is_whole_file(item) ? file_stamp(item.path) : std::nullopt;
  if (stamp) {
    const auto before = known.find(item.path, *stamp);
    const bool decodable = before && (before->bit_depth <= 8 || !options.depth.empty());
    if (decodable && std::int64_t{before->width} * before->height <= options.max_pixels) return {*before, true, std::nullopt};
  }
  try {
    read_picture(item.path, item.offset, item.length, bytes);
  } catch (const Error& error) {
    result.reject = unreadable(item, error);
    return result;
  }
  result.picture.hash = hash128(bytes);
  const Expected<PictureInfo> info =
      probe(bytes, picture_path(item), {.max_pixels = options.max_pixels, .depth = parse_depth(options.depth)});
  if (!info) {
    result.reject = info.reject();
    result.reject->where = item.where + ": " + result.reject->where;
    return result;
  }
  result.picture.width = info->width;
  result.picture.height = info->height;
  result.picture.orientation = info->orientation;
  result.picture.bit_depth = info->bit_depth;
  result.picture.cmyk = info->cmyk;
  result.picture.alpha = info->alpha;
  if (stamp) result.picture.stamp = *stamp;
  result.cacheable = stamp.has_value();
  return result;
}

void apply(const Examined& examined, Candidate& candidate) {
  candidate.picture_hash = examined.picture.hash;
  candidate.width = examined.picture.width;
  candidate.height = examined.picture.height;
  candidate.orientation = examined.picture.orientation;
  candidate.bit_depth = examined.picture.bit_depth;
  candidate.cmyk = examined.picture.cmyk;
  candidate.alpha = examined.picture.alpha;
  candidate.reject = examined.reject;
}

// "/a/t.tar/x/1.png" -> "/a/t.tar"; the path itself when none of it is a file.
std::filesystem::path containing_file(const std::filesystem::path& path) {
  std::error_code ignored;
  for (std::filesystem::path part = path; part.has_relative_path(); part = part.parent_path()) {
    if (std::filesystem::is_regular_file(part, ignored)) return part;
  }
  return path;
}

}  // namespace

void read_picture(const std::string& path, std::int64_t offset, std::int64_t length, std::vector<std::byte>& bytes) {
  if (offset == 0 && length < 0) return read_file(path, bytes);
  const File file = File::open_to_read(containing_file(path));
  bytes.resize(static_cast<std::size_t>(length < 0 ? file.size() - offset : length));
  file.read_at(offset, bytes);
}

StatCache examine(Inputs& inputs, const BuildOptions& options, const StatCache& known, BuildListener& listener) {
  using Place = std::tuple<std::string, std::int64_t, std::int64_t>;
  std::map<Place, std::size_t> places;
  std::vector<const Item*> items;
  std::vector<std::size_t> file_of(inputs.candidates.size());
  for (std::size_t i = 0; i < inputs.candidates.size(); ++i) {
    const Candidate& candidate = inputs.candidates[i];
    if (candidate.reject) continue;
    const auto [place, is_new] = places.emplace(Place(candidate.item.path, candidate.item.offset, candidate.item.length), items.size());
    if (is_new) items.push_back(&candidate.item);
    file_of[i] = place->second;
  }

  const std::int64_t now = now_ns();  // before the first stamp is taken
  listener.stage("examining", static_cast<std::int64_t>(items.size()), "pictures");
  std::vector<Examined> examined(items.size());
  tbb::enumerable_thread_specific<std::vector<std::byte>> buffers;
  tbb::parallel_for(tbb::blocked_range<std::size_t>(0, items.size(), 4), [&](const tbb::blocked_range<std::size_t>& range) {
    for (std::size_t i = range.begin(); i < range.end() && !stop_signal(); ++i) {
      examined[i] = examine_one(*items[i], options, known, buffers.local());
      listener.advance(1);
    }
  });

  StatCache cache;
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (examined[i].cacheable && !examined[i].reject) cache.remember(items[i]->path, examined[i].picture, now);
  }
  for (std::size_t i = 0; i < inputs.candidates.size(); ++i) {
    Candidate& candidate = inputs.candidates[i];
    if (candidate.reject) continue;
    apply(examined[file_of[i]], candidate);
    // Each of several lines that list a bad file is named.
    if (candidate.reject && items[file_of[i]] != &candidate.item)
      candidate.reject->where = candidate.item.where + ": " + picture_path(candidate.item);
  }
  return cache;
}

}  // namespace letterpress
