#include "trainer/parallel/rank_watch.h"

#include <algorithm>
#include <condition_variable>
#include <cstring>
#include <mutex>
#include <type_traits>

#include "letterpress/base/clock.h"
#include "trainer/parallel/rank_store.h"

namespace letterpress {
namespace {

constexpr double kPatience_s = 60;  // at least: the store was there a moment ago
constexpr double kMostBetween_s = 1;

std::string key_of(std::size_t rank) { return "status/" + std::to_string(rank); }

}  // namespace

struct RankWatch::Shared {
  /// What goes through the store, as bytes.
  struct Sign {
    std::int64_t number = 0;  ///< of the signs that the rank gave
    RankStatus status{};
  };
  static_assert(std::is_trivially_copyable_v<Sign>);
  struct Seen {
    Sign sign{.status = {.activity = RankActivity::long_task}};  // it has just connected
    Clock::time_point at = Clock::now();
  };

  std::size_t rank = 0;  ///< this one
  double deadline_s = 0, every_s = 0;
  std::mutex mutex;
  std::condition_variable_any ended;
  bool is_over = false;
  RankStatus own{};
  std::vector<Seen> seen{};  ///< by rank

  void end() {
    {
      const std::lock_guard lock(mutex);
      is_over = true;
    }
    ended.notify_all();
  }

  bool wait() {
    std::unique_lock lock(mutex);
    return ended.wait_for(lock, std::chrono::duration<double>(every_s), [this] { return is_over; });
  }

  void exchange(c10d::Store& store) {
    std::vector<std::string> keys;
    for (std::size_t other = 0; other < seen.size(); ++other) keys.push_back(key_of(other));
    for (std::int64_t number = 2; !wait(); ++number) {
      give_sign(store, number);
      const std::vector<std::vector<std::uint8_t>> all = store.multiGet(keys);
      for (std::size_t other = 0; other < all.size(); ++other) take(other, all[other]);
    }
  }

  void give_sign(c10d::Store& store, std::int64_t number) {
    std::unique_lock lock(mutex);
    const Sign sign{number, own};
    lock.unlock();
    std::vector<std::uint8_t> bytes(sizeof sign);
    std::memcpy(bytes.data(), &sign, sizeof sign);
    store.set(key_of(rank), bytes);
  }

  void take(std::size_t other, const std::vector<std::uint8_t>& bytes) {
    Sign sign;
    if (bytes.size() != sizeof sign) return;
    std::memcpy(&sign, bytes.data(), sizeof sign);
    const std::lock_guard lock(mutex);
    if (sign.number != seen[other].sign.number) seen[other] = {sign};
  }

  // Hosts have clocks of their own: ages travel, not times.
  std::vector<RankStatus> look(const RankStatusBoard& board) {
    const std::lock_guard lock(mutex);
    own = board.status(static_cast<int>(rank));
    std::vector<RankStatus> all;
    for (const Seen& other : seen) {
      RankStatus status = other.sign.status;
      status.silent_s = seconds_since(other.at);
      status.since_s += status.silent_s;
      all.push_back(status);
    }
    all[rank] = own;
    return all;
  }

  void watch(const RankStatusBoard& board, const OnHang& on_hang) {
    std::optional<Clock::time_point> paused;
    for (Clock::time_point looked = Clock::now(); !wait(); looked = Clock::now()) {
      if (seconds_since(looked) > deadline_s / 2) {
        forget();
        paused = Clock::now();
      }
      const std::vector<RankStatus> all = look(board);
      // The others may have been stopped with it, and count that time as theirs.
      if (paused && seconds_since(*paused) < deadline_s) continue;
      const std::optional<Hang> hang = find_hang(all, deadline_s);
      // A rank that hangs itself is told of by the others.
      if (!hang || hang->rank == static_cast<int>(rank) || !waits_for_others(all[rank])) continue;
      // Where the store is lost all others are silent, but their collective calls may go on.
      if (all[rank].since_s <= deadline_s) continue;
      return on_hang(*hang);
    }
  }

  // It was this process that was stopped, not the others.
  void forget() {
    const std::lock_guard lock(mutex);
    for (Seen& other : seen) other.at = Clock::now();
  }
};

RankWatch::RankWatch(const RankAssignment& assignment, const RankStatusBoard& board,
                     double deadline_s, OnHang on_hang)
    : shared_(std::make_shared<Shared>()) {
  shared_->rank = static_cast<std::size_t>(assignment.rank);
  shared_->deadline_s = deadline_s;
  shared_->every_s = std::min(kMostBetween_s, deadline_s / 4);
  shared_->seen.resize(static_cast<std::size_t>(assignment.world_size));
  shared_->look(board);
  const auto store = connect_to_store(assignment, false, std::max(kPatience_s, deadline_s));
  shared_->give_sign(*store, 1);  // the others wait for it
  std::thread([shared = shared_, store] {
    try {
      shared->exchange(*store);
    } catch (const std::exception&) {
      // The store has ended with its rank, which the collective calls notice, too, unless the
      // network hangs: from now on all others are silent.
    }
  }).detach();
  watching_ = std::jthread(
      [shared = shared_, &board, told = std::move(on_hang)] { shared->watch(board, told); });
}

RankWatch::~RankWatch() { shared_->end(); }

}  // namespace letterpress
