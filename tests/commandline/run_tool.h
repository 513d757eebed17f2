#pragma once
// A program of one command, whose flags and body are the test's.
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "tests/commandline/printed.h"

namespace letterpress {

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
  return printed_by("tool", {build, info}, std::move(words));
}

}  // namespace letterpress
