#pragma once
#include <functional>
#include <initializer_list>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "letterpress/commandline/flag.h"

namespace letterpress {

/// What was given: options with it in place, and how to put it into others.
template <class Options>
struct Given {
  Options options{};
  std::set<std::string> names{};  ///< of the flags
  std::function<void(Options&)> apply{};
};

/// The flags of an options struct, in the order of --help. From it come the command line, TOML,
/// --help, the checks, the stored JSON and the reference page.
template <class Options>
class FlagTable {
 public:
  /// life: of flags that say nothing else.
  explicit FlagTable(FlagLife life = FlagLife::once) : life_(life) {}

  FlagTable& add(std::initializer_list<Flag<Options>> flags) {
    for (Flag<Options> flag : flags) {
      flag.settle(life_);
      flags_.push_back(std::move(flag));
    }
    return *this;
  }
  /// The flags of a struct that is within this one.
  template <class Part, class Access>
  FlagTable& include(const FlagTable<Part>& part, Access access) {
    for (const Flag<Part>& flag : part.flags()) add({flag.template within<Options>(access)});
    return *this;
  }

  const std::vector<Flag<Options>>& flags() const { return flags_; }
  std::vector<FlagInfo> infos() const {
    std::vector<FlagInfo> infos;
    for (const Flag<Options>& flag : flags_) infos.push_back(flag.info());
    return infos;
  }
  /// Throws Error (usage) of the first flag that is not as it must be.
  void check(const Options& options) const {
    for (const Flag<Options>& flag : flags_) flag.check(options);
  }
  void apply(const FlagValues& values, Options& options) const {
    for (const auto& [name, value] : values) {
      for (const Flag<Options>& flag : flags_) {
        if (flag.info().name == name) flag.set(value, options);
      }
    }
  }
  Given<Options> read(const FlagValues& values) const {
    Given<Options> given;
    apply(values, given.options);
    for (const auto& [name, value] : values) given.names.insert(name);
    given.apply = [table = *this, values](Options& options) { table.apply(values, options); };
    return given;
  }
  /// A JSON object of what is stored, in the table's order.
  std::string to_json(const Options& options) const {
    FlagValues values;
    for (const Flag<Options>& flag : flags_)
      values.emplace_back(flag.info().name, flag.stored(options));
    return letterpress::to_json(values);
  }
  /// What a later run takes over of such an object, but for `given`. Throws as values_from_json().
  void take_over(const std::string& json, const std::set<std::string>& given, const Message& source,
                 Options& options) const {
    std::vector<FlagInfo> wanted;
    for (const Flag<Options>& flag : flags_) {
      const FlagLife life = flag.info().life;
      if ((life == FlagLife::kept || life == FlagLife::fixed) && !given.contains(flag.info().name))
        wanted.push_back(flag.info());
    }
    apply(values_from_json(json, wanted, source), options);
  }

 private:
  FlagLife life_;
  std::vector<Flag<Options>> flags_;
};

}  // namespace letterpress
