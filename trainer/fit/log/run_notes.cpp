#include "trainer/fit/log/run_notes.h"

#include <unistd.h>

#include <cstdio>

#include "letterpress/base/bytes_text.h"
#include "letterpress/commandline/progress.h"
#include "trainer/fit/options/ranks_of_run.h"

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

RunNotes::RunNotes(const FitOptions& options)
    : silent_(!is_first_rank(options)),
      hook_(options.hooks.note),
      terminal_(isatty(STDERR_FILENO) == 1) {}

RunNotes::~RunNotes() {
  if (unfinished_) std::fputc('\n', stderr);
}

void RunNotes::show(const FitProgress& progress) {
  const auto now = std::chrono::steady_clock::now();
  const auto pause = std::chrono::milliseconds(terminal_ ? 100 : 10000);
  if (silent_ || now - last_ < pause) return;
  last_ = now;
  std::fprintf(stderr, terminal_ ? "\r%s\033[K" : "%s\n", progress_text(progress).c_str());
  std::fflush(stderr);
  unfinished_ = terminal_;
}

void RunNotes::operator()(const std::string& text) {
  if (silent_) return;
  if (hook_) return hook_(text);
  std::fprintf(stderr, "%s%s\n", unfinished_ ? "\r\033[K" : "", text.c_str());
  std::fflush(stderr);
  unfinished_ = false;
}

}  // namespace letterpress
