#include "split_words.h"

#include <algorithm>
#include <array>
#include <utility>

#include "letterpress/annotations/annotations.h"
#include "text.h"

namespace letterpress::annotations {
namespace {

// What people call the splits: the one table of it.
constexpr std::array<std::pair<std::string_view, const char*>, 7> kSplits{{{"train", "train"},
                                                                           {"training", "train"},
                                                                           {"val", "val"},
                                                                           {"valid", "val"},
                                                                           {"validation", "val"},
                                                                           {"test", "test"},
                                                                           {"testing", "test"}}};

bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
// Letters of other scripts are parts of words.
bool is_part(char c) {
  return is_upper(c) || is_lower(c) || is_digit(c) || static_cast<unsigned char>(c) >= 0x80;
}

bool is_of_pictures_or_split(const std::string& word) {
  return word == "jpeg" || is_word_for_pictures(word) || !split_of_word(word).empty();
}

// Of train_labels, val_set and test_split: they say nothing of what pictures show.
bool is_word_beside_splits(std::string_view word) {
  constexpr std::array<std::string_view, 17> kWords{
      "labels", "label", "annotations", "annotation", "annots", "annot", "anns",    "ann",  "jsons",
      "json",   "xmls",  "xml",         "txt",        "set",    "sets",  "dataset", "split"};
  return std::ranges::find(kWords, word) != kWords.end();
}

}  // namespace

std::vector<std::string> words_of(std::string_view name) {
  std::vector<std::string> words(1);
  char before = 0;
  for (const char c : name) {
    const bool begins = is_upper(c) && is_lower(before);
    if (!is_part(c) || begins) words.emplace_back();
    if (is_part(c)) words.back() += c;
    before = c;
  }
  for (std::string& word : words) {
    word = in_small_letters(word);
    while (!word.empty() && is_digit(word.back())) word.pop_back();
  }
  std::erase(words, "");
  return words;
}

std::string split_of_word(std::string_view word) {
  const auto* const place = std::ranges::find(kSplits, word, [](const auto& e) { return e.first; });
  return place == kSplits.end() ? "" : place->second;
}

std::string split_of_name(std::string_view name) { return split_of_word(in_small_letters(name)); }

std::vector<SplitName> called_after_splits(const std::vector<std::string>& names,
                                           std::string_view ending) {
  std::vector<SplitName> called;
  for (const auto& [word, split] : kSplits) {
    const std::string wanted = std::string(word) + std::string(ending);
    for (const bool as_written : {true, false}) {
      for (const std::string& name : names) {
        if ((name == wanted) == as_written && in_small_letters(name) == wanted)
          called.push_back({name, split});
      }
    }
  }
  return called;
}

std::string split_in(std::string_view path) {
  std::string found;
  for (const std::string& word : words_of(path)) {
    const std::string split = split_of_word(word);
    if (!split.empty() && !found.empty() && split != found) return {};
    if (!split.empty()) found = split;
  }
  return found;
}

std::string doubtful_split_in(std::string_view path) {
  constexpr std::array<std::string_view, 9> kWords{
      "dev", "devel", "eval", "evaluation", "validate", "holdout", "tests", "minival", "unseen"};
  for (std::string& word : words_of(path)) {
    if (std::ranges::find(kWords, word) != kWords.end()) return std::move(word);
  }
  return {};
}

bool is_word_for_pictures(std::string_view word) {
  constexpr std::array<std::string_view, 9> kWords{
      "images", "image", "imgs", "img", "jpegimages", "data", "pictures", "pics", "photos"};
  return std::ranges::find(kWords, word) != kWords.end();
}

std::vector<std::string> words_without_split(std::string_view name) {
  std::vector<std::string> words = words_of(name);
  std::erase_if(words, [](const std::string& word) { return !split_of_word(word).empty(); });
  return words;
}

bool is_named_by_splits_and_pictures(std::string_view name) {
  const std::vector<std::string> words = words_of(name);
  return !words.empty() && std::ranges::all_of(words, is_of_pictures_or_split);
}

std::string split_of_folders(std::string_view folders) {
  std::string found;
  while (!folders.empty()) {
    const std::string_view name = folders.substr(0, folders.find('/'));
    folders.remove_prefix(std::min(folders.size(), name.size() + 1));
    const std::vector<std::string> words = words_of(name);
    const std::string split = split_in(name);
    if (split.empty() || !std::ranges::all_of(words, [](const std::string& word) {
          return is_of_pictures_or_split(word) || is_word_beside_splits(word);
        }))
      continue;
    if (!found.empty() && found != split) return {};
    found = split;
  }
  return found;
}

}  // namespace letterpress::annotations
