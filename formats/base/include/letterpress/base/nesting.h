#pragma once
#include <cstddef>
#include <string>
#include <string_view>

namespace letterpress {

// Parsers and what they make of a text call themselves once per level: a text that is nested
// deeper than the stack would crash them, so it is measured first.

/// More than any file of ours, and than any that people write.
inline constexpr std::size_t kDeepest = 64;

/// How deep [ and { are nested, but for those in "...", where \ precedes a quote: JSON.
std::size_t nesting_of(std::string_view json);
/// Throws Error (data) naming `where` when a JSON text is nested more than kDeepest levels deep.
void check_nesting(std::string_view json, const std::string& where,
                   const std::string& fix = "it was not written by this program");
/// Whether a YAML text has more brackets one behind the other, or without an end, than any that
/// people write; those in quotes and comments count as well, so that none hides others.
bool is_all_brackets(std::string_view yaml);
/// The parts of the longest key of a TOML text, 3 of a.b.c: each makes a table in the one before.
std::size_t longest_toml_key(std::string_view toml);

}  // namespace letterpress
