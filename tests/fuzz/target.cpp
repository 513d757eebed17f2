#include "target.h"

#include <cstdio>
#include <cstdlib>
#include <fstream>

#include "letterpress/base/error.h"

namespace letterpress {

std::string wrong_with(const FuzzTarget& target, const std::filesystem::path& folder,
                       std::span<const std::byte> bytes) try {
  target.read(folder, bytes);
  return "";
} catch (const Error& error) {
  const std::string message = error.what();
  if (error.exit() == Exit::bug) return "an Error of a bug: " + message;
  return message.size() < 10 ? "an Error that says only '" + message + "'" : "";
}

void broken_promise(const std::string& text) {
  std::fprintf(stderr, "broken promise: %s\n", text.c_str());
  std::abort();
}

std::filesystem::path write_bytes(const std::filesystem::path& file,
                                  std::span<const std::byte> bytes) {
  std::ofstream stream(file, std::ios::binary | std::ios::trunc);
  stream.write(reinterpret_cast<const char*>(bytes.data()),
               static_cast<std::streamsize>(bytes.size()));
  stream.close();
  if (!stream) broken_promise("cannot write " + file.string());
  return file;
}

std::vector<std::byte> behind(std::string_view begin, std::span<const std::byte> bytes) {
  const auto head = std::as_bytes(std::span(begin));
  std::vector<std::byte> whole(head.begin(), head.end());
  whole.insert(whole.end(), bytes.begin(), bytes.end());
  return whole;
}

std::string_view text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace letterpress
