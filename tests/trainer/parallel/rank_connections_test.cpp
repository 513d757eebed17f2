#include "trainer/parallel/rank_connections.h"

#include <doctest/doctest.h>

#include <torch/csrc/distributed/c10d/HashStore.hpp>

#include "letterpress/base/error.h"
#include "trainer/parallel/rank_group.h"

using namespace letterpress;

namespace {

using Log = std::vector<std::string>;

/// Tells when it is shut down and when it is freed; its calls fail, as with a rank that has ended.
class ToldBackend final : public c10d::Backend {
 public:
  ToldBackend(const std::string& name, Log& log, bool shuts_down = true)
      : Backend(0, 2), name_(name), log_(log), shuts_down_(shuts_down) {}
  ~ToldBackend() override { log_.push_back("free " + name_); }
  void shutdown() override {
    log_.push_back("shut down " + name_);
    if (!shuts_down_) throw std::runtime_error("the device has failed");
  }
  c10::intrusive_ptr<c10d::Work> allreduce(std::vector<at::Tensor>&,
                                           const c10d::AllreduceOptions&) override {
    throw std::runtime_error("connection reset by peer");
  }

 private:
  std::string name_;
  Log& log_;
  bool shuts_down_;
};

class ToldStore final : public c10d::HashStore {
 public:
  explicit ToldStore(Log& log) : log_(log) {}
  ~ToldStore() override { log_.push_back("free store"); }

 private:
  Log& log_;
};

RankConnections told(Log& log, bool shuts_down = true) {
  return {.store = c10::make_intrusive<ToldStore>(log),
          .talk = c10::make_intrusive<ToldBackend>("talk", log),
          .sums = c10::make_intrusive<ToldBackend>("sums", log, shuts_down),
          .within = c10::make_intrusive<ToldBackend>("within", log)};
}

const RankAssignment kSecond{.rank = 1, .world_size = 2};

}  // namespace

TEST_CASE("connections are shut down from the last made to the first, and the store goes last") {
  for (const bool shuts_down : {true, false}) {
    CAPTURE(shuts_down);
    Log log;
    RankGroup(kSecond, torch::kCPU, told(log, shuts_down));
    CHECK(log == Log{"shut down within", "free within", "shut down sums", "free sums",
                     "shut down talk", "free talk", "free store"});
  }
}

TEST_CASE("none is shut down once a rank has ended: that would wait for it") {
  Log log;
  {
    RankGroup group(kSecond, torch::kCPU, told(log));
    CHECK_THROWS_WITH_AS(group.all_reduce_max(1), doctest::Contains("lost the other ranks"), Error);
  }
  CHECK(log == Log{"free within", "free sums", "free talk", "free store"});
}
