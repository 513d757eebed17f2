#include "python/src/picture_loader.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <limits>
#include <string_view>
#include <utility>

#include "letterpress/base/error.h"
#include "letterpress/base/suggest.h"
#include "trainer/loader/class_balance.h"

namespace letterpress::python {
namespace {

constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();
constexpr int kMostReaders = 1024;
constexpr int kMostBuffers = 1024;  // each takes a batch's memory
constexpr std::array<std::string_view, 3> kOrders{"shuffle", "window", "once"};
constexpr std::array<std::string_view, 2> kSamples{"all", "balanced"};
constexpr std::array<std::string_view, 2> kViews{"augmented", "clean"};
constexpr std::array<std::string_view, 3> kDtypes{"uint8", "float32", "bfloat16"};  // by PixelType

[[noreturn]] void refuse(const std::string& name, const std::string& what) {
  throw Error({.where = name, .what = what}, Exit::usage);
}

template <std::size_t N>
std::size_t place_of(const std::string& name, const std::string& value,
                     const std::array<std::string_view, N>& known) {
  const auto* const found = std::find(known.begin(), known.end(), value);
  if (found == known.end())
    refuse(name,
           unknown_name("value", value, std::vector<std::string>(known.begin(), known.end())));
  return static_cast<std::size_t>(found - known.begin());
}

void check_reading(const LoaderOptions& loading) {
  if (loading.threads < 0 || loading.threads > kMostReaders)
    refuse("readers", "is " + std::to_string(loading.threads) + ", must be 0 (min(4, cores)) to " +
                          std::to_string(kMostReaders));
  if (loading.buffers < 2 || loading.buffers > kMostBuffers)
    refuse("buffers", "is " + std::to_string(loading.buffers) + ", must be 2 to " +
                          std::to_string(kMostBuffers) + " batches");
  if (!(loading.deadline_s > 0))
    refuse("read_deadline",
           "is " + std::to_string(loading.deadline_s) + ", must be more than 0 seconds");
}

void check_numbers(const PictureLoaderOptions& options) {
  if (options.batch < 1)
    refuse("batch", "is " + std::to_string(options.batch) + ", must be 1 or more");
  if (options.world_size < 1)
    refuse("world_size", "is " + std::to_string(options.world_size) + ", must be 1 or more");
  if (options.rank < 0 || options.rank >= options.world_size)
    refuse("rank", "is " + std::to_string(options.rank) + ", must be 0.." +
                       std::to_string(options.world_size - 1) + " with world_size " +
                       std::to_string(options.world_size));
  if (!(options.rare_below >= 0 && options.rare_below <= 1))
    refuse("rare_below", "is " + std::to_string(options.rare_below) + ", must be 0 to 1");
  if (options.sample == "balanced" && options.order != "shuffle")
    refuse("sample", "'balanced' takes pictures from all over the store; leave order '" +
                         options.order + "' out");
  check_reading(options.loading);
  if (options.clean_from && *options.clean_from < 0)
    refuse("clean_from", "is " + std::to_string(*options.clean_from) + ", must be 0 or more");
}

std::int64_t rounded_up(std::int64_t n, std::int64_t part) { return (n + part - 1) / part; }

/// Passes of a sequence that ends, one after another.
BatchSequence repeated(BatchSequence pass, std::int64_t length, std::int64_t begin) {
  return [=](std::int64_t b) { return pass((begin + b) % length); };
}

}  // namespace

PictureLoader::PictureLoader(std::shared_ptr<const OpenedSnapshot> snapshot,
                             PictureLoaderOptions options)
    : snapshot_(std::move(snapshot)), options_(std::move(options)), process_(::getpid()) {
  check_numbers(options_);
  place_of("order", options_.order, kOrders);
  place_of("views", options_.views, kViews);
  place_of("sample", options_.sample, kSamples);
  LoaderOptions& loading = options_.loading;
  loading.pixels = static_cast<PixelType>(place_of("dtype", options_.dtype, kDtypes));
  loading.read = static_cast<ReadBy>(place_of("read", options_.read, kReadNames));
  loading.verify = static_cast<VerifyRows>(place_of("verify", options_.verify, kVerifyNames));
  pictures_ = snapshot_->reader().pictures(options_.split);
  const auto pictures = static_cast<std::int64_t>(pictures_.size());
  if (pictures == 0)
    throw Error({.where = snapshot_->folder().string(),
                 .what = "split '" + options_.split + "' of snapshot " +
                         std::to_string(snapshot_->snapshot().generation) + " holds no picture",
                 .fix = "look at `letterpress-preprocess info`"},
                Exit::no_input);
  const std::int64_t rows = rounded_up(options_.batch, options_.world_size);
  loading.batch = static_cast<int>(rows);
  if (once()) {
    // A larger batch would only take memory, for padding.
    loading.batch = static_cast<int>(std::min(rows, rounded_up(pictures, options_.world_size)));
    length_ = rounded_up(pictures, rows_of_batch());
  } else {
    const SampleWindow window = window_of(options_.order);
    if (window.block > 0) put_in_disk_order(pictures_);
    loading.advise = static_cast<int>(window.samples() / loading.batch);
    balance();
    length_ = samples_of_epoch(pictures, training_order(0));
    stride_ = options_.batch;
  }
  sequence(0);  // which refuses what cannot be cut into batches
}

PictureLoader::~PictureLoader() { stop_readers(); }

void PictureLoader::balance() {
  if (is_balanced(options_.sample))
    factors_ = balance_classes(snapshot_->reader(), pictures_, options_.rare_below).factors;
}

TrainingOrder PictureLoader::training_order(std::int64_t begin) const {
  return {.seed = options_.seed,
          .global_batch = options_.batch,
          .first_clean_epoch = options_.views == "clean" ? 0 : options_.clean_from.value_or(kNever),
          .window = window_of(options_.order),
          .begin = begin,
          .repeats = {.factors = factors_}};
}

BatchSequence PictureLoader::sequence(std::int64_t begin) const {
  if (once())
    return repeated(
        validation_sequence(pictures_, options_.loading.batch, options_.rank, options_.world_size),
        length_, begin);
  return training_sequence(pictures_, training_order(begin), options_.rank, options_.world_size);
}

// Asked before the mutex, which a thread may have held when the process was forked.
std::unique_lock<std::mutex> PictureLoader::lock() const {
  if (::getpid() == process_) return std::unique_lock(mutex_);
  throw Error({.where = "letterpress.Loader",
               .what = "was made in process " + std::to_string(process_) +
                       ", whose reader threads this forked process does not have",
               .fix = "make it here, or use DataLoader(num_workers=0): it reads in threads of "
                      "its own"},
              Exit::usage);
}

void PictureLoader::start_readers() {
  if (loader_) return;
  loader_ =
      std::make_unique<BatchLoader>(snapshot_->reader(), sequence(begin_), 0, options_.loading);
}

void PictureLoader::stop_readers() {
  // The threads of a forked process's parent cannot be waited for.
  if (::getpid() == process_) {
    loader_.reset();
  } else {
    static_cast<void>(loader_.release());
  }
}

std::optional<OwnBatch> PictureLoader::next_of(std::int64_t epoch) {
  const auto locked = lock();
  if (place() / length_ != epoch) return std::nullopt;
  start_readers();
  const HostBatch* const batch = loader_->next();
  OwnBatch result = own(*batch);
  ++given_;
  return result;
}

OwnBatch PictureLoader::own(const HostBatch& batch) {
  OwnBatch result{.shape = loader_->shape(),
                  .boxes = batch.boxes,
                  .flags = batch.flags,
                  .labels = batch.label,
                  .weights = batch.weight};
  result.shape.batch = static_cast<int>(batch.rows.size());
  for (std::size_t i = 0; i < batch.rows.size(); ++i) {
    const bool padding = batch.samples[i] < 0;
    const std::int64_t row = batch.rows[i].row;
    const ShardReader* const shard = padding ? nullptr : &snapshot_->shard(batch.rows[i]);
    result.counts.push_back(padding ? 0 : shard->box_count(row));
    result.picture_ids.push_back(padding ? 0 : shard->picture_id(row));
    result.views.push_back(padding ? -1 : shard->view(row));
    result.tiles.push_back(padding ? -1 : shard->tile(row));
  }
  result.images = loader_->take_images();
  return result;
}

std::int64_t PictureLoader::position() const {
  const auto locked = lock();
  return place();
}

std::int64_t PictureLoader::epoch() const { return position() / length_; }

void PictureLoader::go_to(std::int64_t position) {
  stop_readers();
  begin_ = position;
  given_ = 0;
}

void PictureLoader::seek(std::int64_t position) {
  if (position < 0 || position > kMostPosition)
    refuse("position",
           "is " + std::to_string(position) + ", must be 0 to " + std::to_string(kMostPosition));
  const auto locked = lock();
  go_to(position);
  sought_ = true;
}

std::int64_t PictureLoader::batches_left() const {
  const auto locked = lock();
  const std::int64_t now = place();
  if (once() && !sought_) return length_;  // begin_pass() goes back to the first
  return rounded_up((now / length_ + 1) * length_ - now, stride_);
}

std::int64_t PictureLoader::begin_pass() {
  const auto locked = lock();
  const std::int64_t epoch = place() / length_;
  if (once() && !sought_ && place() != epoch * length_) go_to(epoch * length_);
  sought_ = false;
  return epoch;
}

std::string PictureLoader::reading() const {
  const auto locked = lock();
  return loader_ ? to_string(loader_->read_choice()) : "";
}

double PictureLoader::waited_s() const {
  const auto locked = lock();
  return loader_ ? loader_->waited_s() : 0;
}

}  // namespace letterpress::python
