#pragma once
#include <cstddef>
#include <functional>
#include <memory>

namespace letterpress {

/// Two streams of a device. A stream does what is queued on it in that order, beside the host and
/// beside the other stream. Nothing but events orders the work of two streams, or of a stream and
/// the host, so whoever queues on both says by events what waits for what (CUDA C++ Programming
/// Guide, "Asynchronous Concurrent Execution").
///
/// Several threads may call at once, with events of their own or under a lock of theirs. Threads
/// that queue on one compute stream have the same current one: autograd's have that of the forward
/// pass.
///
/// torch_streams.h has those of a CUDA device. The tests have a simulated device for one thread,
/// whose streams run as late and in any order that these rules permit.
class DeviceStreams {
 public:
  enum class Stream {
    compute,  ///< the current one of the thread, on which its kernels are queued
    beside,   ///< one of this object's own
  };

  /// A point in a stream. Waiting for an event that was never recorded returns at once.
  class Event {
   public:
    virtual ~Event() = default;
  };

  /// Memory of the device, of the stream that was current when it was allocated. It may be let go
  /// of while that stream still has work with it: whoever allocates next on that stream gets it.
  /// Work of another stream with it must be over, or waited for by its own stream, before.
  using Memory = std::unique_ptr<std::byte, std::function<void(std::byte*)>>;

  virtual ~DeviceStreams() = default;

  /// timed: seconds_between() may be asked.
  virtual std::unique_ptr<Event> make_event(bool timed) = 0;
  /// The event is now what was queued on `stream` so far; what waits for the earlier point goes on
  /// waiting for that.
  virtual void record(Event& event, Stream stream) = 0;
  /// What is queued on `stream` from now on waits for the event. The host does not.
  virtual void make_wait(Stream stream, const Event& event) = 0;
  /// The host waits.
  virtual void wait(const Event& event) = 0;
  /// Whether all before the event is done.
  virtual bool is_over(const Event& event) const = 0;
  /// Both are timed and over.
  virtual double seconds_between(const Event& first, const Event& last) = 0;
  /// The host waits for all that is queued on the device.
  virtual void synchronise() = 0;

  virtual Memory allocate(std::size_t bytes) = 0;
  /// Queues a copy from page-locked memory of the host, which must stay as it is until it is over.
  virtual void copy(std::byte* to, const void* from, std::size_t bytes, Stream stream) = 0;
  /// Queues a copy within the device's memory.
  virtual void copy_within(std::byte* to, const std::byte* from, std::size_t bytes,
                           Stream stream) = 0;
  /// Calls `work`, during which the thread's current stream is `stream`.
  virtual void call_on(Stream stream, const std::function<void()>& work) = 0;
};

/// Calls `work` with the stream beside as the current one. Each stream waits for what the other had
/// to do before, so memory of either may be used, let go of and allocated again on the other.
void call_beside(DeviceStreams& streams, const std::function<void()>& work);

/// Memory with what the device's memory at `from` holds when the compute stream gets here. It stays
/// so when what is queued later writes over `from`.
DeviceStreams::Memory copy_of(DeviceStreams& streams, const std::byte* from, std::size_t bytes);

}  // namespace letterpress
