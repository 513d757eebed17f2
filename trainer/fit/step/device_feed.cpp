#include "trainer/fit/step/device_feed.h"

#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <utility>

#include "trainer/device/normalise.h"
#include "trainer/device/torch_streams.h"

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

torch::Dtype type_of(PixelType pixels) {
  if (pixels == PixelType::bytes) return torch::kByte;
  return pixels == PixelType::float32 ? torch::kFloat : torch::kBFloat16;
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
    : DeviceFeed(loader, device, type, device.is_cuda() ? torch_streams(device) : nullptr) {}

DeviceFeed::DeviceFeed(BatchLoader& loader, torch::Device device, torch::Dtype type,
                       std::unique_ptr<DeviceStreams> streams)
    : loader_(loader), device_(device), shape_(loader.shape()), streams_(std::move(streams)) {
  if (shape_.pixels != PixelType::bytes && (!device.is_cpu() || shape_.pixels != pixels_of(type)))
    throw std::logic_error(
        "DeviceFeed: the loader makes numbers for another device or of another type");
  for (Slot& slot : slots_)
    slot.host_labels = torch::empty(
        {label_bytes(shape_)}, torch::TensorOptions(torch::kByte).pinned_memory(device.is_cuda()));
  if (streams_) prepare_device();
  if (shape_.pixels == PixelType::bytes)
    images_ =
        torch::empty({shape_.batch, 3, shape_.side, shape_.side},
                     torch::TensorOptions(type).device(device), torch::MemoryFormat::ChannelsLast);
}

void DeviceFeed::prepare_device() {
  constexpr std::int64_t kAligned = 256;
  const std::int64_t side = shape_.side, image_bytes = shape_.batch * side * side * 3;
  const std::int64_t labels_at = (image_bytes + kAligned - 1) / kAligned * kAligned;
  copies_ = std::make_unique<CopiesAhead>(*streams_,
                                          static_cast<std::size_t>(labels_at + label_bytes(shape_)),
                                          [this](std::size_t slot) { return fetch(slot); });
  const auto there = torch::TensorOptions(torch::kByte).device(device_);
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    std::byte* const memory = copies_->memory(i);
    slots_[i].images = torch::from_blob(memory, {shape_.batch, side, side, 3}, there);
    slots_[i].labels = torch::from_blob(memory + labels_at, {label_bytes(shape_)}, there);
  }
}

const Batch* DeviceFeed::next() {
  const bool is_there =
      copies_ ? copies_->next([this](std::size_t slot) { use(slots_[slot]); }) : next_on_cpu();
  return is_there ? &batch_ : nullptr;
}

void DeviceFeed::prefetch() {
  if (copies_) copies_->prefetch();
}

double DeviceFeed::starved_s() { return copies_ ? copies_->starved_s() : loader_.waited_s(); }

CopiesAhead::Fetched DeviceFeed::fetch(std::size_t index) {
  const double waited_before_s = loader_.waited_s();
  const HostBatch* const host = loader_.next();
  if (!host) return {};
  Slot& slot = slots_[index];
  keep(*host, slot);
  const auto row_bytes = static_cast<std::size_t>(3) * static_cast<std::size_t>(shape_.side) *
                         static_cast<std::size_t>(shape_.side);
  const auto labels_at = static_cast<std::size_t>(slot.labels.const_data_ptr<std::uint8_t>() -
                                                  slot.images.const_data_ptr<std::uint8_t>());
  return {.pieces = {{host->images, host->samples.size() * row_bytes, 0},
                     {slot.host_labels.const_data_ptr(), slot.host_labels.nbytes(), labels_at}},
          .waited_s = loader_.waited_s() - waited_before_s};
}

// On the compute stream of a device that has the slot's bytes.
void DeviceFeed::use(const Slot& slot) {
  const auto rows = static_cast<std::int64_t>(slot.samples.size());
  batch_.images = images_.narrow(0, 0, rows);
  normalise(slot.images.narrow(0, 0, rows), batch_.images);
  // The step reads its labels after the slot is free again.
  unpack(copy_of(*streams_, slot.labels), rows);
  batch_.rows = slot.samples;
  places_ = slot.places;
}

bool DeviceFeed::next_on_cpu() {
  const HostBatch* const host = loader_.next();
  if (!host) return false;
  Slot& slot = slots_[std::exchange(on_cpu_, 1 - on_cpu_)];
  keep(*host, slot);
  const auto rows = static_cast<std::int64_t>(host->samples.size());
  const torch::Tensor images =
      torch::from_blob(host->images, {rows, shape_.side, shape_.side, 3}, type_of(shape_.pixels));
  if (shape_.pixels == PixelType::bytes) {
    batch_.images = images_.narrow(0, 0, rows);
    normalise(images, batch_.images);
  } else {
    batch_.images = images.permute({0, 3, 1, 2});
  }
  unpack(slot.host_labels, rows);
  batch_.rows = slot.samples;
  places_ = slot.places;
  return true;
}

void DeviceFeed::keep(const HostBatch& host, Slot& slot) const {
  pack(host, slot.host_labels);
  slot.samples = host.samples;
  slot.places = host.rows;
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
