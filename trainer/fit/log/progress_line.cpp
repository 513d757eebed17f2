#include "trainer/fit/log/progress_line.h"

#include <unistd.h>

#include <cstdio>

#include "letterpress/commandline/progress.h"

namespace letterpress {
namespace {

std::string formatted(const char* format, double value) {
  char text[48];
  std::snprintf(text, sizeof text, format, value);
  return text;
}

}  // namespace

std::string progress_text(const FitProgress& progress) {
  std::string text = "epoch " + std::to_string(progress.epoch) + "/" +
                     std::to_string(progress.epochs) + "  step " + std::to_string(progress.step) +
                     "/" + std::to_string(progress.steps);
  for (std::size_t i = 0; i < progress.terms.size(); ++i)
    text += "  " + progress.term_names[i] + formatted(" %.3g", progress.terms[i]);
  return text + formatted("  lr %.3g", progress.lr) +
         formatted("  %.1f images/s", progress.images_per_s) +
         formatted("  data_wait %.1f %%", 100 * progress.data_wait) + "  memory " +
         bytes_text(static_cast<double>(progress.memory)) + "  ETA " +
         duration_text(progress.remaining_s);
}

ProgressLine::ProgressLine()
    : terminal_(isatty(STDERR_FILENO) == 1), last_(std::chrono::steady_clock::now()) {}

ProgressLine::~ProgressLine() {
  if (drawn_) std::fputc('\n', stderr);
}

void ProgressLine::show(const FitProgress& progress) {
  const auto now = std::chrono::steady_clock::now();
  if (now - last_ < (terminal_ ? std::chrono::milliseconds(100) : std::chrono::milliseconds(10000)))
    return;
  last_ = now;
  std::fprintf(stderr, terminal_ ? "\r%s\033[K" : "%s\n", progress_text(progress).c_str());
  std::fflush(stderr);
  drawn_ = terminal_;
}

void ProgressLine::note(const std::string& text) {
  std::fprintf(stderr, "%s%s\n", drawn_ ? "\r\033[K" : "", text.c_str());
  std::fflush(stderr);
  drawn_ = false;
}

}  // namespace letterpress
