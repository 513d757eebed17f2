#include "trainer/device/device_streams.h"

namespace letterpress {

void call_beside(DeviceStreams& streams, const std::function<void()>& work) {
  const auto begun = streams.make_event(false), done = streams.make_event(false);
  streams.record(*begun, DeviceStreams::Stream::compute);
  streams.make_wait(DeviceStreams::Stream::beside, *begun);
  streams.call_on(DeviceStreams::Stream::beside, work);
  streams.record(*done, DeviceStreams::Stream::beside);
  streams.make_wait(DeviceStreams::Stream::compute, *done);
}

DeviceStreams::Memory copy_of(DeviceStreams& streams, const std::byte* from, std::size_t bytes) {
  DeviceStreams::Memory copy = streams.allocate(bytes);
  streams.copy_within(copy.get(), from, bytes, DeviceStreams::Stream::compute);
  return copy;
}

}  // namespace letterpress
