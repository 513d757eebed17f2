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

}  // namespace

std::vector<std::string> picture_names_by_id(const std::string& id, const std::string& filename) {
  const std::string stated =
      has_picture_extension(filename) ? filename.substr(filename.rfind('.')) : ".jpg";
  std::vector<std::string> names{id + stated};
  for (const PictureExtension& known : picture_extensions()) {
    for (const std::string& extension :
         {"." + std::string(known.extension), "." + in_capitals(known.extension)}) {
      if (stated != extension) names.push_back(id + extension);
    }
  }
  if (!filename.empty() && filename != names.front()) names.push_back(filename);
  return names;
}

}  // namespace letterpress::annotations
