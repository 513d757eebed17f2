#include "trainer/predict/inputs.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <iostream>
#include <sstream>

#include "letterpress/base/error.h"
#include "letterpress/base/file.h"
#include "letterpress/base/look.h"
#include "letterpress/base/picture_extension.h"

namespace letterpress {
namespace fs = std::filesystem;
namespace {

/// Walks a folder and leaves out what cannot be read, where the standard library's iterators would
/// throw.
class FolderWalk {
 public:
  FolderWalk(const fs::path& top, std::vector<Reject>& left_out) : top_(top), left_out_(left_out) {
    enter(top);
  }
  std::vector<PictureInput> found() && {
    std::sort(found_.begin(), found_.end(),
              [](const PictureInput& a, const PictureInput& b) { return a.name < b.name; });
    return std::move(found_);
  }

 private:
  void enter(const fs::path& folder) {
    std::error_code error;
    const fs::path real = fs::canonical(folder, error);
    if (error && !says_absent(error.value()))
      throw reading_error(folder.string(), "cannot be entered", error.value());
    if (error) return leave_out(folder, "cannot be entered: " + error.message());
    if (std::find(above_.begin(), above_.end(), real) != above_.end())
      return leave_out(folder, "is a link back to a folder above it");
    above_.push_back(real);
    fs::directory_iterator entry;
    do entry = fs::directory_iterator(folder, error);
    while (error == std::errc::interrupted);
    for (; !error && entry != fs::directory_iterator(); entry.increment(error))
      visit(entry->path());
    const bool fails = error && !says_absent(error.value());  // a disk or a server: none is known
    if (fails || (error && folder == top_)) {
      throw Error({.where = folder.string(),
                   .what = "cannot be listed: " + error.message(),
                   .fix = error == std::errc::permission_denied
                              ? "give this user read access to the folder, or name another one"
                              : "look at its disk or mount, or name another one"},
                  fails ? Exit::io : Exit::no_input);
    }
    if (error) leave_out(folder, "cannot be listed: " + error.message());
    above_.pop_back();
  }

  void visit(const fs::path& path) {
    std::error_code error;
    const fs::file_status status = fs::status(path, error);
    if (status.type() == fs::file_type::not_found) return leave_out(path, "is a link to nothing");
    if (error) return leave_out(path, "cannot be examined: " + error.message());
    if (fs::is_directory(status)) return enter(path);
    if (!fs::is_regular_file(status))
      return leave_out(path, "is not a regular file (a FIFO, socket or device)");
    if (has_picture_extension(path.native())) {
      found_.push_back({path, path.lexically_relative(top_)});
    } else if (has_unread_picture_extension(path.native())) {
      left_out_.push_back({path.string(), path.extension().string() + " pictures are not read",
                           "convert it to JPEG or PNG"});
    }
  }

  void leave_out(const fs::path& path, const std::string& what) {
    left_out_.push_back({path.string(), what, "it is left out"});
  }

  fs::path top_;
  std::vector<Reject>& left_out_;
  std::vector<fs::path> above_;  // the folders that are open, without links
  std::vector<PictureInput> found_;
};

// A line of a list, under a name that does not lead outside --out.
PictureInput listed(const fs::path& folder, const fs::path& line) {
  const fs::path plain = line.lexically_normal();
  const bool outside = plain.is_absolute() || *plain.begin() == "..";
  return {line.is_absolute() ? line : folder / line, outside ? plain.filename() : plain};
}

void read_list(std::istream& lines, const std::string& name, const fs::path& folder,
               std::vector<PictureInput>& pictures, std::vector<Reject>& left_out) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  std::size_t number = 0;
  for (std::string line; std::getline(lines, line);) {
    if (++number == 1 && line.starts_with(kByteOrderMark)) line.erase(0, kByteOrderMark.size());
    if (line.ends_with('\r')) line.pop_back();
    if (line.empty()) continue;
    if (line.find('\0') != std::string::npos)
      throw Error({.where = name + ":" + std::to_string(number),
                   .what = "holds a NUL byte, must be a list of one picture per line",
                   .fix = "write line ends between the names (find without -print0)"});
    PictureInput picture = listed(folder, line);
    std::error_code error;
    if (fs::is_regular_file(picture.file, error)) {
      pictures.push_back(std::move(picture));
    } else {
      left_out.push_back({name + ":" + std::to_string(number),
                          picture.file.string() + " is not an existing file", "it is left out"});
    }
  }
}

// Where nothing is left, what was left out says why.
std::string left_out_text(const std::vector<Reject>& left_out) {
  if (left_out.empty()) return "";
  return "of " + std::to_string(left_out.size()) +
         " left out the first: " + left_out.front().where + ": " + left_out.front().what;
}

bool is_list(const fs::path& path) { return path.extension() == ".txt"; }

}  // namespace

std::vector<PictureInput> find_pictures(const std::vector<std::string>& inputs,
                                        std::vector<Reject>& left_out,
                                        std::istream& standard_input) {
  std::vector<PictureInput> pictures;
  for (const std::string& input : inputs) {
    if (input == "-") {
      read_list(standard_input, "stdin", "", pictures, left_out);
      if (&standard_input == &std::cin && std::ferror(stdin))
        throw reading_error("stdin", "cannot be read", errno);
      continue;
    }
    std::error_code error;
    const fs::file_status status = fs::status(input, error);
    if (status.type() == fs::file_type::not_found) {
      throw Error({.where = input,
                   .what = "does not exist",
                   .fix = "--input takes pictures, folders or lists"},
                  Exit::no_input);
    }
    if (error && !says_absent(error.value()))
      throw reading_error(input, "cannot be reached", error.value());
    if (error)
      throw Error({.where = input,
                   .what = "cannot be reached: " + error.message(),
                   .fix = "--input takes pictures, folders or lists"},
                  Exit::no_input);
    if (fs::is_regular_file(status) && is_list(input)) {
      std::istringstream lines(read_file(input));
      read_list(lines, input, fs::path(input).parent_path(), pictures, left_out);
      continue;
    }
    if (!fs::is_directory(status)) {
      pictures.push_back({input, fs::path(input).filename()});
      continue;
    }
    const std::vector<PictureInput> below = FolderWalk(input, left_out).found();
    pictures.insert(pictures.end(), below.begin(), below.end());
  }
  if (pictures.empty())
    throw Error({.where = inputs.front(),
                 .what = "holds no picture and names none (" + picture_extensions_text() + ")",
                 .fix = left_out_text(left_out)},
                Exit::no_input);
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

void check_drawn_names(const std::vector<PictureInput>& pictures,
                       const std::filesystem::path& out) {
  std::set<std::filesystem::path> sources;
  for (const PictureInput& picture : pictures)
    sources.insert(std::filesystem::weakly_canonical(picture.file));
  DrawnNames names(out);
  for (const PictureInput& picture : pictures) {
    const std::filesystem::path drawn = names.next(picture.name);
    if (!sources.contains(std::filesystem::weakly_canonical(drawn))) continue;
    throw Error({.where = "--out " + out.string(),
                 .what = "the drawing of " + picture.file.string() + " would replace the picture " +
                         drawn.string(),
                 .fix = "name another folder, or pass --no-draw"},
                Exit::cannot_create);
  }
}

void check_frames_name(const std::filesystem::path& frames,
                       const std::vector<PictureInput>& pictures,
                       const std::vector<std::filesystem::path>& others) {
  std::vector<std::filesystem::path> taken = others;
  for (const PictureInput& picture : pictures) taken.push_back(picture.file);
  const std::filesystem::path written = std::filesystem::weakly_canonical(frames);
  for (const std::filesystem::path& file : taken) {
    if (std::filesystem::weakly_canonical(file) != written) continue;
    throw Error({.where = "--frames-out " + frames.string(),
                 .what = "would replace " + file.string() + ", which predict reads or writes too",
                 .fix = "name another file"},
                Exit::cannot_create);
  }
}

}  // namespace letterpress
