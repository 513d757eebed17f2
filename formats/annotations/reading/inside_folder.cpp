#include "inside_folder.h"

#include <algorithm>
#include <array>

#include "letterpress/base/error.h"

namespace letterpress::annotations {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t kMostNames = 200;

bool may_hold_labels(const std::string& name) {
  constexpr std::array<std::string_view, 8> kEndings{".json", ".jsonl", ".ndjson", ".csv",
                                                     ".xml",  ".yaml",  ".yml",    ".txt"};
  return !is_left_by_a_system(name) && std::ranges::any_of(kEndings, [&](std::string_view ending) {
    return name.ends_with(ending);
  });
}

class Search {
 public:
  Search(const Input& folder, const InsideSearch& wanted) : folder_(folder), wanted_(wanted) {}

  std::vector<InsideFolder> run() {
    for (const std::string& name : folder_.files.names_in(folder_.path)) {
      if (!folder_.files.is_folder(folder_.path / name)) {
        look(name);
      } else if (is_left_by_a_system(name + "/") ||
                 (wanted_.without_pictures && folder_.files.holds_file(folder_.path / name, ""))) {
        continue;
      } else if (!look(name)) {
        for (const std::string& file : folder_.files.names_in(folder_.path / name)) {
          if (!folder_.files.is_folder(folder_.path / name / file)) look(name + "/" + file);
        }
      }
    }
    return std::move(found_);
  }

 private:
  // Whether one format fits, and only one.
  bool look(const std::string& name) {
    const bool is_folder = folder_.files.is_folder(folder_.path / name);
    if ((!is_folder && !may_hold_labels(name)) || looked_at_++ >= kMostNames) return false;
    try {
      return add(name, look_at(folder_.files, folder_.path / name));
    } catch (const Error& error) {
      if (error.exit() == Exit::io) throw;
      return false;  // what cannot be read as a whole is not a label file
    }
  }

  bool add(const std::string& name, Input input) {
    InsideFolder inside{.input = std::move(input), .name = name, .why = {}};
    for (const AnnotationFormat* format : formats()) {
      if (wanted_.format ? format != wanted_.format : std::string_view(format->name) == "folder")
        continue;
      Recognition recognition = format->recognise(inside.input, wanted_.options);
      if (!recognition.fits) continue;
      if (inside.format) return false;
      inside.format = format;
      inside.why = std::move(recognition.why);
    }
    if (!inside.format) return false;
    found_.push_back(std::move(inside));
    return true;
  }

  const Input& folder_;
  const InsideSearch& wanted_;
  std::size_t looked_at_ = 0;
  std::vector<InsideFolder> found_;
};

}  // namespace

std::vector<InsideFolder> labels_inside(const Input& folder, const InsideSearch& search) {
  return Search(folder, search).run();
}

}  // namespace letterpress::annotations
