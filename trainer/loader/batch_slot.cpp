#include "trainer/loader/batch_slot.h"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <utility>

namespace letterpress {
namespace {

/// Marks the boxes in [first, end), 5 numbers each, as unused.
void clear_boxes(float* first, const float* end) {
  for (float* box = first; box != end; box += 5) {
    std::fill_n(box, 4, 0.0f);
    box[4] = -1;
  }
}

}  // namespace

BatchSlot::BatchSlot(const LoaderOptions& options, std::int64_t image_bytes, int max_boxes,
                     std::shared_ptr<ImageMemory> memory)
    : image_bytes_(image_bytes),
      row_bytes_(image_bytes * bytes_of(options.pixels)),
      capacity_(static_cast<std::size_t>(options.batch)),
      max_boxes_(static_cast<std::size_t>(max_boxes)),
      memory_(std::move(memory)),
      images_(memory_->take()) {
  batch_.images = images_.get();
  batch_.boxes.reserve(capacity_ * max_boxes_ * 5);
  batch_.flags.reserve(capacity_ * max_boxes_);
  batch_.label.reserve(capacity_);
  batch_.weight.reserve(capacity_);
  batch_.samples.reserve(capacity_);
  batch_.rows.reserve(capacity_);
}

void BatchSlot::plan(std::vector<WantedRow> wants) {
  if (wants.size() > capacity_)
    throw std::logic_error("the sequence asks for " + std::to_string(wants.size()) +
                           " rows, LoaderOptions::batch is " + std::to_string(capacity_));
  const std::size_t rows = wants.size();
  wants_ = std::move(wants);
  batch_.boxes.resize(rows * max_boxes_ * 5);
  batch_.flags.resize(rows * max_boxes_);
  batch_.label.resize(rows);
  batch_.weight.resize(rows);
  batch_.samples.resize(rows);
  batch_.rows.resize(rows);
  for (std::size_t i = 0; i < rows; ++i) {
    batch_.samples[i] = wants_[i].sample;
    batch_.rows[i] = wants_[i].sample < 0 ? RowPlace{} : wants_[i].row;
  }
  // Not the number of rows: a reader may look at wants() for a ticket without a row, so the
  // consumer gets the slot back only when all tickets are used up.
  open_tickets_.store(capacity_, std::memory_order_relaxed);
}

void BatchSlot::fill_tables(std::size_t row, const ShardReader& shard) {
  const std::int64_t source = batch_.rows[row].row;
  const std::span<const float> boxes = shard.boxes(source);
  const std::span<const std::uint8_t> flags = shard.box_flags(source);
  float* const first = batch_.boxes.data() + row * max_boxes_ * 5;
  clear_boxes(std::copy(boxes.begin(), boxes.end(), first), first + max_boxes_ * 5);
  std::uint8_t* const flag = batch_.flags.data() + row * max_boxes_;
  std::fill(std::copy(flags.begin(), flags.end(), flag), flag + max_boxes_, std::uint8_t{0});
  batch_.label[row] = shard.label(source);
  batch_.weight[row] = 1;
}

void BatchSlot::fill_padding(std::size_t row, RowSink& sink, int grey) {
  std::array<std::uint8_t, 1024>
      pixels;  // a row is a multiple: 3 * side^2 with a side that is a multiple of 32
  pixels.fill(static_cast<std::uint8_t>(grey));
  sink.start(image(row), false);
  while (sink.taken() < image_bytes_) sink.add(pixels);
  float* const first = batch_.boxes.data() + row * max_boxes_ * 5;
  clear_boxes(first, first + max_boxes_ * 5);
  std::fill_n(batch_.flags.data() + row * max_boxes_, max_boxes_, std::uint8_t{0});
  batch_.label[row] = -1;
  batch_.weight[row] = 0;
}

void BatchSlot::fail(std::size_t row, std::exception_ptr error) {
  const std::lock_guard lock(failure_mutex_);
  if (failure_ && failed_row_ <= row) return;
  failure_ = std::move(error);
  failed_row_ = row;
}

ImageMemory::Block BatchSlot::give_images() {
  ImageMemory::Block other = memory_->take();
  batch_.images = other.get();
  return std::exchange(images_, std::move(other));
}

const HostBatch& BatchSlot::batch() const {
  if (failure_) std::rethrow_exception(failure_);
  return batch_;
}

}  // namespace letterpress
