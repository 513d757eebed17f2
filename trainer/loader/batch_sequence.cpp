#include <algorithm>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "letterpress/base/error.h"
#include "trainer/loader/batch_loader.h"

namespace letterpress {
namespace {

// Owners: every copy of the sequence, and the loader keeps one for as long as it lives.
using SharedPictures = std::shared_ptr<const std::vector<PictureRows>>;

void check_rank(int rank, int ranks) {
  if (ranks < 1 || rank < 0 || rank >= ranks)
    throw std::logic_error("rank " + std::to_string(rank) + " of " + std::to_string(ranks) + " ranks");
}

/// Which pictures lie side by side, by the rows that training reads.
std::vector<std::int32_t> order_on_disk(const std::vector<PictureRows>& pictures) {
  const auto place = [&](std::int32_t i) {
    const PictureRows& rows = pictures[static_cast<std::size_t>(i)];
    const RowPlace& first = rows.augmented.empty() ? rows.clean : rows.augmented.front();
    return std::pair(first.shard, first.row);
  };
  std::vector<std::int32_t> order(pictures.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](std::int32_t a, std::int32_t b) { return place(a) < place(b); });
  return order;
}

/// First of part `part` when `n` is cut in `parts` contiguous parts that differ by one at most.
std::int64_t part_start(std::int64_t n, int part, int parts) { return n * part / parts; }

}  // namespace

RowPlace row_of(const PictureRows& picture, std::int64_t epoch, std::int64_t first_clean_epoch) {
  if (picture.augmented.empty() || epoch >= first_clean_epoch) return picture.clean;
  const std::uint64_t views = picture.augmented.size();
  // Reduced one by one: their sum may pass 2^64, where the next epoch's view would be out of turn.
  return picture.augmented[(picture.picture_id % views + static_cast<std::uint64_t>(epoch) % views) % views];
}

BatchLoader::Sequence training_sequence(const std::vector<PictureRows>& pictures, std::uint64_t seed, int global_batch, int rank, int ranks,
                                        std::int64_t first_clean_epoch, SampleWindow window) {
  check_rank(rank, ranks);
  if (pictures.empty()) throw Error("the training split holds no picture; look at `letterpress-preprocess info`", Exit::no_input);
  if (global_batch < ranks)
    throw Error("a global batch of " + std::to_string(global_batch) + " rows for " + std::to_string(ranks) +
                    " ranks leaves some without a row; raise --batch or use fewer ranks",
                Exit::configuration);
  const SampleStream stream(static_cast<std::int64_t>(pictures.size()), seed, window);
  const std::vector<std::int32_t> on_disk = window.block > 0 ? order_on_disk(pictures) : std::vector<std::int32_t>{};
  const std::int64_t begin = part_start(global_batch, rank, ranks), end = part_start(global_batch, rank + 1, ranks);
  return [=, all = SharedPictures(std::make_shared<std::vector<PictureRows>>(pictures))](std::int64_t b) {
    std::vector<BatchLoader::Want> wants;
    wants.reserve(static_cast<std::size_t>(end - begin));
    for (std::int64_t i = begin; i < end; ++i) {
      SampleStream::Place place = stream.at(b * global_batch + i);
      if (!on_disk.empty()) place.sample = on_disk[static_cast<std::size_t>(place.sample)];
      wants.push_back({place.sample, row_of((*all)[static_cast<std::size_t>(place.sample)], place.epoch, first_clean_epoch)});
    }
    return wants;
  };
}

std::int64_t rows_of_rank(std::int64_t global_batch, int rank, int ranks) {
  check_rank(rank, ranks);
  return part_start(global_batch, rank + 1, ranks) - part_start(global_batch, rank, ranks);
}

BatchLoader::Sequence validation_sequence(const std::vector<PictureRows>& pictures, int batch, int rank, int ranks) {
  check_rank(rank, ranks);
  if (batch < 1) throw Error("a batch of " + std::to_string(batch) + " rows; --batch is at least 1", Exit::configuration);
  return [=, all = SharedPictures(std::make_shared<std::vector<PictureRows>>(pictures))](std::int64_t b) {
    const auto n = static_cast<std::int64_t>(all->size());
    std::vector<BatchLoader::Want> wants;
    // Rank 0 has the most pictures: where it has a batch, all have one, so that collective operations meet.
    if (b * batch * ranks >= n) return wants;
    wants.assign(static_cast<std::size_t>(batch), {-1, {}});
    for (std::int64_t i = 0; i < batch; ++i) {
      const std::int64_t sample = (b * batch + i) * ranks + rank;
      if (sample < n) wants[static_cast<std::size_t>(i)] = {sample, (*all)[static_cast<std::size_t>(sample)].clean};
    }
    return wants;
  };
}

BatchLoader::Sequence micro_batches(BatchLoader::Sequence sequence, int parts) {
  if (parts < 1) throw Error(std::to_string(parts) + " micro-batches per step; at least 1 is needed", Exit::configuration);
  if (parts == 1) return sequence;
  return [sequence = std::move(sequence), parts](std::int64_t b) {
    const std::vector<BatchLoader::Want> whole = sequence(b / parts);
    const auto rows = static_cast<std::int64_t>(whole.size());
    if (rows > 0 && rows < parts)
      throw Error("a batch of " + std::to_string(rows) + " rows cannot be cut in " + std::to_string(parts) +
                      " micro-batches; raise --batch or accumulate less",
                  Exit::configuration);
    const int part = static_cast<int>(b % parts);
    return std::vector<BatchLoader::Want>(whole.begin() + part_start(rows, part, parts), whole.begin() + part_start(rows, part + 1, parts));
  };
}

}  // namespace letterpress
