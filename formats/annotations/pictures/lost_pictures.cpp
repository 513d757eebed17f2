#include "lost_pictures.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "formats/annotations/files/text.h"

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

}  // namespace

LostPictures::LostPictures(const FileTree& files, std::vector<std::string> folders,
                           std::size_t owned, std::string labels, std::string dataset)
    : files_(files),
      folders_(std::move(folders)),
      owned_(owned),
      labels_(std::move(labels)),
      dataset_(std::move(dataset)),
      spellings_(files) {}

std::string LostPictures::find_end(std::string_view end, bool& nearby) {
  if (!std::exchange(looked_near_, true)) {
    for (std::size_t i = 0; i < owned_; ++i) {
      for (std::string& folder : picture_folders_near(files_, folders_[i], labels_)) {
        if (std::ranges::find(folders_, folder) == folders_.end() &&
            std::ranges::find(near_, folder) == near_.end())
          near_.push_back(std::move(folder));
      }
    }
  }
  for (const std::vector<std::string>* folders : {&folders_, &near_}) {
    for (const std::string& folder : *folders) {
      std::string found = spellings_.find(folder, end);
      nearby = folders == &near_;
      if (!found.empty() && files_.file_fault(found).empty()) return found;
    }
  }
  return {};
}

std::string LostPictures::find(std::span<const std::string> names) {
  for (const std::string& name : names) {
    for (const std::string& reading : {name, decoded(name)}) {
      const std::string whole = below_any(reading);
      for (std::string_view end = whole; !end.empty(); take_until(end, '/')) {
        bool nearby = false;
        std::string found = find_end(end, nearby);
        if (found.empty()) continue;
        note(name, whole, end, nearby, found);
        if (end.size() < whole.size() || name.starts_with('/') || !ends_in(found, whole))
          names_by_end_.try_emplace(found, names.front());
        return found;
      }
      if (name.find('%') == std::string::npos) break;
    }
  }
  return {};
}

void LostPictures::note(const std::string& name, std::string_view whole, std::string_view end,
                        bool nearby, const std::string& found) {
  using Kind = FindNotes::Kind;
  if (end.size() < whole.size() || name.starts_with('/')) {
    notes_.add(Kind::end, name, found);
  } else if (!ends_in(found, below_any(name))) {
    notes_.add(Kind::spelling, name, found);
  } else if (nearby) {
    notes_.add(Kind::nearby, name, found);
  }
}

std::string LostPictures::other_name_of(const std::string& found, const std::string& name) const {
  const auto known = names_by_end_.find(found);
  return known == names_by_end_.end() || known->second == name ? std::string() : known->second;
}

void LostPictures::note_lost(const std::string& name) {
  if (!elsewhere_) elsewhere_ = std::make_unique<NearbyPictures>(files_, dataset_);
  notes_.add(FindNotes::Kind::lost, name, elsewhere_->folder_of(name));
}

}  // namespace letterpress::annotations
