#include "tests/trainer/device/simulated_device.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace letterpress {

SimulatedDevice::SimulatedDevice(std::uint64_t seed, int dropped_wait, Watch watch)
    : random_(seed * 2 + 1), dropped_wait_(dropped_wait), watches_(watch == Watch::races) {
  constexpr std::array<unsigned, 5> kEagerness{0, 1, 3, 8, 40};
  for (unsigned& eagerness : eagerness_) eagerness = kEagerness[draw() % kEagerness.size()];
}

std::unique_ptr<DeviceStreams::Event> SimulatedDevice::make_event(bool) {
  return std::make_unique<Mark>();
}

void SimulatedDevice::record(Event& event, Stream stream) {
  auto& mark = static_cast<Mark&>(event);
  mark.point = static_cast<int>(reached_.size());
  reached_.push_back(0);
  if (watches_) {
    order_.begin(actor(resolve(stream)));
    mark.clock = order_.clock(actor(resolve(stream)));
  }
  queue(resolve(stream), {.kind = Kind::record, .point = mark.point});
}

void SimulatedDevice::make_wait(Stream stream, const Event& event) {
  const auto& mark = static_cast<const Mark&>(event);
  if (mark.point < 0 || is_dropped()) return;
  if (watches_) order_.wait(actor(resolve(stream)), mark.clock);
  queue(resolve(stream), {.kind = Kind::wait, .point = mark.point});
}

void SimulatedDevice::wait(const Event& event) {
  const auto& mark = static_cast<const Mark&>(event);
  if (mark.point < 0 || is_dropped()) return;
  if (watches_) order_.wait(HappensBefore::kHost, mark.clock);
  while (!reached_[static_cast<std::size_t>(mark.point)]) step(draw() % 2);
  run_some();
}

bool SimulatedDevice::is_over(const Event& event) const {
  const auto& mark = static_cast<const Mark&>(event);
  return mark.point < 0 || reached_[static_cast<std::size_t>(mark.point)];
}

double SimulatedDevice::seconds_between(const Event& first, const Event& last) {
  for (const Event* const event : {&first, &last}) {
    const auto& mark = static_cast<const Mark&>(*event);
    if (watches_) order_.require(mark.clock);
    is_wrong_ |= mark.point < 0 || !reached_[static_cast<std::size_t>(mark.point)];
  }
  return 0;
}

void SimulatedDevice::synchronise() {
  if (is_dropped()) return;
  if (watches_) order_.wait_for_all();
  finish();
}

DeviceStreams::Memory SimulatedDevice::allocate(std::size_t bytes) {
  Block* const block = &take(bytes);
  return {block->memory.get(), [block](std::byte*) { block->is_free = true; }};
}

SimulatedDevice::Block& SimulatedDevice::take(std::size_t bytes) {
  const std::size_t stream = captured_ ? kCaptured : current_;
  for (auto block = blocks_.rbegin(); block != blocks_.rend(); ++block) {
    if (!block->is_free || block->bytes != bytes || block->stream != stream) continue;
    block->is_free = false;
    return *block;
  }
  return blocks_.emplace_back(Block{std::make_unique<std::byte[]>(bytes), bytes, stream, false});
}

void SimulatedDevice::copy(std::byte* to, const void* from, std::size_t bytes, Stream stream) {
  queue(
      resolve(stream),
      {.kind = Kind::copy, .to = to, .from = static_cast<const std::byte*>(from), .bytes = bytes});
}

void SimulatedDevice::call_on(Stream stream, const std::function<void()>& work) {
  const std::size_t before = std::exchange(current_, resolve(stream));
  work();
  current_ = before;
}

void SimulatedDevice::fill(std::byte* to, std::size_t bytes, int value) {
  queue(current_, {.kind = Kind::fill, .to = to, .bytes = bytes, .value = std::byte(value)});
}

void SimulatedDevice::increment(std::byte* to, const std::byte* from, std::size_t bytes) {
  queue(current_,
        {.kind = Kind::copy, .to = to, .from = from, .bytes = bytes, .value = std::byte(1)});
}

void SimulatedDevice::check(const std::byte* from, std::size_t bytes, int value) {
  queue(current_, {.kind = Kind::check, .from = from, .bytes = bytes, .value = std::byte(value)});
}

void SimulatedDevice::hold() { queue(current_, {.kind = Kind::hold}); }

void SimulatedDevice::host_fill(std::byte* to, std::size_t bytes, int value) {
  if (watches_) {
    order_.begin(HappensBefore::kHost);
    order_.access(HappensBefore::kHost, to, bytes, true);
  }
  std::memset(to, value, bytes);
  run_some();
}

bool SimulatedDevice::finish() {
  while (step(0) || step(1)) {
  }
  return is_wrong_;
}

void SimulatedDevice::Graph::capture(const Work& work) {
  device_.synchronise();
  call_beside(device_, [&] {
    device_.captured_ = &captured_;
    work();
    device_.captured_ = nullptr;
  });
}

void SimulatedDevice::Graph::replay() {
  for (const SimulatedOperation& operation : captured_) device_.queue(device_.current_, operation);
}

std::uint32_t SimulatedDevice::draw() {  // xorshift64*, Vigna 2016
  random_ ^= random_ >> 12;
  random_ ^= random_ << 25;
  random_ ^= random_ >> 27;
  return static_cast<std::uint32_t>((random_ * 0x2545F4914F6CDD1D) >> 33);
}

void SimulatedDevice::queue(std::size_t stream, const Operation& operation) {
  if (captured_) {
    captured_->push_back(operation);
    return;
  }
  if (watches_) note_accesses(actor(stream), operation);
  queued_[stream].push_back(operation);
  run_some();
}

void SimulatedDevice::note_accesses(std::size_t actor, const Operation& operation) {
  if (operation.bytes == 0) return;
  order_.begin(actor);
  if (operation.from) order_.access(actor, operation.from, operation.bytes, false);
  if (operation.to) order_.access(actor, operation.to, operation.bytes, true);
}

// A piece of what is first in the stream's queue. False: there is nothing, or it has to wait.
bool SimulatedDevice::step(std::size_t stream) {
  std::deque<Operation>& queue = queued_[stream];
  if (queue.empty()) return false;
  Operation& first = queue.front();
  if (first.kind == Kind::wait && !reached_[static_cast<std::size_t>(first.point)]) return false;
  if (first.kind == Kind::hold && is_held_) return false;
  if (first.kind == Kind::record) reached_[static_cast<std::size_t>(first.point)] = 1;
  do_some(first);
  if (first.done == first.bytes) queue.pop_front();
  return true;
}

void SimulatedDevice::do_some(Operation& operation) {
  if (operation.bytes == 0) return;
  const std::size_t end = std::min(operation.bytes, operation.done + 1 + draw() % operation.bytes);
  for (std::size_t& i = operation.done; i < end; ++i) {
    switch (operation.kind) {
      case Kind::fill:
        operation.to[i] = operation.value;
        break;
      case Kind::check:
        is_wrong_ |= operation.from[i] != operation.value;
        break;
      default:
        operation.to[i] = std::byte(std::to_integer<int>(operation.from[i]) +
                                    std::to_integer<int>(operation.value));
    }
  }
}

// A stream that lags stays far behind the other, at times to the end.
void SimulatedDevice::run_some() {
  for (std::size_t stream = 0; stream < queued_.size(); ++stream)
    for (unsigned left = draw() % (eagerness_[stream] + 1); left > 0; --left) step(stream);
}

}  // namespace letterpress
