#pragma once
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "letterpress/base/error.h"
#include "letterpress/base/suggest.h"

namespace letterpress {

using FlagPairs = std::vector<std::pair<std::string, std::string>>;  ///< in the order given
/// A flag's value on its way between the member of an options struct, the command line, TOML and
/// JSON. monostate: there is none.
using FlagValue = std::variant<std::monostate, bool, std::int64_t, std::uint64_t, double,
                               std::string, std::vector<std::string>, FlagPairs>;
using FlagValues = std::vector<std::pair<std::string, FlagValue>>;  ///< by the flag's name

/// How people write the value, and which alternative of FlagValue holds it.
enum class FlagKind {
  on_off,   ///< bool: --flag
  whole,    ///< int64
  natural,  ///< uint64
  number,   ///< double
  bytes,    ///< int64: "268435456", "256MiB", "10 GB" (k, M, G, T are powers of 1000; with an i, of
            ///< 1024)
  share,    ///< double: "0.01", "1%"
  text,     ///< string
  path,     ///< string
  list,     ///< strings: --flag a b --flag c
  pairs,    ///< pairs: --flag A=x --flag B=y
};

/// What becomes of the value after the run that it was given to.
enum class FlagLife {
  once,   ///< not stored: it holds for this run only
  kept,   ///< stored: later runs take it over and may change it
  fixed,  ///< stored: a run that goes on must have the same
  here,   ///< stored for people: of this machine or its folders, never taken over
};

/// All that is known of a flag but whose member it sets.
struct FlagInfo {
  std::string name;  ///< "batch", without dashes
  FlagKind kind = FlagKind::text;
  std::string help{};
  std::string limits{};   ///< what comes after "must be": "1 or more"; empty: anything of its kind
  std::string initial{};  ///< the default as people write it; empty: none
  std::vector<std::string> choices{};  ///< names that it may be; empty: any
  FlagLife life = FlagLife::once;
  bool required = false;
  bool positional = false;                                        ///< given without its name
  bool automatic = false;                                         ///< whole, number: "auto" is -1
  bool commas = false;                                            ///< list: also a,b,c
  std::int64_t least = std::numeric_limits<std::int64_t>::min();  ///< whole: what the member holds
  std::int64_t most = std::numeric_limits<std::int64_t>::max();
  bool filled = false;  ///< '' is refused: a variable of the shell that is not set, more likely
};

/// "--batch"; of a positional one "NAME".
std::string title_of(const FlagInfo& flag);
/// words, one or more, as they were given. Throws Error (usage): "--batch is 'x', must be a whole
/// number".
FlagValue parse_value(const FlagInfo& flag, const std::vector<std::string>& words);
/// As people would give it: "16", "256MiB", "5%"; "" where there is none.
std::string to_text(const FlagInfo& flag, const FlagValue& value);
/// One number of a flag, or of its list. Throws Error (usage).
double parse_number(const FlagInfo& flag, const std::string& word);
/// "0.95" or "95%"; nothing when it is neither.
std::optional<double> share_of(const std::string& word);
/// Throws Error (usage): "--batch is 0, must be 1 or more"; texts within '', and of a name that is
/// nearly one of flag.choices which one.
[[noreturn]] void refuse_value(const FlagInfo& flag, const FlagValue& got,
                               const std::string& limits);
/// Throws Error (usage) unless `got` is one of flag.choices: "--format: unknown format 'jsn'; did
/// you mean 'json'? known: ...".
void require_known(const FlagInfo& flag, const FlagValue& got, const std::string& kind);
/// Throws Error (usage): "--tf32: is for --model, which is not given; add --model yolov8n, or leave
/// it out". other: "--model yolov8n".
[[noreturn]] void refuse_alone(const FlagInfo& flag, const FlagValue& got,
                               const std::string& other);
/// The number that it is; NaN for others.
double number_of(const FlagValue& value);

/// A JSON object, keys in that order, without those that have no value.
std::string to_json(const FlagValues& values);
/// What such an object has of `flags`; other keys are ignored. source: where the object stands,
/// whose it is ("the run") and what to do when it cannot be read. Throws Error made of these.
FlagValues values_from_json(const std::string& json, const std::vector<FlagInfo>& flags,
                            const Message& source);

}  // namespace letterpress
