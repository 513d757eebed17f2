#include "preprocess/map/shard_builder.h"

#include <algorithm>

#include "letterpress/base/file.h"
#include "letterpress/shards/deflate.h"
#include "preprocess/map/channel_sums.h"
#include "preprocess/plan/plan_folder.h"

namespace letterpress {
namespace {

ShardSpec spec_of(const Plan& plan, const PlannedShard& shard, const Recipe& recipe) {
  const SnapshotShard& described = plan.snapshot.shards[static_cast<std::size_t>(shard.index)];
  ShardSpec spec;
  spec.side = plan.snapshot.identity.side;
  spec.max_boxes = described.max_boxes;
  spec.compression = described.compression;
  for (const CopiedRow& copy : shard.copies)
    spec.names.push_back(plan.ledger[static_cast<std::size_t>(copy.entry)].name);
  for (const std::int32_t picture : shard.row_picture) {
    const std::int32_t entry = plan.pictures[static_cast<std::size_t>(picture)].entry;
    spec.names.push_back(plan.ledger[static_cast<std::size_t>(entry)].name);
  }
  spec.tiled = recipe.tiles().has_value();
  spec.augment_names = recipe.parameter_names();
  spec.classes = plan.snapshot.classes;
  spec.recipe_json = plan.snapshot.identity.recipe_json;
  spec.fill = recipe.letterbox().fill;
  spec.producer = plan.snapshot.producer;
  if (spec.compression == Compression::deflate) spec.producer += ", " + deflate_library();
  return spec;
}

}  // namespace

ShardBuilder::ShardBuilder(const MapTask& task, const PlannedShard& shard)
    : task_(task), shard_(shard), left_(shard.rows()) {}

ShardWriter& ShardBuilder::writer() {
  std::call_once(opened_, [&] {
    writer_ = std::make_unique<ShardWriter>(task_.temporary_folder,
                                            spec_of(task_.plan, shard_, task_.recipe));
  });
  return *writer_;
}

ShardBuilder::Sums ShardBuilder::put(std::int64_t index, const ShardRow& row,
                                     std::span<const std::uint8_t> image) {
  writer().put_row(index, row, image);
  if (row.view != 0) return {};
  return {sum_channels(image), static_cast<std::int64_t>(image.size() / 3)};
}

void ShardBuilder::settle(std::int64_t index, const Sums& sums) {
  writer().settle_row(index);
  for (std::size_t c = 0; c < 3; ++c) channel_sum_[c] += sums.channels[c];
  pixels_ += sums.pixels;
}

void ShardBuilder::write_dead(std::int64_t index, const ShardRow& row,
                              std::span<const std::uint8_t> image, const Reject& reject) {
  writer().write_row(index, row, image);
  const std::lock_guard lock(dead_mutex_);
  dead_.push_back({index, row.status, reject.what, reject.fix});
}

void ShardBuilder::finish(std::int32_t number) {
  ShardRecord record;
  record.shard = number;
  record.digest = writer().finish(task_.store.shards_folder());
  record.dead = std::move(dead_);
  std::ranges::sort(record.dead, {}, &ShardRecord::Dead::row);
  for (std::size_t c = 0; c < 3; ++c)
    record.channel_sum[c] = static_cast<double>(channel_sum_[c].load());
  record.pixels = pixels_;
  // Whoever else made this shard made the same bytes: the first record stands.
  (void)write_new_file(record_path(task_.store, task_.digest, number), to_json(record),
                       task_.temporary_folder);
  writer_.reset();
}

}  // namespace letterpress
