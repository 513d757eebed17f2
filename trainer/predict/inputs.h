#pragma once
#include <filesystem>
#include <set>
#include <string>
#include <vector>

namespace letterpress {

/// A picture to predict on, and the name of its results.
struct PictureInput {
  std::filesystem::path file;
  std::filesystem::path name;  ///< below --out: the file's name, or its path within the folder that was given
};

/// Files as given; folders with all pictures below them (.jpg .jpeg .png .bmp .tif .tiff .webp, any case) in the order of their names.
/// Throws Error (no_input) for what is not there and when there is no picture at all.
std::vector<PictureInput> find_pictures(const std::vector<std::string>& inputs);

/// Where the drawn picture goes: "<out>/<name>" with the suffix .png. A name that was taken before gets "-2", "-3", ...
class DrawnNames {
 public:
  explicit DrawnNames(std::filesystem::path out) : out_(std::move(out)) {}
  std::filesystem::path next(const std::filesystem::path& name);

 private:
  std::filesystem::path out_;
  std::set<std::filesystem::path> taken_;
};

}  // namespace letterpress
