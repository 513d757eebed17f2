#include "preprocess/map/copy_shards.h"

#include <tbb/parallel_for.h>

#include <optional>

#include "letterpress/base/error.h"
#include "preprocess/map/shard_builder.h"

namespace letterpress {
namespace {

ShardRow row_of(const ShardReader& shard, std::int64_t index) {
  ShardRow row;
  row.boxes = shard.label_boxes(index);
  const std::span<const float> whole = shard.whole_boxes(index);
  for (std::size_t i = 0; !whole.empty() && i < row.boxes.size(); ++i)
    row.whole_boxes.push_back({whole[4 * i], whole[4 * i + 1], whole[4 * i + 2], whole[4 * i + 3]});
  row.label = shard.label(index);
  row.letterbox = shard.letterbox(index);
  row.source_width = shard.source_size(index)[0];
  row.source_height = shard.source_size(index)[1];
  row.source_hash = shard.source_hash(index);
  row.tile = shard.tile(index);
  row.view = shard.view(index);
  row.status = shard.status(index);
  const std::span<const float> augment = shard.augment(index);
  row.augment.assign(augment.begin(), augment.end());
  return row;
}

ShardReader opened(const std::filesystem::path& shard) {
  try {
    return ShardReader(shard);
  } catch (const Error& error) {
    if (error.exit() != Exit::data && error.exit() != Exit::no_input) throw;
    throw InputChanged(with_remark(error.message(), " (it was whole when the build was planned)"));
  }
}

void copy_shard(const MapTask& task, std::size_t number, BuildListener& listener) {
  const PlannedShard& planned = task.plan.shards[number];
  ShardBuilder made(task, planned);
  std::optional<ShardReader> source;  // one at a time: the rows come shard by shard
  std::vector<std::uint8_t> image;
  for (std::size_t i = 0; i < planned.copies.size(); ++i) {
    if (task.stop) return;
    const CopiedRow& copy = planned.copies[i];
    if (!source || copy.source != planned.copies[i - 1].source) {
      source.reset();
      source.emplace(
          opened(task.store.shard_path(task.plan.sources[static_cast<std::size_t>(copy.source)])));
    }
    image.resize(static_cast<std::size_t>(source->image_bytes()));
    source->read_images(copy.row, 1, image.data());
    source->verify_row(copy.row, image);
    const auto at = static_cast<std::int64_t>(i);
    made.settle(at, made.put(at, row_of(*source, copy.row), image));
    listener.advance(1);
  }
  made.finish(static_cast<std::int32_t>(number));
}

}  // namespace

void copy_shards(const MapTask& task, const std::vector<bool>& finished, BuildListener& listener) {
  std::vector<std::size_t> numbers;
  std::int64_t rows = 0;
  for (std::size_t i = 0; i < task.plan.shards.size(); ++i) {
    if (finished[i] || task.plan.shards[i].copies.empty()) continue;
    numbers.push_back(i);
    rows += task.plan.shards[i].rows();
  }
  if (numbers.empty()) return;
  listener.stage("repacking", rows, "rows");
  tbb::parallel_for(std::size_t{0}, numbers.size(),
                    [&](std::size_t i) { copy_shard(task, numbers[i], listener); });
}

}  // namespace letterpress
