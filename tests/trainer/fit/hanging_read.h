#pragma once
#include <functional>
#include <future>
#include <memory>

#include "tests/trainer/fit/run_bench.h"

namespace letterpress {

/// Checks that what `work` does with a store whose reads hang is ended by --read-deadline.
inline void check_ended_by_read_deadline(const std::function<void(const FitOptions&)>& work) {
  RunBench bench({.train = 8, .val = 0});
  // Owners: this function, which ends the wait, and the reader thread that is left behind.
  auto released = std::make_shared<std::promise<void>>();
  FitOptions options = bench.options("run", 1);
  options.readers = 1;
  options.read_deadline = 0.25;
  options.hooks.before_read = [wait = released->get_future().share()](const RowPlace&) {
    wait.wait();
  };
  check_error(Exit::io, "a read has taken more than 0.25 s", [&] { work(options); });
  released->set_value();
}

}  // namespace letterpress
