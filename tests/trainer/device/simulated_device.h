#pragma once
#include <array>
#include <deque>
#include <memory>
#include <vector>

#include "tests/trainer/device/happens_before.h"
#include "trainer/device/device_graph.h"
#include "trainer/device/device_streams.h"

namespace letterpress {

/// What is queued on a simulated stream.
struct SimulatedOperation {
  enum class Kind { copy, fill, check, hold, record, wait };
  Kind kind = Kind::copy;
  std::byte* to = nullptr;
  const std::byte* from = nullptr;
  std::size_t bytes = 0, done = 0;  ///< done: of the bytes
  std::byte value{};                ///< copy: added to each byte; fill, check: what each byte is
  int point = -1;                   ///< record, wait: of an event
};

/// A device in this process whose streams run in any order that CUDA permits, drawn by `seed`: at
/// each call of the host none, some or all of what is queued is done, a few bytes of one stream at
/// a time, and one stream may lag far behind the other. Memory that is let go of goes to the next
/// allocation of its stream, and the host's memory is that of the process, so what comes too early
/// or too late meets wrong bytes.
class SimulatedDevice final : public DeviceStreams {
 public:
  enum class Watch { nothing, races };  ///< races(): slow, and the same for every seed
  /// dropped_wait: the number of a wait, of a stream or of the host, that is left out; -1: none.
  explicit SimulatedDevice(std::uint64_t seed, int dropped_wait = -1, Watch watch = Watch::nothing);

  std::unique_ptr<Event> make_event(bool timed) override;
  void record(Event& event, Stream stream) override;
  void make_wait(Stream stream, const Event& event) override;
  void wait(const Event& event) override;
  bool is_over(const Event& event) const override;
  double seconds_between(const Event& first, const Event& last) override;
  void synchronise() override;
  Memory allocate(std::size_t bytes) override;
  void copy(std::byte* to, const void* from, std::size_t bytes, Stream stream) override;
  void copy_within(std::byte* to, const std::byte* from, std::size_t bytes,
                   Stream stream) override {
    copy(to, from, bytes, stream);
  }
  void call_on(Stream stream, const std::function<void()>& work) override;

  /// Kernels, on the current stream: to <- value; to <- from + 1; bytes that must be `value`.
  void fill(std::byte* to, std::size_t bytes, int value);
  void increment(std::byte* to, const std::byte* from, std::size_t bytes);
  void check(const std::byte* from, std::size_t bytes, int value);
  /// A kernel that does not end before release().
  void hold();
  void release() { is_held_ = false; }
  /// The host's own, at once.
  void host_fill(std::byte* to, std::size_t bytes, int value);

  /// Does all that is queued. Returns whether a check has met other bytes, or the host has asked
  /// for the time of an event that was not there yet.
  bool finish();
  bool has_race() const { return order_.has_race(); }
  int waits() const { return waits_; }

  /// As CUDA's: kernels of a capture are kept, in memory of their own, and queued at each replay.
  class Graph final : public DeviceGraph {
   public:
    explicit Graph(SimulatedDevice& device) : device_(device) {}
    ~Graph() override { device_.synchronise(); }
    void warm_up(const Work& work) override { call_beside(device_, work); }
    void capture(const Work& work) override;
    void replay() override;
    DeviceStreams& streams() override { return device_; }

   private:
    SimulatedDevice& device_;
    std::vector<SimulatedOperation> captured_;
  };

 private:
  using Operation = SimulatedOperation;
  using Kind = SimulatedOperation::Kind;
  struct Mark final : Event {
    int point = -1;  ///< in reached_; -1: never recorded
    HappensBefore::Clock clock{};
  };
  struct Block {
    std::unique_ptr<std::byte[]> memory;
    std::size_t bytes, stream;
    bool is_free;
  };
  static constexpr std::size_t kCaptured = 2;  ///< as Block::stream: of a graph's own pool

  static std::size_t actor(std::size_t stream) { return 1 + stream; }
  std::size_t resolve(Stream stream) const { return stream == Stream::beside ? 1 : current_; }
  std::uint32_t draw();
  bool is_dropped() { return waits_++ == dropped_wait_; }
  Block& take(std::size_t bytes);
  void queue(std::size_t stream, const Operation& operation);
  void note_accesses(std::size_t stream, const Operation& operation);
  bool step(std::size_t stream);
  void do_some(Operation& operation);
  void run_some();

  std::uint64_t random_;
  int dropped_wait_, waits_ = 0;
  bool watches_, is_wrong_ = false, is_held_ = true;
  HappensBefore order_;
  std::array<unsigned, 2> eagerness_{};  ///< pieces that a stream does at most at a call
  std::array<std::deque<Operation>, 2> queued_;
  std::vector<char> reached_;  ///< by point
  std::deque<Block> blocks_;
  std::size_t current_ = 0;
  std::vector<Operation>* captured_ = nullptr;
};

}  // namespace letterpress
