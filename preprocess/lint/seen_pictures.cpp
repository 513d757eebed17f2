#include "preprocess/lint/seen_pictures.h"

#include <tbb/blocked_range.h>
#include <tbb/enumerable_thread_specific.h>
#include <tbb/parallel_for.h>

#include "preprocess/likeness/look_cache.h"

namespace letterpress {
namespace {

PicturePart part_of(const ShardReader& shard, std::int64_t row) {
  const auto [width, height] = shard.source_size(row);
  const Letterbox part = letterbox_of(shard.letterbox(row), width, height, shard.spec().side);
  return {part.x, part.y, part.width, part.height};
}

// known: what a build has seen of the pictures themselves, by which it chose the splits.
void look_at_one(const LintSource& source, const LookCache& known, std::vector<std::uint8_t>& image,
                 SeenPicture& seen) {
  const ShardReader& shard = source.reader.shard(seen.entry->rows.front().shard);
  const std::int64_t row = seen.entry->rows.front().row;
  image.resize(static_cast<std::size_t>(shard.image_bytes()));
  shard.read_images(row, 1, image.data());
  shard.verify_row(row, image);
  const PicturePart part = part_of(shard, row);
  seen.hash = hash_picture(image, shard.spec().side, part);
  const Look* const before = known.find(seen.entry->picture_hash);
  seen.look = before ? *before
                     : look_at({image, shard.spec().side, part.x, part.y, part.width, part.height});
}

}  // namespace

std::vector<SeenPicture> look_at_all(const LintSource& source) {
  std::vector<SeenPicture> all;
  for (const LedgerEntry& entry : source.ledger) {
    if (entry.state == InputState::stored) all.push_back({.entry = &entry});
  }
  source.listener.stage("looking at", static_cast<std::int64_t>(all.size()), "pictures");
  const LookCache known = LookCache::load(source.store.cache_folder() / "looks");
  tbb::enumerable_thread_specific<std::vector<std::uint8_t>> images;
  tbb::parallel_for(tbb::blocked_range<std::size_t>(0, all.size(), 16),
                    [&](const tbb::blocked_range<std::size_t>& range) {
                      for (std::size_t i = range.begin(); i < range.end() && !source.stop; ++i) {
                        look_at_one(source, known, images.local(), all[i]);
                        source.listener.advance(1);
                      }
                    });
  return all;
}

}  // namespace letterpress
