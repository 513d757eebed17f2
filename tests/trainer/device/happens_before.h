#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>

namespace letterpress {

/// Which accesses to memory nothing orders, whatever the schedule: each of a host and two streams
/// has a clock that counts what it did and what it waited for (vector clocks, as in FastTrack,
/// PLDI 2009). Two accesses to a byte, one of them a write, are a race unless the later one's
/// actor had waited for the earlier one.
class HappensBefore {
 public:
  static constexpr std::size_t kHost = 0;  ///< then the streams
  using Clock = std::array<std::uint32_t, 3>;

  /// The actor does something new; the host queues it where the actor is a stream.
  void begin(std::size_t actor) {
    if (actor != kHost) join(clocks_[actor], clocks_[kHost]);
    ++clocks_[actor][actor];
  }
  void access(std::size_t actor, const void* first, std::size_t bytes, bool writes) {
    const auto* const memory = static_cast<const std::byte*>(first);
    for (std::size_t i = 0; i < bytes; ++i) access_byte(actor, bytes_[memory + i], writes);
  }
  const Clock& clock(std::size_t actor) const { return clocks_[actor]; }
  void wait(std::size_t actor, const Clock& point) { join(clocks_[actor], point); }
  void wait_for_all() {
    for (const Clock& clock : clocks_) join(clocks_[kHost], clock);
  }
  /// Something relies on the host having waited for `point`.
  void require(const Clock& point) {
    for (std::size_t i = 0; i < point.size(); ++i) has_race_ |= point[i] > clocks_[kHost][i];
  }
  bool has_race() const { return has_race_; }

 private:
  struct Byte {
    Clock written{}, read{};  ///< by actor: when last
  };
  static void join(Clock& to, const Clock& from) {
    for (std::size_t i = 0; i < to.size(); ++i) to[i] = std::max(to[i], from[i]);
  }
  void access_byte(std::size_t actor, Byte& byte, bool writes) {
    const Clock& now = clocks_[actor];
    for (std::size_t i = 0; i < now.size(); ++i) {
      has_race_ |= byte.written[i] > now[i];
      has_race_ |= writes && byte.read[i] > now[i];
    }
    (writes ? byte.written : byte.read)[actor] = now[actor];
  }

  std::array<Clock, 3> clocks_{};
  std::map<const std::byte*, Byte> bytes_;
  bool has_race_ = false;
};

}  // namespace letterpress
