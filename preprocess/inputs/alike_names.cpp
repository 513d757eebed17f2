#include "preprocess/inputs/alike_names.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <set>

#include "letterpress/base/error.h"

namespace letterpress {
namespace {

struct Composition {
  char16_t first, second, composed;
};
struct LowerRun {
  char16_t first, last;
  int step, distance;
};
#include "preprocess/inputs/unicode_tables.inl"

constexpr std::size_t kNamedPairs = 5;

std::u32string decoded(std::string_view text) {
  std::u32string characters;
  for (std::size_t i = 0; i < text.size();) {
    const auto lead = static_cast<unsigned char>(text[i++]);
    const int more = lead >= 0xF0 ? 3 : lead >= 0xE0 ? 2 : lead >= 0xC0 ? 1 : 0;
    char32_t character = more == 0 ? lead : lead & (0x3FU >> more);
    for (int k = 0; k < more && i < text.size(); ++k)
      character = character << 6 | (static_cast<unsigned char>(text[i++]) & 0x3FU);
    characters += character;
  }
  return characters;
}

std::string encoded(const std::u32string& characters) {
  std::string text;
  for (const char32_t c : characters) {
    const int more = c >= 0x10000 ? 3 : c >= 0x800 ? 2 : c >= 0x80 ? 1 : 0;
    constexpr unsigned kLeads[]{0, 0xC0, 0xE0, 0xF0};
    text += static_cast<char>(kLeads[more] | c >> (6 * more));
    for (int k = more - 1; k >= 0; --k) text += static_cast<char>(0x80U | (c >> (6 * k) & 0x3FU));
  }
  return text;
}

// 0: the two do not compose. Hangul by its arithmetic (Unicode, section 3.12).
char32_t composed(char32_t first, char32_t second) {
  constexpr char32_t kSyllables = 0xAC00, kLead = 0x1100, kVowel = 0x1161, kTail = 0x11A7;
  if (first >= kLead && first < kLead + 19 && second >= kVowel && second < kVowel + 21)
    return kSyllables + ((first - kLead) * 21 + second - kVowel) * 28;
  if (first >= kSyllables && first < kSyllables + 11172 && (first - kSyllables) % 28 == 0 &&
      second > kTail && second < kTail + 28)
    return first + second - kTail;
  const auto before = [](const Composition& a, const std::pair<char32_t, char32_t>& b) {
    return std::pair<char32_t, char32_t>(a.first, a.second) < b;
  };
  const std::pair pair(first, second);
  const auto* const found =
      std::lower_bound(std::begin(kCompositions), std::end(kCompositions), pair, before);
  const bool is_there =
      found != std::end(kCompositions) && found->first == first && found->second == second;
  return is_there ? found->composed : 0;
}

std::u32string composed(const std::u32string& characters) {
  std::u32string result;
  for (const char32_t c : characters) {
    const char32_t joined = result.empty() ? 0 : composed(result.back(), c);
    if (joined != 0) {
      result.back() = joined;
    } else {
      result += c;
    }
  }
  return result;
}

char32_t lower(char32_t c) {
  if (c >= 'A' && c <= 'Z') return c + ('a' - 'A');
  for (const LowerRun& run : kLowerRuns) {
    if (c < run.first || c > run.last) continue;
    if ((c - run.first) % static_cast<char32_t>(run.step) == 0)
      return static_cast<char32_t>(static_cast<int>(c) + run.distance);
  }
  return c;
}

bool is_blank(char32_t c) {
  return c == ' ' || c == '\t' || c == 0xA0 || (c >= 0x2000 && c <= 0x200B) || c == 0x202F ||
         c == 0x205F || c == 0x3000 || c == 0xFEFF;
}

std::u32string single_spaced(const std::u32string& characters) {
  std::u32string result;
  bool blank = false;
  for (const char32_t c : characters) {
    if (!is_blank(c))
      result += blank && !result.empty() ? std::u32string{U' ', c} : std::u32string{c};
    blank = is_blank(c);
  }
  return result;
}

// The least that joins two names which are alike in all: "case", "unicode,space".
std::string difference(const std::string& a, const std::string& b) {
  const auto alike = [&](const AlikeBy& by) { return alike_form(a, by) == alike_form(b, by); };
  std::string words;
  if (!alike({.unicode = true, .space = true})) words += ",case";
  if (!alike({.letter_case = true, .space = true})) words += ",unicode";
  if (!alike({.letter_case = true, .unicode = true})) words += ",space";
  return words.substr(1);
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
  std::u32string characters = decoded(name);
  if (by.unicode) characters = composed(characters);
  if (by.letter_case) std::ranges::transform(characters, characters.begin(), lower);
  if (by.space) characters = single_spaced(characters);
  return encoded(characters);
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
