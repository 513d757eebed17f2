#pragma once
#include <memory>
#include <string>

#include "letterpress/commandline/progress.h"
#include "preprocess/options/build_listener.h"

namespace letterpress {

/// Shows on stderr how long work goes on.
class ProgressListener : public BuildListener {
 public:
  void stage(const std::string& label, std::int64_t total, const std::string& unit) override;
  void advance(std::int64_t n) override { progress_->add(n); }
  void note(const std::string& text) override;

 private:
  std::unique_ptr<Progress> progress_;
};

}  // namespace letterpress
