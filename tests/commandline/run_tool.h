#pragma once
// A program of one command, whose flags and body are the test's.
#include <functional>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

#include "letterpress/commandline/program.h"

namespace letterpress {

struct Outcome {
  int code;
  std::string out, err;
};

struct Flags {
  std::string store;
  int size = 416;
  std::uint64_t seed = 1;
  bool json = false;
  std::vector<std::string> input;
};

inline FlagTable<Flags> program_flags() {
  using F = Flag<Flags>;
  return FlagTable<Flags>(FlagLife::kept)
      .add({F("input", &Flags::input, "label files"), F("json", &Flags::json, "summary"),
            F("seed", &Flags::seed, "of what is drawn"), F("size", &Flags::size, "pixels"),
            F("store", &Flags::store, "folder").required()});
}

/// Runs a program with one command "build" and, in `body`, whatever the test wants to happen.
inline Outcome run(
    std::vector<std::string> words, Flags& flags,
    const std::function<int()>& body = [] { return 0; }) {
  const Command build =
      command("build", "pictures -> shards", program_flags(), [&](const Flags& read) {
        flags = read;
        return body();
      });
  const Command info{
      .name = "info", .summary = "what a store holds", .run = [](auto&) { return 0; }};
  std::vector<char*> argv{const_cast<char*>("tool")};
  for (std::string& word : words) argv.push_back(word.data());
  std::ostringstream out, err;
  auto* const old_out = std::cout.rdbuf(out.rdbuf());
  auto* const old_err = std::cerr.rdbuf(err.rdbuf());
  const int code =
      run_program("tool", "a tool", {build, info}, static_cast<int>(argv.size()), argv.data());
  std::cout.rdbuf(old_out);
  std::cerr.rdbuf(old_err);
  return {code, out.str(), err.str()};
}

}  // namespace letterpress
