#include "nearby_pictures.h"

#include <algorithm>
#include <array>
#include <deque>

#include "folder_names.h"
#include "formats/annotations/files/archive.h"
#include "formats/annotations/files/split_words.h"
#include "formats/annotations/files/text.h"
#include "letterpress/base/error.h"
#include "letterpress/base/picture_extension.h"

namespace letterpress::annotations {
namespace {

constexpr std::size_t kMostNames = 10'000;
constexpr std::size_t kMostBeside = 100;

std::string parent_of(const std::string& folder) {
  const std::size_t slash = folder.rfind('/');
  return slash == 0 ? "/" : folder.substr(0, slash);
}

std::string joined(const std::string& folder, const std::string& name) {
  return (folder == "/" ? "" : folder) + "/" + name;
}

// What is in an archive leads to nothing beside it.
bool may_list(const FileTree& files, const std::string& folder) {
  std::string ignored;
  return !files.archive() || files.archive()->locate(folder, ignored);
}

// Of the many names in a folder most are of these, and no folder is called so.
bool is_called_as_file(std::string_view name) {
  return name.ends_with(".xml") || name.ends_with(".txt") || name.ends_with(".json") ||
         has_picture_extension(name);
}

// Whether a folder is for pictures, of this split where it names one: images, JPEG_Images,
// Validation_Images.
bool is_called_pictures(const std::string& name, const std::string& split) {
  const std::vector<std::string> words = words_of(name);
  const std::string own = split_in(name);
  return is_named_by_splits_and_pictures(name) &&
         std::ranges::any_of(words, is_word_for_pictures) && (own.empty() || own == split);
}

// "instances_train2017.json" -> instances, train2017
std::vector<std::string> parts_of(std::string_view labels) {
  std::vector<std::string> words(1);
  for (const char c : without_extension(labels)) {
    if (c == '_' || c == '-' || c == '.') {
      words.emplace_back();
    } else {
      words.back() += c;
    }
  }
  std::erase(words, "");
  return words;
}

}  // namespace

std::vector<std::vector<std::string>> picture_folders_near(const FileTree& files,
                                                           const std::string& folder,
                                                           std::string_view labels) {
  const std::string parent = parent_of(folder), above = parent_of(parent);
  const std::string own = folder.substr(folder.rfind('/') + 1);
  std::vector<std::vector<std::string>> found;
  const auto add = [&](std::vector<std::string>& group, const std::string& path) {
    if (path != folder && files.is_folder(path)) group.push_back(path);
  };
  const std::vector<std::string> words = parts_of(labels);
  const std::string of_labels = split_in(labels),
                    split = of_labels.empty() ? split_in(own) : of_labels;
  for (const std::string& base : {folder, parent, above}) {
    if (!may_list(files, base)) continue;
    std::vector<std::string> names = files.names_in(base);
    std::erase_if(names, [&](const std::string& name) {
      return is_called_as_file(name) || !is_called_pictures(name, split);
    });
    for (const bool of_split : {true, false}) {
      std::vector<std::string> called_own, called_word, whole;
      for (const std::string& name : names) {
        if (split_in(name).empty() == of_split) continue;
        const std::string pictures = joined(base, name);
        if (base != folder) add(called_own, joined(pictures, own));
        if (base == above) continue;
        for (const std::string& word : words) add(called_word, joined(pictures, word));
        add(whole, pictures);
      }
      for (auto* group : {&called_own, &called_word, &whole}) found.push_back(std::move(*group));
    }
    if (base == above) continue;
    std::vector<std::string> beside;
    for (const std::string& word : words) add(beside, joined(base, word));
    found.push_back(std::move(beside));
  }
  return found;
}

namespace {

// What a look says; nothing, where a disk or server fails.
template <class Look>
auto looked_at(const Look& look) -> decltype(look()) {
  try {
    return look();
  } catch (const Error&) {
    return {};
  }
}

}  // namespace

NearbyPictures::NearbyPictures(const FileTree& files, const std::string& folder) {
  look_through(files, folder, "");
  const std::string parent = parent_of(folder);
  // A folder of very many things is not that of a dataset.
  if (parent == "/" || !may_list(files, parent)) return;
  const auto beside = looked_at([&] { return files.names_in(parent); });
  if (beside.size() <= kMostBeside) look_through(files, parent, folder);
}

void NearbyPictures::look_through(const FileTree& files, const std::string& folder,
                                  const std::string& known) {
  // A hint: what cannot be looked at is left out.
  const auto names_in = [&](const std::string& listed) {
    return looked_at([&] { return files.names_in(listed); });
  };
  const auto is_folder = [&](const std::string& path) {
    return looked_at([&] { return files.is_folder(path); });
  };
  std::deque<std::string> to_list{folder};
  for (std::size_t names = 0; !to_list.empty() && names < kMostNames; to_list.pop_front()) {
    for (const std::string& name : names_in(to_list.front())) {
      if (++names > kMostNames) break;
      const std::string path = joined(to_list.front(), name);
      if (has_picture_extension(name)) {
        // One folder may hold several spellings of a name.
        std::vector<std::string>& places = folders_[alike_name(name)];
        if (places.empty() || places.back() != to_list.front()) places.push_back(to_list.front());
      } else if (path != known && !name.starts_with('.') && is_folder(path)) {
        to_list.push_back(path);
      }
    }
  }
}

std::vector<std::string> NearbyPictures::folders_of(const std::string& name) const {
  const auto found = folders_.find(alike_name(last_part(name)));
  return found == folders_.end() ? std::vector<std::string>() : found->second;
}

}  // namespace letterpress::annotations
