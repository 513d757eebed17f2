#pragma once
#include <cmath>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "letterpress/base/limits.h"
#include "letterpress/commandline/flag_member.h"

namespace letterpress {

/// One flag, stated once: Flag<FitOptions>("batch", &FitOptions::batch, "pictures per step")
/// .at_least(1). The default is the member's in Options{}. The kind follows from the member's type;
/// an enumeration's values are choices(), in their order.
template <class Options>
class Flag {
 public:
  using Get = std::function<FlagValue(const FlagInfo&, const Options&)>;
  using Set = std::function<void(const FlagInfo&, const FlagValue&, Options&)>;

  /// access: a member, or a function of Options& that returns a reference into it.
  template <class Access>
  Flag(std::string name, Access access, std::string help) {
    using T = std::remove_cvref_t<std::invoke_result_t<Access, Options&>>;
    info_.name = std::move(name);
    info_.kind = flag_member::kind<T>();
    info_.help = std::move(help);
    if constexpr (flag_member::Integer<T> && std::is_signed_v<T>) {
      info_.least = std::numeric_limits<T>::min();
      info_.most = std::numeric_limits<T>::max();
    }
    get_ = [access](const FlagInfo& flag, const Options& options) {
      return flag_member::get(flag,
                              std::as_const(std::invoke(access, const_cast<Options&>(options))));
    };
    set_ = [access](const FlagInfo& flag, const FlagValue& value, Options& options) {
      flag_member::set(flag, value, std::invoke(access, options));
    };
  }
  /// For a member of a type of its own.
  Flag(FlagInfo info, Get get, Set set)
      : info_(std::move(info)), get_(std::move(get)), set_(std::move(set)) {}

  /// The same flag of a struct that has Options within it.
  template <class Outer, class Access>
  Flag<Outer> within(Access access) const;

  Flag& bytes() { return info_.kind = FlagKind::bytes, *this; }
  Flag& automatic() { return info_.automatic = true, *this; }
  Flag& share() { return info_.kind = FlagKind::share, *this; }
  Flag& commas() { return info_.commas = true, *this; }
  Flag& required() { return info_.required = true, *this; }
  Flag& positional() { return info_.positional = true, *this; }
  Flag& filled() { return info_.filled = true, *this; }
  Flag& once() { return life_ = FlagLife::once, *this; }
  Flag& fixed() { return life_ = FlagLife::fixed, *this; }
  Flag& here() { return life_ = FlagLife::here, *this; }
  /// Stored as `value` says; where that is monostate, not at all.
  Flag& stored_as(std::function<FlagValue(const Options&)> value) {
    return stored_ = std::move(value), *this;
  }

  Flag& choices(std::vector<std::string> names) {
    info_.choices = std::move(names);
    return limit(either_of(info_.choices), [](const FlagInfo& flag, const FlagValue& value) {
      const auto* name = std::get_if<std::string>(&value);
      for (const std::string& choice : flag.choices) {
        if (!name || choice == *name) return true;
      }
      return false;
    });
  }
  /// The name of one of a registry's entries (pointers) or infos, or what the default is. Of an
  /// unknown one, of that kind, the refusal lists the known ones, nearest first. limits: in place
  /// of all names, where other checks refuse some.
  template <class Entries>
  Flag& known(const std::string& kind, const Entries& entries, const std::string& limits = "") {
    for (const auto& entry : entries) {
      if constexpr (requires { entry->name; })
        info_.choices.emplace_back(entry->name);
      else
        info_.choices.push_back(entry.name);
    }
    add_limits(limits.empty() ? either_of(info_.choices) : limits);
    checks_.push_back([kind, get = get_](const FlagInfo& flag, const Options& options) {
      const FlagValue value = get(flag, options);
      if (value != get(flag, Options{})) require_known(flag, value, kind);
    });
    return *this;
  }
  /// limits: in place of "0 or more".
  Flag& at_least(double low, const std::string& limits = "") {
    return limit(limits.empty() ? text(low) + " or more" : limits,
                 [low](const FlagInfo&, const FlagValue& value) {
                   return number_of(value) >= low && std::isfinite(number_of(value));
                 });
  }
  Flag& over(double low, const std::string& limits) {
    return limit(limits, [low](const FlagInfo&, const FlagValue& value) {
      return number_of(value) > low && std::isfinite(number_of(value));
    });
  }
  Flag& between(double low, double high, const std::string& limits = "") {
    return limit(limits.empty() ? text(low) + " to " + text(high) : limits,
                 [low, high](const FlagInfo&, const FlagValue& value) {
                   return number_of(value) >= low && number_of(value) <= high;
                 });
  }
  Flag& must_be(const Limits& limits) {
    return limit(limits.text, [hold = limits.hold](const FlagInfo&, const FlagValue& value) {
      return hold(number_of(value));
    });
  }
  /// For what depends on other members too.
  Flag& must_be(const std::string& limits, std::function<bool(const Options&)> holds) {
    add_limits(limits);
    checks_.push_back([=, get = get_](const FlagInfo& flag, const Options& options) {
      if (!holds(options)) refuse_value(flag, get(flag, options), limits);
    });
    return *this;
  }
  /// Has an effect only with `other`, an example of a flag with a value: refused
  /// without it, unless it is the default.
  Flag& only_with(const std::string& other, std::function<bool(const Options&)> has_other) {
    checks_.push_back([=, get = get_](const FlagInfo& flag, const Options& options) {
      const FlagValue value = get(flag, options);
      if (!has_other(options) && value != get(flag, Options{})) refuse_alone(flag, value, other);
    });
    return *this;
  }
  /// limits: what something else checks, which knows more than the flags.
  Flag& says(const std::string& limits) { return add_limits(limits), *this; }
  /// `check` throws what is to be said.
  Flag& check(std::function<void(const Options&)> check) {
    checks_.push_back([=](const FlagInfo&, const Options& options) { check(options); });
    return *this;
  }

  const FlagInfo& info() const { return info_; }
  FlagValue get(const Options& options) const { return get_(info_, options); }
  void set(const FlagValue& value, Options& options) const { set_(info_, value, options); }
  FlagValue stored(const Options& options) const {
    if (info_.life == FlagLife::once) return {};
    return stored_ ? stored_(options) : get(options);
  }
  /// Throws Error (usage) that names the flag, what was got and what it must be.
  void check(const Options& options) const {
    for (const auto& check : checks_) check(info_, options);
  }
  /// Once it stands in a table: its default, and its life where the flag itself says none.
  void settle(FlagLife life) {
    info_.life = life_.value_or(life);
    const FlagValue initial = get(Options{});
    if (initial != FlagValue{false}) info_.initial = to_text(info_, initial);
  }

 private:
  template <class>
  friend class Flag;
  using Check = std::function<void(const FlagInfo&, const Options&)>;

  static std::string text(double number) { return to_text({.name = ""}, number); }
  void add_limits(const std::string& limits) {
    info_.limits += (info_.limits.empty() ? "" : "; ") + limits;
  }
  // What has no value has no limits either.
  Flag& limit(const std::string& limits,
              std::function<bool(const FlagInfo&, const FlagValue&)> holds) {
    add_limits(limits);
    checks_.push_back([=, get = get_](const FlagInfo& flag, const Options& options) {
      const FlagValue value = get(flag, options);
      if (value != FlagValue{} && !holds(flag, value)) refuse_value(flag, value, limits);
    });
    return *this;
  }

  FlagInfo info_;
  Get get_;
  Set set_;
  std::optional<FlagLife> life_{};
  std::function<FlagValue(const Options&)> stored_{};
  std::vector<Check> checks_{};
};

template <class Options>
template <class Outer, class Access>
Flag<Outer> Flag<Options>::within(Access access) const {
  const auto inner = [access](const Outer& outer) -> const Options& {
    return std::invoke(access, const_cast<Outer&>(outer));
  };
  Flag<Outer> flag(
      info_, [inner, get = get_](const FlagInfo& f, const Outer& o) { return get(f, inner(o)); },
      [access, set = set_](const FlagInfo& f, const FlagValue& value, Outer& outer) {
        set(f, value, std::invoke(access, outer));
      });
  flag.life_ = info_.life;
  if (stored_)
    flag.stored_ = [inner, stored = stored_](const Outer& o) { return stored(inner(o)); };
  for (const Check& check : checks_) {
    flag.checks_.push_back(
        [inner, check](const FlagInfo& f, const Outer& outer) { check(f, inner(outer)); });
  }
  return flag;
}

}  // namespace letterpress
