#include "trainer/loader/batch_slot.h"

#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <utility>

#include "letterpress/base/error.h"

namespace letterpress {
namespace {

constexpr std::size_t kPage = 4096, kHugePage = 2 << 20;

// With huge pages a batch needs a five-hundredth of the address translations. Where the kernel has
// none, it stays in small pages.
void* allocate_pages(std::size_t bytes) {
  const std::size_t page = bytes < kHugePage ? kPage : kHugePage;
  const std::size_t size = (bytes / page + 1) * page;
  void* const memory = std::aligned_alloc(page, size);
  if (memory && page == kHugePage) ::madvise(memory, size, MADV_HUGEPAGE);
  return memory;
}

/// Marks the boxes in [first, end), 5 numbers each, as unused.
void clear_boxes(float* first, const float* end) {
  for (float* box = first; box != end; box += 5) {
    std::fill_n(box, 4, 0.0f);
    box[4] = -1;
  }
}

}  // namespace

BatchSlot::BatchSlot(const LoaderOptions& options, std::int64_t image_bytes, int max_boxes)
    : image_bytes_(image_bytes),
      row_bytes_(image_bytes * bytes_of(options.pixels)),
      capacity_(static_cast<std::size_t>(options.batch)),
      max_boxes_(static_cast<std::size_t>(max_boxes)) {
  const std::size_t bytes = capacity_ * static_cast<std::size_t>(row_bytes_);
  memory_ = {options.allocate ? options.allocate(bytes) : allocate_pages(bytes),
             options.allocate && options.release ? options.release
                                                 : std::function<void(void*)>(std::free)};
  if (!memory_)
    throw Error({.what = "no memory for a batch of " + std::to_string(options.batch) + " rows, " +
                         std::to_string(bytes) + " bytes",
                 .fix = "lower --batch or the number of buffers"},
                Exit::io);
  if (reinterpret_cast<std::uintptr_t>(memory_.get()) % 64 != 0)
    throw std::logic_error(
        "LoaderOptions::allocate gave memory that does not begin on a multiple of 64");
  // Touches every page now, so that the last step needs no more memory than the first.
  std::memset(memory_.get(), 0, bytes);
  batch_.images = static_cast<std::uint8_t*>(memory_.get());
  batch_.boxes.reserve(capacity_ * max_boxes_ * 5);
  batch_.flags.reserve(capacity_ * max_boxes_);
  batch_.label.reserve(capacity_);
  batch_.weight.reserve(capacity_);
  batch_.samples.reserve(capacity_);
  batch_.rows.reserve(capacity_);
}

void BatchSlot::plan(std::vector<BatchLoader::Want> wants) {
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

const HostBatch& BatchSlot::batch() const {
  if (failure_) std::rethrow_exception(failure_);
  return batch_;
}

}  // namespace letterpress
