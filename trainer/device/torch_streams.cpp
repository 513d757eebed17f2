#include "trainer/device/torch_streams.h"

#include <c10/core/Event.h>
#include <c10/core/StreamGuard.h>
#include <c10/core/impl/VirtualGuardImpl.h>
#include <torch/cuda.h>

#include <array>

namespace letterpress {
namespace {

class TorchStreams final : public DeviceStreams {
 public:
  explicit TorchStreams(torch::Device device)
      : device_(device),
        guard_(device.type()),
        beside_(guard_.getStreamFromGlobalPool(device)),
        bytes_(torch::TensorOptions(torch::kByte).device(device)) {}

  std::unique_ptr<Event> make_event(bool timed) override {
    return std::make_unique<TorchEvent>(device_.type(), timed);
  }
  void record(Event& event, Stream stream) override { of(event).record(at(stream)); }
  void make_wait(Stream stream, const Event& event) override { of(event).block(at(stream)); }
  void wait(const Event& event) override { of(event).synchronize(); }
  bool is_over(const Event& event) const override { return of(event).query(); }
  double seconds_between(const Event& first, const Event& last) override {
    return of(first).elapsedTime(of(last)) / 1000;
  }
  void synchronise() override { torch::cuda::synchronize(device_.index()); }

  Memory allocate(std::size_t bytes) override {
    const torch::Tensor tensor = torch::empty({static_cast<std::int64_t>(bytes)}, bytes_);
    auto* const memory = static_cast<std::byte*>(tensor.data_ptr());
    return {memory, [kept = tensor](std::byte*) mutable { kept.reset(); }};
  }
  // As a tensor, so that LibTorch's allocator of page-locked memory knows of the copy, too.
  void copy(std::byte* to, const void* from, std::size_t bytes, Stream stream) override {
    const c10::StreamGuard guard(at(stream));
    const std::array size{static_cast<std::int64_t>(bytes)};
    torch::from_blob(to, size, bytes_)
        .copy_(torch::from_blob(const_cast<void*>(from), size, torch::kByte), true);
  }
  void copy_within(std::byte* to, const std::byte* from, std::size_t bytes,
                   Stream stream) override {
    const c10::StreamGuard guard(at(stream));
    const std::array size{static_cast<std::int64_t>(bytes)};
    torch::from_blob(to, size, bytes_)
        .copy_(torch::from_blob(const_cast<std::byte*>(from), size, bytes_), true);
  }
  void call_on(Stream stream, const std::function<void()>& work) override {
    const c10::StreamGuard guard(at(stream));
    work();
  }

 private:
  struct TorchEvent final : Event {
    TorchEvent(torch::DeviceType type, bool timed)
        : event(type, timed ? c10::EventFlag::BACKEND_DEFAULT : c10::EventFlag::PYTORCH_DEFAULT) {}
    c10::Event event;
  };
  static c10::Event& of(Event& event) { return static_cast<TorchEvent&>(event).event; }
  static const c10::Event& of(const Event& event) {
    return static_cast<const TorchEvent&>(event).event;
  }
  c10::Stream at(Stream stream) const {
    return stream == Stream::beside ? beside_ : guard_.getStream(device_);
  }

  torch::Device device_;
  c10::impl::VirtualGuardImpl guard_;
  c10::Stream beside_;
  torch::TensorOptions bytes_;
};

}  // namespace

std::unique_ptr<DeviceStreams> torch_streams(torch::Device device) {
  return std::make_unique<TorchStreams>(device);
}

torch::Tensor copy_of(DeviceStreams& streams, const torch::Tensor& tensor) {
  TORCH_INTERNAL_ASSERT(tensor.is_contiguous());
  // Owners: the copies of the deleter.
  auto memory = std::make_shared<DeviceStreams::Memory>(
      copy_of(streams, static_cast<const std::byte*>(tensor.const_data_ptr()), tensor.nbytes()));
  std::byte* const bytes = memory->get();
  return torch::from_blob(
      bytes, tensor.sizes(), [memory](void*) { memory->reset(); }, tensor.options());
}

void make_current(torch::Device device) {
  c10::impl::VirtualGuardImpl(device.type()).setDevice(device);
}

}  // namespace letterpress
