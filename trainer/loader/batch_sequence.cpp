#include "trainer/loader/batch_sequence.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <stdexcept>
#include <utility>

#include "letterpress/base/error.h"

namespace letterpress {
namespace {

// Owners: all copies of the sequence; the loader keeps one as long as it lives.
using SharedPictures = std::shared_ptr<const std::vector<PictureRows>>;

void check_rank(int rank, int world_size) {
  if (world_size < 1 || rank < 0 || rank >= world_size)
    throw std::logic_error("rank " + std::to_string(rank) + " of " + std::to_string(world_size) +
                           " ranks");
}

/// Where the rows that training reads of a picture begin.
std::pair<std::int32_t, std::int64_t> place_on_disk(const PictureRows& picture) {
  const RowPlace& first = picture.augmented.empty() ? picture.clean : picture.augmented.front();
  return {first.shard, first.row};
}

bool lies_before(const PictureRows& a, const PictureRows& b) {
  return place_on_disk(a) < place_on_disk(b);
}

/// Start of part `part` when `n` is cut into `parts` contiguous parts whose sizes differ by one at
/// most.
std::int64_t part_start(std::int64_t n, int part, int parts) { return n * part / parts; }

SampleStream stream_of(const std::vector<PictureRows>& pictures, const TrainingOrder& order) {
  const std::int64_t samples = samples_of_epoch(static_cast<std::int64_t>(pictures.size()), order);
  if (samples < 1)
    throw Error(Message{.what = "the training split holds no picture",
                        .fix = "look at `letterpress-preprocess info`"},
                Exit::no_input);
  return SampleStream(samples, order.seed, order.window);
}

Error taken_from_all_over(const std::string& flag, const std::string& other) {
  return Error(Message{.what = flag + " takes pictures from all over the store",
                       .fix = "leave " + other + " out"},
               Exit::configuration);
}

/// Which picture is at a position of the stream.
class SampleOrder {
 public:
  SampleOrder(const std::vector<PictureRows>& pictures, const TrainingOrder& order)
      : stream_(stream_of(pictures, order)), seed_(order.seed) {
    const bool windows = order.window.block > 0;
    if (windows && !std::is_sorted(pictures.begin(), pictures.end(), lies_before))
      throw std::logic_error(
          "training_sequence: windows need pictures in disk order; call put_in_disk_order first");
    if (order.repeats.any()) {
      if (windows)
        throw taken_from_all_over("--sample balanced or --hard-negatives", "--order window");
      if (order.replayed > 0)
        throw taken_from_all_over("--sample balanced or --hard-negatives", "--replay");
      places_.emplace(static_cast<std::int64_t>(pictures.size()), order.repeats);
    }
    if (order.replayed == 0) return;
    if (windows) throw taken_from_all_over("--replay", "--order window");
    new_ = static_cast<std::int64_t>(pictures.size()) - order.replayed;
    replayed_.emplace(order.replayed, ~order.seed);
  }

  struct Sample {
    std::int64_t epoch, picture, repeat;
  };
  Sample at(std::int64_t position) const {
    const SampleStream::EpochSample place = stream_.at(position);
    if (places_) {
      const auto [picture, repeat] =
          places_->at(place.sample, ~seed_ + static_cast<std::uint64_t>(place.epoch));
      return {place.epoch, picture, repeat};
    }
    if (!replayed_ || place.sample < new_) return {place.epoch, place.sample, 0};
    // The replayed ones have their own stream. Each epoch takes its next part.
    const std::int64_t turn = place.epoch * (stream_.samples() - new_) + place.sample - new_;
    return {place.epoch, new_ + replayed_->at(turn).sample, 0};
  }

 private:
  SampleStream stream_;
  std::uint64_t seed_;
  std::optional<EpochPlaces> places_{};
  std::optional<SampleStream> replayed_{};
  std::int64_t new_ = 0;
};

}  // namespace

RowPlace row_of(const PictureRows& picture, std::int64_t epoch, std::int64_t first_clean_epoch,
                std::int64_t repeat) {
  if (picture.augmented.empty() || epoch >= first_clean_epoch) return picture.clean;
  const std::uint64_t views = picture.augmented.size();
  // Reduced one by one: their sum may exceed 2^64, and then a view would be skipped or repeated.
  return picture.augmented[(picture.picture_id % views + static_cast<std::uint64_t>(epoch) % views +
                            static_cast<std::uint64_t>(repeat) % views) %
                           views];
}

void put_in_disk_order(std::vector<PictureRows>& pictures) {
  std::sort(pictures.begin(), pictures.end(), lies_before);
}

std::int64_t samples_of_epoch(std::int64_t pictures, const TrainingOrder& order) {
  if (order.repeats.any() && pictures > 0) return EpochPlaces(pictures, order.repeats).size();
  return pictures - order.replayed +
         std::llround(order.replay * static_cast<double>(order.replayed));
}

BatchSequence training_sequence(const std::vector<PictureRows>& pictures,
                                const TrainingOrder& order, int rank, int world_size) {
  check_rank(rank, world_size);
  if (order.global_batch < world_size)
    throw Error({.what = "a global batch of " + std::to_string(order.global_batch) + " rows for " +
                         std::to_string(world_size) + " ranks leaves some ranks without a row",
                 .fix = "use a larger batch or fewer ranks"},
                Exit::configuration);
  // Owners: all copies of the sequence.
  const auto samples = std::make_shared<const SampleOrder>(pictures, order);
  const std::int64_t begin = part_start(order.global_batch, rank, world_size),
                     end = part_start(order.global_batch, rank + 1, world_size);
  return [=, all = SharedPictures(std::make_shared<std::vector<PictureRows>>(pictures)),
          first = order.begin, batch = order.global_batch,
          clean = order.first_clean_epoch](std::int64_t b) {
    std::vector<WantedRow> wants;
    wants.reserve(static_cast<std::size_t>(end - begin));
    for (std::int64_t i = begin; i < end; ++i) {
      const auto [epoch, picture, repeat] = samples->at(first + b * batch + i);
      wants.push_back(
          {picture, row_of((*all)[static_cast<std::size_t>(picture)], epoch, clean, repeat)});
    }
    return wants;
  };
}

std::int64_t first_row_of_rank(std::int64_t global_batch, int rank, int world_size) {
  check_rank(rank, world_size);
  return part_start(global_batch, rank, world_size);
}

std::int64_t rows_of_rank(std::int64_t global_batch, int rank, int world_size) {
  check_rank(rank, world_size);
  return part_start(global_batch, rank + 1, world_size) -
         part_start(global_batch, rank, world_size);
}

BatchSequence validation_sequence(const std::vector<PictureRows>& pictures, int batch, int rank,
                                  int world_size) {
  check_rank(rank, world_size);
  if (batch < 1)
    throw Error("--batch is " + std::to_string(batch) + ", must be 1 or more", Exit::configuration);
  return [=, all = SharedPictures(std::make_shared<std::vector<PictureRows>>(pictures))](
             std::int64_t b) {
    const auto n = static_cast<std::int64_t>(all->size());
    std::vector<WantedRow> wants;
    // Rank 0 has the most pictures. If it has a batch, every rank has one, so collective calls
    // match.
    if (b * batch * world_size >= n) return wants;
    wants.assign(static_cast<std::size_t>(batch), {-1, {}});
    for (std::int64_t i = 0; i < batch; ++i) {
      const std::int64_t sample = (b * batch + i) * world_size + rank;
      if (sample < n)
        wants[static_cast<std::size_t>(i)] = {sample,
                                              (*all)[static_cast<std::size_t>(sample)].clean};
    }
    return wants;
  };
}

BatchSequence micro_batches(BatchSequence sequence, int parts) {
  if (parts < 1)
    throw Error("got " + std::to_string(parts) + " micro-batches per step, must be 1 or more",
                Exit::configuration);
  if (parts == 1) return sequence;
  return [sequence = std::move(sequence), parts](std::int64_t b) {
    const std::vector<WantedRow> whole = sequence(b / parts);
    const auto rows = static_cast<std::int64_t>(whole.size());
    if (rows > 0 && rows < parts)
      throw Error({.what = "a batch of " + std::to_string(rows) + " rows cannot be cut into " +
                           std::to_string(parts) + " micro-batches",
                   .fix = "use a larger batch or accumulate less"},
                  Exit::configuration);
    const int part = static_cast<int>(b % parts);
    return std::vector<WantedRow>(whole.begin() + part_start(rows, part, parts),
                                  whole.begin() + part_start(rows, part + 1, parts));
  };
}

}  // namespace letterpress
