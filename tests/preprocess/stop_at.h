#pragma once
#include <atomic>
#include <csignal>
#include <string>

#include "letterpress/base/stop_request.h"
#include "preprocess/options/build_listener.h"

namespace letterpress {

/// Stops a build at the n-th picture of which it makes rows.
class StopAt : public BuildListener {
 public:
  explicit StopAt(int n) : n_(n) {}
  void stage(const std::string& label, std::int64_t, const std::string&) override {
    preparing_ = label == "preparing";
  }
  void advance(std::int64_t) override {
    if (preparing_ && --n_ == 0) stop.make(SIGTERM);
  }

  StopRequest stop;

 private:
  std::atomic<int> n_;
  bool preparing_ = false;
};

}  // namespace letterpress
