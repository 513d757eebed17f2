#include "trainer/fit/step/device_feed.h"

#include <c10/core/StreamGuard.h>
#include <c10/core/impl/VirtualGuardImpl.h>

#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <utility>

#include "trainer/device/normalise.h"

namespace letterpress {
namespace {

/// Page-locked memory by torch's own allocator, found again by address: readers may let go of it
/// from any thread.
struct PinnedBlocks {
  std::mutex mutex;
  std::map<void*, torch::Tensor> blocks;
};

PixelType pixels_of(torch::Dtype type) {
  return type == torch::kBFloat16 ? PixelType::bfloat16 : PixelType::float32;
}

std::int64_t label_bytes(const BatchShape& shape) {
  return shape.batch * (8 + 4 + shape.max_boxes * std::int64_t{5 * 4 + 1});
}

}  // namespace

void load_for(torch::Device device, torch::Dtype type, LoaderOptions& options) {
  if (!device.is_cuda()) {
    options.pixels = pixels_of(type);
    return;
  }
  // Owners: both functions, of which the loader keeps copies.
  auto pinned = std::make_shared<PinnedBlocks>();
  options.allocate = [pinned](std::size_t bytes) {
    torch::Tensor block = torch::empty({static_cast<std::int64_t>(bytes)},
                                       torch::TensorOptions(torch::kByte).pinned_memory(true));
    const std::lock_guard lock(pinned->mutex);
    return pinned->blocks.emplace(block.data_ptr(), block).first->first;
  };
  options.release = [pinned](void* memory) {
    const std::lock_guard lock(pinned->mutex);
    pinned->blocks.erase(memory);
  };
}

DeviceFeed::DeviceFeed(BatchLoader& loader, torch::Device device, torch::Dtype type)
    : loader_(loader), device_(device), shape_(loader.shape()) {
  if (shape_.pixels != PixelType::bytes && (!device.is_cpu() || shape_.pixels != pixels_of(type)))
    throw std::logic_error(
        "DeviceFeed: the loader makes numbers for another device or of another type");
  const auto bytes = torch::TensorOptions(torch::kByte);
  const std::int64_t batch = shape_.batch, side = shape_.side;
  for (Slot& slot : slots_) {
    slot.host_labels = torch::empty({label_bytes(shape_)}, bytes.pinned_memory(device.is_cuda()));
    if (!device.is_cuda()) continue;
    slot.labels = torch::empty({label_bytes(shape_)}, bytes.device(device));
    slot.images = torch::empty({batch, side, side, 3}, bytes.device(device));
    slot.copied.emplace(device.type());
    slot.consumed.emplace(device.type());
    slot.dry.emplace(device.type(), c10::EventFlag::BACKEND_DEFAULT);  // with times
    slot.fed.emplace(device.type(), c10::EventFlag::BACKEND_DEFAULT);
  }
  if (device.is_cuda())
    copy_stream_ = c10::impl::VirtualGuardImpl(device.type()).getStreamFromGlobalPool(device);
  if (shape_.pixels == PixelType::bytes)
    images_ = torch::empty({batch, 3, side, side}, torch::TensorOptions(type).device(device),
                           torch::MemoryFormat::ChannelsLast);
}

const Batch* DeviceFeed::next() {
  Slot& slot = slots_[current_];
  if (!slot.filled && !fill(slot)) return nullptr;
  slot.filled = false;
  const auto rows = static_cast<std::int64_t>(slot.samples.size());
  if (device_.is_cuda()) {
    batch_.images = images_.narrow(0, 0, rows);
    const c10::Stream compute = c10::impl::VirtualGuardImpl(device_.type()).getStream(device_);
    slot.copied->block(compute);
    slot.fed->record(compute);
    slot.timed = true;
    normalise(slot.images.narrow(0, 0, rows), batch_.images);
    unpack(slot.labels.clone(), rows);  // the step reads its labels after the slot is free again
    slot.consumed->record(compute);
  } else {
    if (shape_.pixels == PixelType::bytes) {
      batch_.images = images_.narrow(0, 0, rows);
      normalise(slot.images, batch_.images);
    } else {
      batch_.images = slot.images.permute({0, 3, 1, 2});
    }
    unpack(slot.host_labels, rows);
  }
  batch_.rows = slot.samples;
  places_ = slot.places;
  current_ = 1 - current_;
  return &batch_;
}

void DeviceFeed::prefetch() {
  Slot& slot = slots_[current_];
  if (device_.is_cuda() && !slot.filled) fill(slot);
}

double DeviceFeed::starved_s() {
  if (!device_.is_cuda()) return loader_.waited_s();
  for (Slot& slot : slots_) count_starved(slot);
  return starved_s_;
}

void DeviceFeed::count_starved(Slot& slot) {
  if (!std::exchange(slot.timed, false)) return;
  slot.fed->synchronize();
  starved_s_ += starved(slot.dry->elapsedTime(*slot.fed) / 1000, slot.waited_s);
}

/// False after the loader's last batch.
bool DeviceFeed::fill(Slot& slot) {
  // The loader takes its buffer back in next(): the copy out of it must be done.
  Slot& other = slots_[&slot == &slots_[0] ? 1 : 0];
  if (other.copied && other.copied->was_marked_for_recording()) other.copied->synchronize();
  count_starved(slot);
  if (slot.dry) slot.dry->record(c10::impl::VirtualGuardImpl(device_.type()).getStream(device_));
  const double waited_before_s = loader_.waited_s();
  const HostBatch* host = ended_ ? nullptr : loader_.next();
  slot.waited_s = loader_.waited_s() - waited_before_s;
  ended_ = host == nullptr;
  if (ended_) return false;
  pack(*host, slot.host_labels);
  slot.samples = host->samples;
  slot.places = host->rows;
  slot.filled = true;
  const auto rows = static_cast<std::int64_t>(host->samples.size());
  const std::int64_t side = shape_.side;
  const torch::Dtype type = shape_.pixels == PixelType::bytes     ? torch::kByte
                            : shape_.pixels == PixelType::float32 ? torch::kFloat
                                                                  : torch::kBFloat16;
  const torch::Tensor images = torch::from_blob(host->images, {rows, side, side, 3}, type);
  if (!device_.is_cuda()) {
    slot.images = images;
    return true;
  }
  const c10::StreamGuard on_copy_stream(*copy_stream_);
  if (slot.consumed->was_marked_for_recording()) slot.consumed->block(*copy_stream_);
  slot.images.narrow(0, 0, rows).copy_(images, true);
  slot.labels.copy_(slot.host_labels, true);
  slot.copied->record(*copy_stream_);
  return true;
}

void DeviceFeed::pack(const HostBatch& host, torch::Tensor& labels) const {
  auto* bytes = labels.data_ptr<std::uint8_t>();
  const auto add = [&bytes](const auto& values) {
    const std::size_t n = values.size() * sizeof(values[0]);
    std::memcpy(bytes, values.data(), n);
    bytes += n;
  };
  add(host.label);
  add(host.boxes);
  add(host.weight);
  add(host.flags);
}

void DeviceFeed::unpack(const torch::Tensor& labels, std::int64_t rows) {
  const std::int64_t boxes = shape_.max_boxes;
  std::int64_t first = 0;
  const auto take = [&](std::int64_t bytes) {
    first += bytes;
    return labels.narrow(0, first - bytes, bytes);
  };
  batch_.label = take(8 * rows).view(torch::kLong);
  batch_.boxes = take(4 * rows * boxes * 5).view(torch::kFloat).view({rows, boxes, 5});
  batch_.weight = take(4 * rows).view(torch::kFloat);
  batch_.flags = take(rows * boxes).view({rows, boxes});
}

}  // namespace letterpress
