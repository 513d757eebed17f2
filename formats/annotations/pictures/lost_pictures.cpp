#include "lost_pictures.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "formats/annotations/files/text.h"
#include "letterpress/base/error.h"

namespace letterpress::annotations {
namespace {

int digit_of(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  const char small = static_cast<char>(c | 0x20);
  return small >= 'a' && small <= 'f' ? small - 'a' + 10 : -1;
}

// "my%20dog.jpg" -> "my dog.jpg" (RFC 3986, 2.1).
std::string decoded(std::string_view name) {
  std::string text;
  for (std::size_t i = 0; i < name.size(); ++i) {
    const int high = name[i] == '%' && i + 2 < name.size() ? digit_of(name[i + 1]) : -1;
    const int low = high < 0 ? -1 : digit_of(name[i + 2]);
    if (low < 0) {
      text += name[i];
    } else {
      text += static_cast<char>(high * 16 + low);
      i += 2;
    }
  }
  return text;
}

// The name as a path below some folder: "C:\set\1.jpg" -> "set/1.jpg", "../a/1.jpg" -> "a/1.jpg".
std::string below_any(std::string name) {
  std::ranges::replace(name, '\\', '/');
  if (name.size() > 2 && name[1] == ':' && name[2] == '/') name.erase(0, 2);
  for (const char* scheme : {"file://", "./"}) {
    if (name.starts_with(scheme)) name.erase(0, std::string_view(scheme).size());
  }
  std::string path = std::filesystem::path(name).lexically_normal().generic_string();
  while (path.starts_with('/') || path.starts_with("../")) path.erase(0, path[0] == '/' ? 1 : 3);
  return path == ".." || path == "." || path.find('\0') != std::string::npos ? "" : path;
}

bool ends_in(std::string_view path, std::string_view end) {
  return path.ends_with(end) && path.size() > end.size() &&
         path[path.size() - end.size() - 1] == '/';
}

// Files that cannot be read are not known to be equal.
bool have_equal_bytes(const FileTree& files, const std::string& one, const std::string& other) {
  std::error_code ignored;
  if (!files.archive() && std::filesystem::equivalent(one, other, ignored)) return true;
  try {
    return files.size_of(one) == files.size_of(other) &&
           files.read_text(one) == files.read_text(other);
  } catch (const Error&) {
    return false;
  }
}

}  // namespace

LostPictures::LostPictures(const FileTree& files, std::vector<std::string> folders,
                           std::size_t owned, std::string labels, std::string dataset)
    : files_(files),
      folders_(std::move(folders)),
      owned_(owned),
      labels_(std::move(labels)),
      dataset_(std::move(dataset)),
      spellings_(files) {}

void LostPictures::look_near() {
  if (std::exchange(looked_near_, true)) return;
  std::vector<std::string> known = folders_;
  for (std::size_t i = 0; i < owned_; ++i) {
    for (const auto& group : picture_folders_near(files_, folders_[i], labels_)) {
      near_.emplace_back();
      for (const std::string& folder : group) {
        if (std::ranges::find(known, folder) != known.end()) continue;
        known.push_back(folder);
        near_.back().push_back(folder);
      }
    }
  }
}

std::string LostPictures::file_in(const std::string& folder, std::string_view end) {
  std::string found = spellings_.find(folder, end);
  return !found.empty() && files_.file_fault(found).empty() ? found : "";
}

FoundPicture LostPictures::find_end(std::string_view end) {
  look_near();
  for (const std::string& folder : folders_) {
    if (std::string path = file_in(folder, end); !path.empty()) return {.path = std::move(path)};
  }
  for (const std::vector<std::string>& group : near_) {
    FoundPicture found{.nearby = true};
    for (const std::string& folder : group) {
      std::string path = file_in(folder, end);
      if (found.path.empty()) {
        found.path = std::move(path);
      } else if (!path.empty() && !have_equal_bytes(files_, found.path, path)) {
        found.other = std::move(path);
        break;
      }
    }
    if (!found.path.empty()) return found;
  }
  return {};
}

LostPictures::End LostPictures::longest_end(std::span<const std::string> names) {
  for (const std::string& name : names) {
    for (const std::string& reading : {name, decoded(name)}) {
      const std::string whole = below_any(reading);
      for (std::string_view end = whole; !end.empty(); take_until(end, '/')) {
        FoundPicture found = find_end(end);
        if (!found.path.empty()) return {std::move(found), name, whole, std::string(end)};
      }
      if (name.find('%') == std::string::npos) break;
    }
  }
  return {};
}

bool LostPictures::has_exactly(const std::string& name) {
  return !name.empty() && ends_in(find_end(name).path, name);
}

bool LostPictures::has(std::span<const std::string> names) {
  return !longest_end(names).found.path.empty();
}

FoundPicture LostPictures::find(std::span<const std::string> names) {
  const End longest = longest_end(names);
  const auto& [found, name, whole, end] = longest;
  if (found.path.empty() || !found.other.empty()) return found;
  // "1.JPG" is found by "1.jpg" and is one of the names as it is.
  const auto spelt = std::ranges::find_if(
      names, [&](const std::string& one) { return ends_in(found.path, below_any(one)); });
  note(spelt == names.end() ? name : *spelt, whole, end, found);
  return found;
}

void LostPictures::note(const std::string& name, std::string_view whole, std::string_view end,
                        const FoundPicture& found) {
  using Kind = FindNotes::Kind;
  if (end.size() < whole.size() || name.starts_with('/')) {
    notes_.add(Kind::end, name, found.path);
  } else if (!ends_in(found.path, below_any(name))) {
    notes_.add(Kind::spelling, name, found.path);
  } else if (found.nearby) {
    notes_.add(Kind::nearby, name, found.path);
  }
}

std::string LostPictures::other_of(const std::string& found, const std::string& name,
                                   std::span<const std::string> folders) {
  look_near();
  const auto other_in = [&](const std::string& folder) -> std::string {
    const bool is_this = found.size() == folder.size() + 1 + name.size() &&
                         found.starts_with(folder) && found.ends_with(name);
    if (is_this) return {};
    std::string path = file_in(folder, name);
    return path.empty() || have_equal_bytes(files_, found, path) ? std::string() : path;
  };
  for (const std::string& folder : folders) {
    if (std::string path = other_in(folder); !path.empty()) return path;
  }
  for (const std::vector<std::string>& group : near_) {
    for (const std::string& folder : group) {
      if (std::string path = other_in(folder); !path.empty()) return path;
    }
  }
  return {};
}

bool LostPictures::lies_near(std::string_view path) {
  look_near();
  return std::ranges::any_of(near_, [&](const std::vector<std::string>& group) {
    return std::ranges::any_of(group, [&](const std::string& folder) {
      return path.starts_with(folder) && path.substr(folder.size()).starts_with('/');
    });
  });
}

void LostPictures::note_lost(const std::string& name) {
  if (!elsewhere_) elsewhere_ = std::make_unique<NearbyPictures>(files_, dataset_);
  notes_.add_lost(name, elsewhere_->folders_of(name));
}

}  // namespace letterpress::annotations
