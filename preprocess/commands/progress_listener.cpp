#include "preprocess/commands/progress_listener.h"

#include <cstdio>

namespace letterpress {

void ProgressListener::stage(const std::string& label, std::int64_t total,
                             const std::string& unit) {
  progress_.reset();  // the last stage's line ends before the next one's begins
  progress_ = std::make_unique<Progress>(label, total, unit);
}

void ProgressListener::note(const std::string& text) {
  if (progress_) {
    progress_->note(text);
  } else {
    std::fputs((text + "\n").c_str(), stderr);
  }
}

}  // namespace letterpress
