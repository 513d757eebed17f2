#pragma once
#include <concepts>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "letterpress/commandline/flag_value.h"

namespace letterpress {

/// A member of a member: member(&Flags::loading, &Loading::batch).
template <class First, class Second>
auto member(First first, Second second) {
  return [=](auto& options) -> auto& { return std::invoke(second, std::invoke(first, options)); };
}

namespace flag_member {

template <class T>
inline constexpr bool is_optional = false;
template <class T>
inline constexpr bool is_optional<std::optional<T>> = true;
template <class T>
concept Integer = std::integral<T> && !std::same_as<T, bool>;

template <class T>
constexpr FlagKind kind() {
  if constexpr (is_optional<T>)
    return kind<typename T::value_type>();
  else if constexpr (std::same_as<T, bool>)
    return FlagKind::on_off;
  else if constexpr (std::floating_point<T>)
    return FlagKind::number;
  else if constexpr (Integer<T>)
    return std::is_signed_v<T> ? FlagKind::whole : FlagKind::natural;
  else if constexpr (std::same_as<T, std::filesystem::path>)
    return FlagKind::path;
  else if constexpr (std::same_as<T, std::string> || std::is_enum_v<T>)
    return FlagKind::text;
  else
    return FlagKind::list;
}

template <class T>
FlagValue get(const FlagInfo& flag, const T& member) {
  if constexpr (is_optional<T>)
    return member ? get(flag, *member) : FlagValue{};
  else if constexpr (std::same_as<T, bool>)
    return member;
  else if constexpr (std::floating_point<T>)
    return static_cast<double>(member);
  else if constexpr (Integer<T> && std::is_signed_v<T>)
    return static_cast<std::int64_t>(member);
  else if constexpr (Integer<T>)
    return static_cast<std::uint64_t>(member);
  else if constexpr (std::is_enum_v<T>)
    return flag.choices.at(static_cast<std::size_t>(member));
  else if constexpr (std::same_as<T, std::string>)
    return member;
  else if constexpr (std::same_as<T, std::filesystem::path>)
    return member.string();
  else {
    std::vector<std::string> words;
    for (const auto& one : member) words.push_back(to_text(flag, get(flag, one)));
    return words;
  }
}

template <class T>
void set(const FlagInfo& flag, const FlagValue& value, T& member) {
  if constexpr (is_optional<T>) {
    set(flag, value, member.emplace());
  } else if constexpr (std::is_enum_v<T>) {
    const auto& name = std::get<std::string>(value);
    for (std::size_t i = 0; i < flag.choices.size(); ++i) {
      if (flag.choices[i] == name) return void(member = static_cast<T>(i));
    }
    refuse_value(flag, value, either_of(flag.choices));
  } else if constexpr (std::same_as<T, bool>) {
    member = std::get<bool>(value);
  } else if constexpr (std::floating_point<T>) {
    member = static_cast<T>(std::get<double>(value));
  } else if constexpr (Integer<T>) {
    using Held = std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>;
    member = static_cast<T>(std::get<Held>(value));
  } else if constexpr (std::same_as<T, std::string> || std::same_as<T, std::filesystem::path>) {
    member = std::get<std::string>(value);
  } else {
    member.clear();
    for (const std::string& word : std::get<std::vector<std::string>>(value)) {
      if constexpr (std::floating_point<typename T::value_type>)
        member.push_back(parse_number(flag, word));
      else
        member.emplace_back(word);
    }
  }
}

}  // namespace flag_member

}  // namespace letterpress
