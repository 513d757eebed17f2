// That each stage looks at the signal by itself, without the second after which the programs end
// anyway.
#include <doctest/doctest.h>

#include <csignal>

#include "letterpress/base/fault_hook.h"
#include "preprocess/pipeline/build.h"
#include "tests/preprocess/drawn_set.h"

namespace letterpress {
namespace {

// Stops the build once it is at work in a stage, at its first picture or row, or at its first
// write; counts what goes on after that.
class Stopper : public BuildListener {
 public:
  Stopper(std::string stage, bool at_write) : stage_(std::move(stage)) {
    if (!at_write) return;
    set_fault_hook([this](std::string_view operation, std::string_view) {
      if (active_ && operation == "write") stop.make(SIGTERM);
      return 0;
    });
  }
  ~Stopper() override { set_fault_hook(nullptr); }
  Stopper(const Stopper&) = delete;
  Stopper& operator=(const Stopper&) = delete;

  void stage(const std::string& label, std::int64_t, const std::string&) override {
    active_ = label == stage_;
  }
  void advance(std::int64_t) override {
    if (!active_) return;
    ++advanced;
    stop.make(SIGTERM);
  }

  StopRequest stop;
  int advanced = 0;

 private:
  const std::string stage_;
  bool active_ = false;
};

BuildOptions one_thread(const DrawnSet& set, int views) {
  BuildOptions options = set.options();
  options.threads = 1;
  options.views = views;
  options.shard_bytes = 8 * 64 * 64 * 3;
  return options;
}

}  // namespace

TEST_CASE("a stop is seen between the views of one picture") {
  DrawnSet set;
  set.pictures(1);
  const BuildOptions options = one_thread(set, 64);
  Stopper stopper("preparing", true);
  CHECK(build(options, stopper, stopper.stop).stopped_by == SIGTERM);
  CHECK(shard_names(options.store).size() <= 1);  // the clean row's, which was begun
}

TEST_CASE("a stop is seen between pictures, in each stage that goes over them") {
  DrawnSet set;
  set.pictures(200);
  for (const std::string stage : {"examining", "preparing"}) {
    CAPTURE(stage);
    const BuildOptions options = one_thread(set, 1);
    std::filesystem::remove_all(options.store);
    Stopper stopper(stage, false);
    CHECK(build(options, stopper, stopper.stop).stopped_by == SIGTERM);
    CHECK(stopper.advanced < 100);
  }
}

TEST_CASE("a stop is seen between rows that are copied") {
  DrawnSet set;
  set.pictures(40);
  const BuildOptions options = one_thread(set, 0);
  build_quietly(options);
  std::string some;
  for (int i = 0; i < 40; i += 2) some += DrawnSet::line(i);
  set.list("train.txt", some);
  Stopper stopper("repacking", false);
  CHECK(build(options, stopper, stopper.stop).stopped_by == SIGTERM);
  CHECK(stopper.advanced >= 1);
  CHECK(stopper.advanced < 8);
  CHECK(shard_names(options.store).size() == 5);
}

}  // namespace letterpress
