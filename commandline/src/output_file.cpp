#include "letterpress/commandline/output_file.h"

#include <filesystem>
#include <fstream>

#include "letterpress/base/error.h"

namespace letterpress {

namespace {

// An empty file too: mktemp leaves such.
bool is_of(const FileKind& kind, const std::filesystem::path& file) {
  if (std::filesystem::is_regular_file(file) && std::filesystem::file_size(file) == 0) return true;
  std::string found(kind.mark.size(), '\0');
  std::ifstream stream(file, std::ios::binary);
  stream.seekg(static_cast<std::streamoff>(kind.at));
  stream.read(found.data(), static_cast<std::streamsize>(found.size()));
  return stream.good() && found == kind.mark;
}

}  // namespace

void check_output_file(const std::string& flag, const std::string& given, const FileKind& wanted) {
  const auto refuse = [&](const std::string& what, const std::string& fix) {
    throw Error({.where = flag + " " + (given.empty() ? "''" : given), .what = what, .fix = fix},
                Exit::cannot_create);
  };
  if (given.empty()) refuse("names no file", "give the name of " + wanted.name);
  const std::filesystem::path file = std::filesystem::absolute(given);
  if (std::filesystem::is_directory(file)) refuse("is a folder", "give the name of " + wanted.name);
  if (!std::filesystem::is_directory(file.parent_path())) {
    refuse("there is no folder " + file.parent_path().string(), "make it, or name another file");
  }
  std::error_code ignored;
  // Outputs are renamed into their place: as root that would make a plain file of /dev/null, and of
  // the link /dev/stdout.
  if (std::filesystem::is_other(file, ignored) ||
      std::filesystem::canonical(file.parent_path(), ignored) == "/dev") {
    refuse("is a device, FIFO or socket, which would be replaced", "name a file");
  }
  if (wanted.mark.empty() || !std::filesystem::exists(file, ignored) || is_of(wanted, file)) return;
  refuse("is there and is not " + wanted.name, "name another file, or remove this one");
}

void check_is_not_input(const std::string& flag, const std::string& given, const std::string& input,
                        const std::string& name) {
  if (given.empty() || input.empty() ||
      std::filesystem::weakly_canonical(given) != std::filesystem::weakly_canonical(input))
    return;
  throw Error({.where = flag + " " + given, .what = "is " + name, .fix = "name another file"},
              Exit::cannot_create);
}

}  // namespace letterpress
