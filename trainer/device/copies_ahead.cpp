#include "trainer/device/copies_ahead.h"

#include <exception>
#include <utility>

namespace letterpress {

using Stream = DeviceStreams::Stream;

CopiesAhead::CopiesAhead(DeviceStreams& streams, std::size_t bytes, Fetch fetch)
    : streams_(streams), fetch_(std::move(fetch)) {
  for (Slot& slot : slots_) {
    slot.memory = streams.allocate(bytes);
    slot.copied = streams.make_event(false);
    slot.consumed = streams.make_event(false);
    slot.dry = streams.make_event(true);
    slot.fed = streams.make_event(true);
    // Who had the memory before may have queued work with it that has not begun yet.
    streams.record(*slot.consumed, Stream::compute);
  }
}

// The memory goes to what the thread allocates next, whose stream knows nothing of copies, and the
// host's bytes to whoever the fetcher gives them to.
CopiesAhead::~CopiesAhead() {
  for (const Slot& slot : slots_) {
    try {
      streams_.wait(*slot.copied);
    } catch (const std::exception&) {
      // The device has failed; whoever reads its results gets the error.
    }
  }
}

bool CopiesAhead::next(const Use& use) {
  Slot& slot = slots_[current_];
  if (!slot.filled && !fill(current_)) return false;
  slot.filled = false;
  streams_.make_wait(Stream::compute, *slot.copied);
  streams_.record(*slot.fed, Stream::compute);
  slot.timed = true;
  use(current_);
  streams_.record(*slot.consumed, Stream::compute);
  current_ = 1 - current_;
  return true;
}

void CopiesAhead::prefetch() {
  if (!slots_[current_].filled) fill(current_);
}

double CopiesAhead::starved_s() {
  for (Slot& slot : slots_) count_starved(slot);
  return starved_s_;
}

void CopiesAhead::count_starved(Slot& slot) {
  if (!std::exchange(slot.timed, false)) return;
  streams_.wait(*slot.fed);
  starved_s_ += starved(streams_.seconds_between(*slot.dry, *slot.fed), slot.waited_s);
}

// False after the last batch.
bool CopiesAhead::fill(std::size_t index) {
  if (ended_) return false;
  Slot& slot = slots_[index];
  streams_.wait(*slots_[1 - index].copied);
  count_starved(slot);
  streams_.record(*slot.dry, Stream::compute);
  const Fetched fetched = fetch_(index);
  ended_ = fetched.pieces.empty();
  if (ended_) return false;
  slot.waited_s = fetched.waited_s;
  streams_.make_wait(Stream::beside, *slot.consumed);
  for (const Piece& piece : fetched.pieces)
    streams_.copy(slot.memory.get() + piece.to, piece.from, piece.bytes, Stream::beside);
  streams_.record(*slot.copied, Stream::beside);
  slot.filled = true;
  return true;
}

}  // namespace letterpress
