#include "letterpress/commandline/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <mutex>

namespace letterpress {
namespace {

using Clock = std::chrono::steady_clock;
double seconds_between(Clock::time_point from, Clock::time_point to) {
  return std::chrono::duration<double>(to - from).count();
}

}  // namespace

struct Progress::State {
  State(std::string label_text, std::int64_t total_count, std::string unit_text)
      : label(std::move(label_text)), unit(std::move(unit_text)), total(total_count) {}

  std::string label, unit;
  std::int64_t total;
  bool terminal = isatty(STDERR_FILENO) == 1;
  std::atomic<std::int64_t> done{0};
  std::mutex drawing;
  Clock::time_point start = Clock::now(), drawn = start;

  std::string text(Clock::time_point now) const {
    const std::int64_t n = done.load();
    const double elapsed = seconds_between(start, now);
    const double rate = elapsed > 0 ? static_cast<double>(n) / elapsed : 0;
    std::string line = label + " " + std::to_string(n) + "/" + std::to_string(total) + " " + unit;
    if (terminal && total > 0) {
      const auto filled = static_cast<std::size_t>(24 * n / total);
      line = label + " [" + std::string(filled, '#') +
             std::string(24 - std::min<std::size_t>(24, filled), '.') + "] " + std::to_string(n) +
             "/" + std::to_string(total) + " " + unit;
    }
    line += "  " + fmt::format("{:.{}f}/s", rate, rate < 10 ? 1 : 0);
    return line + (n < total && rate > 0
                       ? "  ETA " + duration_text(static_cast<double>(total - n) / rate)
                       : "  in " + duration_text(elapsed));
  }

  // Called with `drawing` held.
  void draw(Clock::time_point now, bool last) {
    drawn = now;
    const std::string line = text(now);
    if (terminal) {
      std::fprintf(stderr, "\r%s\033[K%s", line.c_str(), last ? "\n" : "");
    } else {
      std::fprintf(stderr, "%s\n", line.c_str());
    }
    std::fflush(stderr);
  }
};

Progress::Progress(std::string label, std::int64_t total, std::string unit)
    : state_(new State(std::move(label), total, std::move(unit))) {}

Progress::~Progress() {
  const std::scoped_lock lock(state_->drawing);
  state_->draw(Clock::now(), true);
}

void Progress::add(std::int64_t n) {
  state_->done += n;
  // Whoever finds the lock taken leaves the drawing to its holder.
  const std::unique_lock lock(state_->drawing, std::try_to_lock);
  if (!lock) return;
  const Clock::time_point now = Clock::now();
  if (seconds_between(state_->drawn, now) >= (state_->terminal ? 0.1 : 10.0))
    state_->draw(now, false);
}

void Progress::note(const std::string& text) {
  const std::scoped_lock lock(state_->drawing);
  std::fprintf(stderr, "%s%s\n", state_->terminal ? "\r\033[K" : "", text.c_str());
  if (state_->terminal) state_->draw(Clock::now(), false);
}

std::string duration_text(double seconds) {
  if (seconds < 59.5) return fmt::format("{:.{}f} s", seconds, seconds < 9.95 ? 1 : 0);
  const auto minutes = static_cast<std::int64_t>(seconds / 60 + 0.5);
  if (minutes < 60) return std::to_string(minutes) + " min";
  const std::string rest = std::to_string(minutes % 60);
  return std::to_string(minutes / 60) + " h " + (rest.size() < 2 ? "0" : "") + rest + " min";
}

}  // namespace letterpress
