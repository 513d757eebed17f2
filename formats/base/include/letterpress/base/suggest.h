#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace letterpress {

/// `known` ordered by Damerau-Levenshtein distance to `name`, nearest first.
std::vector<std::string> nearest_first(std::string_view name, std::span<const std::string> known);

/// Whether at most a third of a name's letters, or one, are others in the other name.
bool is_near(std::string_view name, std::string_view other);

/// "none, auto or all"
std::string either_of(std::span<const std::string> names);

/// "unknown recipe 'nnoe'; did you mean 'none'? known: none, detect, inspect". "unknown recipe 'x';
/// known: ..." when no name is near.
std::string unknown_name(std::string_view kind, std::string_view name,
                         std::span<const std::string> known);

}  // namespace letterpress
