#include "class_folders.h"

#include <algorithm>
#include <map>
#include <set>

#include "formats/annotations/files/split_words.h"

namespace letterpress::annotations {
namespace {

bool is_in_folder(std::string_view name, std::size_t start) {
  return name.find('/', start) != std::string_view::npos;
}

// Whether all names are in folders of this one: "train/" of "train/cat/1.jpg".
bool is_around_all(const std::vector<std::string_view>& names, std::string_view prefix) {
  return std::ranges::all_of(names, [&](std::string_view name) {
    return name.starts_with(prefix) && is_in_folder(name, prefix.size());
  });
}

// How much of the names the folders around all of them are, up to the class folders or the splits.
std::size_t wrapper_size(const std::vector<std::string_view>& names) {
  std::string prefix;
  for (;;) {
    const std::string_view top = top_of(names.front(), prefix.size());
    const std::string next = prefix + std::string(top) + "/";
    if (!split_of_word(top).empty() || !is_around_all(names, next)) return prefix.size();
    prefix = next;
  }
}

// A folder that may be a split.
struct Top {
  std::vector<std::string_view> pictures{};
  std::size_t start = 0;  // of the class folders in the names
};

// Archives are unpacked into folders of their own name: "seg_train/seg_train/sea/1.jpg".
void skip_repeated(Top& top, std::size_t start) {
  const std::string_view first = top.pictures.front();
  const std::string split = split_in(top_of(first, start));
  top.start = start + top_of(first, start).size() + 1;
  if (!is_in_folder(first, top.start)) return;
  const std::string_view inner = top_of(first, top.start);
  const std::size_t next = top.start + inner.size() + 1;
  if (split_in(inner) == split && is_around_all(top.pictures, first.substr(0, next)))
    top.start = next;
}

std::set<std::string_view> folders_in(const Top& top) {
  std::set<std::string_view> folders;
  for (const std::string_view name : top.pictures) {
    if (is_in_folder(name, top.start)) folders.insert(top_of(name, top.start));
  }
  return folders;
}

// Whether those that hold folders hold some that all of these hold; one must.
bool hold_the_same(const std::map<std::string_view, Top>& tops) {
  std::set<std::string_view> common;
  bool any = false;
  for (const auto& [name, top] : tops) {
    std::set<std::string_view> folders = folders_in(top);
    if (folders.empty()) continue;
    if (any) std::erase_if(folders, [&](std::string_view one) { return !common.contains(one); });
    if (folders.empty()) return false;
    common = std::move(folders);
    any = true;
  }
  return any;
}

bool are_splits(const std::map<std::string_view, Top>& tops) {
  const auto is_split = [](const auto& top) { return !split_of_word(top.first).empty(); };
  if (std::ranges::all_of(tops, is_split)) return true;
  std::set<std::string> splits;
  for (const auto& [name, top] : tops) splits.insert(split_in(name));
  return !splits.contains("") && splits.size() > 1 && hold_the_same(tops);
}

}  // namespace

std::string_view top_of(std::string_view name, std::size_t start) {
  return name.substr(start, name.find('/', start) - start);
}

std::vector<Placed> placed_in_class_folders(const std::vector<std::string>& names) {
  std::vector<std::string_view> in_folders;
  for (const std::string& name : names) {
    if (is_in_folder(name, 0)) in_folders.push_back(name);
  }
  const std::size_t wrapper = in_folders.empty() ? 0 : wrapper_size(in_folders);
  std::map<std::string_view, Top> tops;
  for (const std::string_view name : in_folders) {
    if (is_in_folder(name, wrapper)) tops[top_of(name, wrapper)].pictures.push_back(name);
  }
  for (auto& [name, top] : tops) skip_repeated(top, wrapper);
  const bool by_split = !tops.empty() && are_splits(tops);
  std::vector<Placed> placed;
  for (const std::string& name : names) {
    Placed one{.name = name, .split = {}, .class_name = {}, .folder = {}};
    if (is_in_folder(name, wrapper)) {
      const std::string_view top = top_of(name, wrapper);
      const std::size_t start = by_split ? tops.at(top).start : wrapper;
      if (by_split) one.split = split_in(top);
      if (is_in_folder(name, start)) one.class_name = top_of(name, start);
      one.folder = name.substr(0, start + one.class_name.size());
    }
    placed.push_back(std::move(one));
  }
  return placed;
}

}  // namespace letterpress::annotations
