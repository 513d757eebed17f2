#include "names_by_id.h"

#include "formats/annotations/files/text.h"
#include "letterpress/base/picture_extension.h"

namespace letterpress::annotations {
namespace {

std::string in_capitals(std::string_view text) {
  std::string capitals(text);
  for (char& c : capitals) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  return capitals;
}

// ".jpg", ".JPG", ...
const std::vector<std::string>& extensions() {
  static const std::vector<std::string> all = [] {
    std::vector<std::string> both;
    for (const PictureExtension& known : picture_extensions()) {
      both.push_back("." + std::string(known.extension));
      both.push_back("." + in_capitals(known.extension));
    }
    return both;
  }();
  return all;
}

}  // namespace

std::vector<std::string> picture_names_by_id(const std::string& id, const std::string& filename) {
  const std::string stated =
      has_picture_extension(filename) ? filename.substr(filename.rfind('.')) : ".jpg";
  std::vector<std::string> names;
  names.reserve(extensions().size() + 2);
  names.push_back(id + stated);
  for (const std::string& extension : extensions()) {
    if (stated != extension) names.push_back(id + extension);
  }
  if (!filename.empty() && filename != names.front()) names.push_back(filename);
  return names;
}

}  // namespace letterpress::annotations
