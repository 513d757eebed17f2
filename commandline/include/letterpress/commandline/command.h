#pragma once
#include <functional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "letterpress/commandline/flags.h"

namespace letterpress {

/// A sub-command; a program that has only one names it "".
struct Command {
  std::string name;     ///< "build"
  std::string summary;  ///< one line
  std::vector<FlagInfo> flags{};
  /// What was given -> the exit code; it may throw Error.
  std::function<int(const FlagValues&)> run{};
  std::string footer{};  ///< after the flags in --help
};

/// A command with the flags of `table`. run takes the Options, checked, and may change them; or
/// Given<Options>, not checked, where something else completes them first.
template <class Options, class Run>
Command command(std::string name, std::string summary, const FlagTable<Options>& table, Run run) {
  return {std::move(name), std::move(summary), table.infos(),
          [table, run](const FlagValues& values) {
            Given<Options> given = table.read(values);
            if constexpr (std::is_invocable_v<Run, Options&>) {
              table.check(given.options);
              return run(given.options);
            } else {
              return run(given);
            }
          }};
}

}  // namespace letterpress
