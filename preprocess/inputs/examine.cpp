#include "preprocess/inputs/examine.h"

#include <tbb/blocked_range.h>
#include <tbb/enumerable_thread_specific.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <memory>
#include <optional>
#include <tuple>

#include "letterpress/annotations/picture_files.h"
#include "letterpress/base/error.h"
#include "letterpress/base/file.h"
#include "preprocess/inputs/unpacked_folder.h"
#include "preprocess/pictures/picture.h"

namespace letterpress {
namespace {

std::int64_t now_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

// Whole files only: an archive's stamp does not tell which of its members has changed.
bool is_whole_file(const Item& item) { return item.offset == 0 && item.length < 0; }

Reject unreadable(const Item& item, const Error& error) {
  return {item.where, error.what(), "restore the picture or take it out of the label file"};
}

// seen: KnownPicture or PictureInfo.
template <class Seen>
void take_header(const Seen& seen, Candidate& candidate) {
  candidate.width = seen.width;
  candidate.height = seen.height;
  candidate.orientation = seen.orientation;
  candidate.bit_depth = seen.bit_depth;
  candidate.cmyk = seen.cmyk;
  candidate.alpha = seen.alpha;
  candidate.several = seen.several;
  candidate.truncated = seen.truncated;
}

void take(const KnownPicture& known, Candidate& candidate) {
  candidate.picture_hash = known.hash;
  take_header(known, candidate);
}

KnownPicture known_picture(const FileStamp& stamp, const Candidate& candidate, bool end_sought) {
  return {.stamp = stamp,
          .hash = candidate.picture_hash,
          .width = candidate.width,
          .height = candidate.height,
          .orientation = candidate.orientation,
          .bit_depth = candidate.bit_depth,
          .cmyk = candidate.cmyk,
          .alpha = candidate.alpha,
          .several = candidate.several,
          .end_sought = end_sought,
          .truncated = candidate.truncated};
}

bool is_small_file(const std::optional<FileStamp>& stamp) {
  return stamp && stamp->size <= static_cast<std::int64_t>(kFileReadWhole);
}

// stamp: of a file of its own. bytes: memory. Throws Error when the picture cannot be read.
Expected<PictureInfo> hash_and_probe(Candidate& candidate, const std::optional<FileStamp>& stamp,
                                     const BuildOptions& options, const PictureFiles& files,
                                     std::vector<std::byte>& bytes) {
  const Item& item = candidate.item;
  std::optional<PictureFile> large;
  if (!is_small_file(stamp)) large = open_large(files, item.path, item.offset, item.length);
  if (!large) files.read(item.path, item.offset, item.length, bytes);
  candidate.picture_hash = large ? large->hash() : hash128(bytes);
  return probe(large ? PictureBytes(*large) : PictureBytes(bytes), picture_path(item),
               limits_of(options));
}

// Fills in what the picture holds, or why it cannot be used. Returns the stamp of a file that may
// be remembered.
std::optional<FileStamp> examine_one(Candidate& candidate, const BuildOptions& options,
                                     const StatCache& known, const PictureFiles& files,
                                     std::vector<std::byte>& bytes) {
  const Item& item = candidate.item;
  const std::optional<FileStamp> stamp = is_whole_file(item) ? file_stamp(item.path) : std::nullopt;
  if (stamp) {
    const auto before = known.find(item.path, *stamp);
    const bool decodable = before && (before->bit_depth <= 8 || !options.depth.empty()) &&
                           (options.truncated == Truncated::reject || before->end_sought);
    if (decodable && std::int64_t{before->width} * before->height <= options.max_pixels)
      return take(*before, candidate), stamp;
  }
  try {
    const Expected<PictureInfo> info = hash_and_probe(candidate, stamp, options, files, bytes);
    if (info) return take_header(*info, candidate), stamp;
    Reject reject = info.reject();
    reject.where = item.where + ": " + reject.where;
    candidate.reject = std::make_shared<const Reject>(std::move(reject));
  } catch (const Error& error) {
    candidate.reject = std::make_shared<const Reject>(unreadable(item, error));
  }
  return std::nullopt;
}

auto bytes_of(const Candidate* candidate) {
  return std::tie(candidate->item.path, candidate->item.offset, candidate->item.length);
}

// Those whose picture is to be examined; the ones that share a picture are neighbours, in the label
// files' order.
std::vector<Candidate*> in_order_of_bytes(std::deque<Candidate>& candidates) {
  std::vector<Candidate*> ordered;
  for (Candidate& candidate : candidates) {
    if (!candidate.reject) ordered.push_back(&candidate);
  }
  std::stable_sort(ordered.begin(), ordered.end(), [](const Candidate* a, const Candidate* b) {
    return bytes_of(a) < bytes_of(b);
  });
  return ordered;
}

// Copies what was found out about a picture to another line that lists it. Each line that lists a
// bad file is named.
void copy_examined(const Candidate& first, Candidate& candidate) {
  take(known_picture({}, first, false), candidate);
  if (!first.reject) return;
  Reject reject = *first.reject;
  reject.where = candidate.item.where + ": " + picture_path(candidate.item);
  candidate.reject = std::make_shared<const Reject>(std::move(reject));
}

}  // namespace

PictureLimits limits_of(const BuildOptions& options) {
  return {.max_pixels = options.max_pixels,
          .depth = parse_depth(options.depth),
          .truncated = options.truncated};
}

std::optional<PictureFile> open_large(const PictureFiles& files, const std::string& path,
                                      std::int64_t offset, std::int64_t length) {
  constexpr auto kSmall = static_cast<std::int64_t>(kFileReadWhole);
  if (length >= 0 && length <= kSmall) return std::nullopt;
  const std::optional<PicturePlace> place = files.place(path, offset, length);
  if (!place || place->length <= kSmall) return std::nullopt;
  return std::optional<PictureFile>(std::in_place, File::open_to_read(place->file), place->offset,
                                    place->length);
}

StatCache examine(Inputs& inputs, const BuildOptions& options, const StatCache& known,
                  BuildListener& listener, const StopRequest& stop) {
  const std::vector<Candidate*> ordered = in_order_of_bytes(inputs.candidates);
  std::vector<Candidate*> pictures;
  std::unique_copy(
      ordered.begin(), ordered.end(), std::back_inserter(pictures),
      [](const Candidate* a, const Candidate* b) { return bytes_of(a) == bytes_of(b); });
  const std::int64_t now = now_ns();  // before the first stamp is taken
  listener.stage("examining", static_cast<std::int64_t>(pictures.size()), "pictures");
  std::vector<std::optional<FileStamp>> stamps(pictures.size());
  const PictureFiles files(unpacked_folder(options));
  tbb::enumerable_thread_specific<std::vector<std::byte>> buffers;
  tbb::parallel_for(tbb::blocked_range<std::size_t>(0, pictures.size(), 4),
                    [&](const tbb::blocked_range<std::size_t>& range) {
                      for (std::size_t i = range.begin(); i < range.end() && !stop; ++i) {
                        stamps[i] =
                            examine_one(*pictures[i], options, known, files, buffers.local());
                        listener.advance(1);
                      }
                    });

  StatCache cache(pictures.size());
  const bool ends_sought = options.truncated == Truncated::keep;
  for (std::size_t i = 0; i < pictures.size(); ++i) {
    if (stamps[i])
      cache.remember(pictures[i]->item.path, known_picture(*stamps[i], *pictures[i], ends_sought),
                     now);
  }
  const Candidate* first = nullptr;
  for (Candidate* candidate : ordered) {
    if (first && bytes_of(first) == bytes_of(candidate)) {
      copy_examined(*first, *candidate);
    } else {
      first = candidate;
    }
  }
  return cache;
}

}  // namespace letterpress
