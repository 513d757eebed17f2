#include "preprocess/unpack/picture_names.h"

#include <algorithm>
#include <unordered_set>

#include "letterpress/annotations/passed_over.h"
#include "letterpress/base/picture_extension.h"

namespace letterpress {
namespace {

using Parts = std::vector<std::string>;

bool is_left_out(const std::string& part) {
  return part.empty() || part == "." || part == ".." || part == "images" || part == "labels";
}

// "/a/../b/1.png" -> a, b, 1
Parts parts_of(const std::string& name) {
  Parts parts;
  std::string part;
  const auto end_part = [&] {
    if (!is_left_out(part)) parts.push_back(part);
    part.clear();
  };
  for (const char c : has_picture_extension(name) ? name.substr(0, name.rfind('.')) : name) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '/') {
      end_part();
    } else {
      part += byte < 0x20 || byte == 0x7F ? '_' : c;
    }
  }
  end_part();
  if (parts.empty()) parts.emplace_back("picture");
  // Or `build` would pass them over.
  for (std::string& one : parts) {
    const bool is_folder = &one != &parts.back();
    if (annotations::is_left_by_a_system(one + (is_folder ? "/" : ""))) one.insert(0, "_");
  }
  return parts;
}

// How many folders all have in front.
std::size_t shared_folders(const std::vector<Parts>& all) {
  std::size_t n = all.empty() ? 0 : all.front().size() - 1;
  for (const Parts& parts : all) {
    n = std::min(n, parts.size() - 1);
    for (std::size_t i = 0; i < n; ++i) {
      if (parts[i] != all.front()[i]) n = i;
    }
  }
  return n;
}

std::string in_lower_case(std::string text) {
  for (char& c : text) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return text;
}

}  // namespace

std::vector<std::string> file_names(const std::vector<NamedPicture>& pictures,
                                    const std::string& extension) {
  std::vector<Parts> all;
  for (const NamedPicture& picture : pictures) all.push_back(parts_of(picture.name));
  const std::size_t shared = shared_folders(all);
  std::unordered_set<std::string> taken;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < pictures.size(); ++i) {
    std::string name;
    for (std::size_t k = shared; k < all[i].size(); ++k)
      name += (name.empty() ? "" : "/") + all[i][k];
    while (!taken.insert(in_lower_case(name)).second)
      name += "-" + pictures[i].hash.hex().substr(0, 8);
    names.push_back(name + extension);
  }
  return names;
}

}  // namespace letterpress
