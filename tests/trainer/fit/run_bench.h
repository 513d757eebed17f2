#pragma once
#include <doctest/doctest.h>

#include <algorithm>
#include <csignal>
#include <cstring>
#include <sstream>
#include <string>
#include <vector>

#include "letterpress/base/error.h"
#include "letterpress/base/file.h"
#include "tests/temp_dir.h"
#include "tests/trainer/fit/drawn_store.h"
#include "tests/trainer/fit/narrow_models.h"
#include "trainer/checkpoint/checkpoint.h"
#include "trainer/fit/trainer.h"

namespace letterpress {

/// A store of 8 train pictures, so that with a batch of 4 an epoch has 2 steps, and where runs go.
struct RunBench {
  TempDir dir;
  std::vector<std::string> notes;
  explicit RunBench(const DrawnStore& drawn = {.train = 8, .val = 2, .views = 2}) {
    drawn.publish(dir / "store");
  }

  FitOptions options(const std::string& run, int epochs) {
    return {.store = dir / "store",
            .model = "narrow-yolov3-tiny",
            .out = dir / run,
            .epochs = epochs,
            .clean_epochs = 1,
            .batch = 4,
            .device = "cpu",
            .hooks = {.note = [this](const std::string& text) { notes.push_back(text); }}};
  }
  bool noted(const std::string& text) const {
    return std::any_of(notes.begin(), notes.end(), [&](const std::string& note) {
      return note.find(text) != std::string::npos;
    });
  }
};

inline std::vector<std::vector<std::string>> read_csv(const std::filesystem::path& file) {
  std::vector<std::vector<std::string>> lines;
  std::istringstream content(read_file(file));
  for (std::string line; std::getline(content, line);) {
    std::vector<std::string> fields;
    std::istringstream rest(line + ",");
    for (std::string field; std::getline(rest, field, ',');) fields.push_back(field);
    lines.push_back(fields);
  }
  return lines;
}

/// Mean of a column of results.csv over its last n lines.
inline double mean_of_last(const std::filesystem::path& file, const std::string& column,
                           std::size_t n) {
  const auto lines = read_csv(file);
  const auto found = std::find(lines[0].begin(), lines[0].end(), column);
  REQUIRE(found != lines[0].end());
  const auto at = static_cast<std::size_t>(found - lines[0].begin());
  double sum = 0;
  for (std::size_t i = lines.size() - n; i < lines.size(); ++i) sum += std::stod(lines[i][at]);
  return sum / static_cast<double>(n);
}

// Everything but times is equal.
inline void check_same_results(const std::filesystem::path& a, const std::filesystem::path& b) {
  const auto first = read_csv(a / "results.csv"), second = read_csv(b / "results.csv");
  REQUIRE(first.size() == second.size());
  for (std::size_t line = 0; line < first.size(); ++line) {
    for (std::size_t column = 0; column < first[line].size(); ++column) {
      const std::string& name = first[0][column];
      if (name == "images_per_s" || name == "data_wait_percent" || name == "seconds") continue;
      CAPTURE(name);
      CHECK(first[line][column] == second[line][column]);
    }
  }
}

inline void check_same_tensors(const std::filesystem::path& a, const std::filesystem::path& b) {
  const Checkpoint first = read_checkpoint(a), second = read_checkpoint(b);
  CHECK(first.info.step == second.info.step);
  CHECK(first.info.position == second.info.position);
  REQUIRE(first.tensors.size() == second.tensors.size());
  for (const auto& [name, tensor] : first.tensors) {
    CAPTURE(name);
    REQUIRE(second.tensors.contains(name));
    const torch::Tensor& other = second.tensors.at(name);
    REQUIRE(tensor.nbytes() == other.nbytes());
    CHECK(std::memcmp(tensor.data_ptr(), other.data_ptr(), tensor.nbytes()) == 0);
  }
}

// Trains until `step`, where a SIGTERM arrives.
inline FitResult train_until(FitOptions options, std::int64_t step) {
  StopRequest stop;
  options.hooks.after_step = [&stop, step](std::int64_t done) {
    if (done == step) stop.make(SIGTERM);
  };
  return Trainer(options).run(stop);
}

/// A run in one go and one that a SIGTERM stops after `step` of `steps` and --resume ends are the
/// same to the bit. options_of(name): of the run "straight" or "stopped". What the one in one go
/// gave.
template <class OptionsOf>
FitResult check_resumes_to_the_bit(OptionsOf&& options_of, std::int64_t step, std::int64_t steps) {
  const FitResult straight = Trainer(options_of("straight")).run();
  CHECK(straight.done.step == steps);
  FitOptions options = options_of("stopped");
  const FitResult stopped = train_until(options, step);
  CHECK(stopped.done.step == step);
  CHECK(stopped.ending == Ending::signal);
  options.resume = true;
  const FitResult resumed = Trainer(options).run();
  CHECK(resumed.done.step == steps);
  CHECK(resumed.ending == straight.ending);
  check_same_tensors(options_of("straight").out / "last.safetensors",
                     options.out / "last.safetensors");
  check_same_results(options_of("straight").out, options.out);
  return straight;
}

template <class Call>
void check_error(Exit exit, const std::string& text, Call&& call) {
  CAPTURE(text);
  try {
    call();
    FAIL("nothing was thrown");
  } catch (const Error& error) {
    CHECK(static_cast<int>(error.exit()) == static_cast<int>(exit));
    CHECK_MESSAGE(std::string(error.what()).find(text) != std::string::npos,
                  std::string(error.what()));
  }
}

}  // namespace letterpress
