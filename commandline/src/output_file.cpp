#include "letterpress/commandline/output_file.h"

#include <filesystem>
#include <fstream>

#include "letterpress/base/error.h"

namespace letterpress {

namespace {

// An empty file too: mktemp leaves such.
bool begins_with(const std::filesystem::path& file, std::string_view start) {
  std::string head(start.size(), '\0');
  std::ifstream stream(file, std::ios::binary);
  stream.read(head.data(), static_cast<std::streamsize>(head.size()));
  return stream.gcount() == 0
             ? std::filesystem::is_regular_file(file) && std::filesystem::file_size(file) == 0
             : head == start;
}

}  // namespace

void check_output_file(const std::string& flag, const std::string& given, const std::string& wanted,
                       std::string_view start) {
  const auto refuse = [&](const std::string& what, const std::string& fix) {
    throw Error({.where = flag + " " + (given.empty() ? "''" : given), .what = what, .fix = fix},
                Exit::cannot_create);
  };
  if (given.empty()) refuse("names no file", "give the name of " + wanted);
  const std::filesystem::path file = std::filesystem::absolute(given);
  if (std::filesystem::is_directory(file)) refuse("is a folder", "give the name of " + wanted);
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
  if (start.empty() || !std::filesystem::exists(file, ignored) || begins_with(file, start)) return;
  refuse("is there and is not " + wanted, "name another file, or remove this one");
}

}  // namespace letterpress
