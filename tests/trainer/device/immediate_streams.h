#pragma once
#include <cstring>

#include "trainer/device/device_streams.h"

namespace letterpress {

/// Streams of a device that is the host itself: whatever is queued is done at once.
class ImmediateStreams final : public DeviceStreams {
 public:
  std::unique_ptr<Event> make_event(bool) override { return std::make_unique<Event>(); }
  void record(Event&, Stream) override {}
  void make_wait(Stream, const Event&) override {}
  void wait(const Event&) override {}
  bool is_over(const Event&) const override { return true; }
  double seconds_between(const Event&, const Event&) override { return 0; }
  void synchronise() override {}
  Memory allocate(std::size_t bytes) override {
    return {new std::byte[bytes], [](std::byte* memory) { delete[] memory; }};
  }
  void copy(std::byte* to, const void* from, std::size_t bytes, Stream) override {
    std::memcpy(to, from, bytes);
  }
  void copy_within(std::byte* to, const std::byte* from, std::size_t bytes,
                   Stream stream) override {
    copy(to, from, bytes, stream);
  }
  void call_on(Stream, const std::function<void()>& work) override { work(); }
};

}  // namespace letterpress
