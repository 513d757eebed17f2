#include "trainer/predict/inputs.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "letterpress/base/error.h"

namespace letterpress {
namespace fs = std::filesystem;
namespace {

bool has_picture_suffix(const fs::path& file) {
  static constexpr std::array<const char*, 7> kSuffixes{".jpg", ".jpeg", ".png", ".bmp", ".tif", ".tiff", ".webp"};
  std::string suffix = file.extension().string();
  for (char& c : suffix) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return std::find(kSuffixes.begin(), kSuffixes.end(), suffix) != kSuffixes.end();
}

std::vector<PictureInput> pictures_below(const fs::path& folder) {
  std::vector<PictureInput> found;
  const auto options = fs::directory_options::follow_directory_symlink;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder, options)) {
    if (entry.is_regular_file() && has_picture_suffix(entry.path()))
      found.push_back({entry.path(), entry.path().lexically_relative(folder)});
  }
  std::sort(found.begin(), found.end(), [](const PictureInput& a, const PictureInput& b) { return a.name < b.name; });
  return found;
}

}  // namespace

std::vector<PictureInput> find_pictures(const std::vector<std::string>& inputs) {
  std::vector<PictureInput> pictures;
  for (const std::string& input : inputs) {
    if (!fs::exists(input)) throw Error(input + ": is not there; --input wants pictures or folders", Exit::no_input);
    if (!fs::is_directory(input)) {
      pictures.push_back({input, fs::path(input).filename()});
      continue;
    }
    const std::vector<PictureInput> below = pictures_below(input);
    pictures.insert(pictures.end(), below.begin(), below.end());
  }
  if (pictures.empty()) throw Error(inputs.front() + ": holds no picture (.jpg .jpeg .png .bmp .tif .tiff .webp)", Exit::no_input);
  return pictures;
}

fs::path DrawnNames::next(const fs::path& name) {
  fs::path wanted = (out_ / name).replace_extension(".png");
  for (int number = 2; !taken_.insert(wanted).second; ++number) {
    wanted = (out_ / name).replace_extension();
    wanted += "-" + std::to_string(number) + ".png";
  }
  return wanted;
}

}  // namespace letterpress
