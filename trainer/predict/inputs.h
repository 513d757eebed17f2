#pragma once
#include <filesystem>
#include <istream>
#include <set>
#include <string>
#include <vector>

#include "letterpress/base/reject.h"

namespace letterpress {

/// A picture to predict on, and the name of its results.
struct PictureInput {
  std::filesystem::path file;
  std::filesystem::path
      name;  ///< below --out: the file's name, or its path within the folder that was given
};

/// Files as given; folders with all pictures below them (picture_extensions()) in the order of
/// their names; lists (".txt") with a picture per line, relative to the list's folder; "-" is such
/// a list on `standard_input`, relative to the working folder. A picture of a list is named by the
/// path in the list, or by its file name when that path is absolute or leads upwards. Entries of a
/// folder that can be neither read nor entered (links to nothing or back to a folder above, folders
/// without permission, FIFOs, devices), pictures of formats that are not read (.gif, .heic, ...),
/// and lines of a list that do not name a file, go to `left_out`. Throws Error (no_input) for an
/// input that does not exist, a folder that cannot be listed and when there is no picture at all.
std::vector<PictureInput> find_pictures(const std::vector<std::string>& inputs,
                                        std::vector<Reject>& left_out,
                                        std::istream& standard_input);

/// The file of the drawn picture: "<out>/<name>" with the suffix .png. A name that is already taken
/// gets "-2", "-3", ...
class DrawnNames {
 public:
  explicit DrawnNames(std::filesystem::path out) : out_(std::move(out)) {}
  std::filesystem::path next(const std::filesystem::path& name);

 private:
  std::filesystem::path out_;
  std::set<std::filesystem::path> taken_;
};

/// Throws Error (cannot_create) when a drawn picture would replace one of `pictures`.
void check_drawn_names(const std::vector<PictureInput>& pictures, const std::filesystem::path& out);
/// The same of the file of --frames-out and the pictures or any of `others`.
void check_frames_name(const std::filesystem::path& frames,
                       const std::vector<PictureInput>& pictures,
                       const std::vector<std::filesystem::path>& others);

}  // namespace letterpress
