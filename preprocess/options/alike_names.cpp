#include "preprocess/options/alike_names.h"

#include <utf8proc.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>
#include <utility>

#include "letterpress/base/error.h"

namespace letterpress {
namespace {

constexpr std::size_t kNamedPairs = 5;

// utf8proc's; `name` as it is where it is not UTF-8.
std::string mapped(std::string_view name, int options) {
  utf8proc_uint8_t* bytes = nullptr;
  const auto length = utf8proc_map(reinterpret_cast<const utf8proc_uint8_t*>(name.data()),
                                   static_cast<utf8proc_ssize_t>(name.size()), &bytes,
                                   static_cast<utf8proc_option_t>(options));
  if (length < 0) return std::string(name);
  std::string text(reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(length));
  std::free(bytes);
  return text;
}

bool is_blank(utf8proc_int32_t character) {
  constexpr utf8proc_int32_t kZeroWidth = 0x200B, kByteOrderMark = 0xFEFF;
  return character == '\t' || character == kZeroWidth || character == kByteOrderMark ||
         utf8proc_category(character) == UTF8PROC_CATEGORY_ZS;
}

std::string single_spaced(const std::string& text) {
  const auto* next = reinterpret_cast<const utf8proc_uint8_t*>(text.data());
  std::string result;
  bool blank = false;
  for (std::size_t left = text.size(); left > 0;) {
    utf8proc_int32_t character = 0;
    const auto bytes = static_cast<std::size_t>(std::max<utf8proc_ssize_t>(
        1, utf8proc_iterate(next, static_cast<utf8proc_ssize_t>(left), &character)));
    const bool was_blank = std::exchange(blank, is_blank(character));
    if (!blank) {
      if (was_blank && !result.empty()) result += ' ';
      result.append(reinterpret_cast<const char*>(next), bytes);
    }
    next += bytes;
    left -= bytes;
  }
  return result;
}

// The least that joins two names which are alike in all: "case", "unicode,space". Some letters are
// joined by either of two, as the ohm sign and omega.
std::string difference(const std::string& a, const std::string& b) {
  static const std::pair<const char*, AlikeBy> kBySize[] = {
      {"case", {.letter_case = true}},
      {"unicode", {.unicode = true}},
      {"space", {.space = true}},
      {"case,unicode", {.letter_case = true, .unicode = true}},
      {"case,space", {.letter_case = true, .space = true}},
      {"unicode,space", {.unicode = true, .space = true}},
  };
  for (const auto& [words, by] : kBySize) {
    if (alike_form(a, by) == alike_form(b, by)) return words;
  }
  return "case,unicode,space";
}

}  // namespace

AlikeBy AlikeBy::of(const std::vector<std::string>& words) {
  AlikeBy by;
  for (const std::string& word : words) {
    if (word != "case" && word != "unicode" && word != "space") {
      throw Error("--merge-classes-by is '" + word + "', must be case, unicode, space or several",
                  Exit::usage);
    }
    (word == "case" ? by.letter_case : word == "unicode" ? by.unicode : by.space) = true;
  }
  return by;
}

std::string alike_form(std::string_view name, const AlikeBy& by) {
  if (!by.letter_case && !by.unicode && !by.space) return std::string(name);
  const std::string text =
      mapped(name, (by.unicode ? UTF8PROC_COMPOSE : 0) | (by.letter_case ? UTF8PROC_CASEFOLD : 0));
  return by.space ? single_spaced(text) : text;
}

std::string alike_names_text(const std::vector<std::string>& names) {
  std::map<std::string, std::string> first;
  std::set<std::string> words;
  std::string pairs;
  std::size_t n = 0;
  for (const std::string& name : names) {
    const auto [known, is_new] = first.emplace(
        alike_form(name, {.letter_case = true, .unicode = true, .space = true}), name);
    if (is_new || known->second == name) continue;
    const std::string by = difference(known->second, name);
    for (const char* word : {"case", "unicode", "space"}) {
      if (by.find(word) != std::string::npos) words.insert(word);
    }
    if (n++ < kNamedPairs)
      pairs += (pairs.empty() ? "'" : ", '") + known->second + "' and '" + name + "' (" + by + ")";
  }
  if (n == 0) return "";
  std::string flag;
  for (const std::string& word : words) flag += (flag.empty() ? "" : ",") + word;
  return "classes whose names are nearly the same: " + pairs + (n > kNamedPairs ? ", ..." : "") +
         "; --merge-classes-by " + flag + " joins them";
}

}  // namespace letterpress
