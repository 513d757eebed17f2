#include <optional>

#include "formats/annotations/files/archive.h"
#include "formats/annotations/files/file_tree.h"
#include "formats/annotations/files/text.h"
#include "formats/annotations/readers/folders/cifar.h"
#include "letterpress/base/error.h"
#include "letterpress/base/file.h"

namespace letterpress {
namespace annotations {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const std::string& path) {
  throw Error({.where = path,
               .what = "there is no such picture",
               .fix = "restore it, or run `build`, which leaves it out"},
              Exit::no_input);
}

// A record of a batch: "data_batch_1.bin/17".
FileBytes record_at(const FileTree& files, const fs::path& path) {
  const auto record = parse_integer(path.filename().string());
  if (!record || *record < 0 || !files.file_fault(path.parent_path().string()).empty())
    fail(path.string());
  FileBytes batch = files.bytes_of(path.parent_path());
  const std::int64_t size =
      batch.length >= 0 ? batch.length : File::open_to_read(batch.path).size();
  if (*record >= size / kCifarRecord) fail(path.string());
  return {batch.path, batch.offset + *record * kCifarRecord, kCifarRecord};
}

}  // namespace
}  // namespace annotations

std::string picture_path(const Item& item) {
  return item.member.empty() ? item.path : item.path + "/" + item.member;
}

FileBytes find_picture(const std::string& path, const std::filesystem::path& unpacked) {
  using namespace annotations;
  const std::optional<Archive> archive = archive_on_the_way(path, unpacked);
  const FileTree files = archive ? FileTree(*archive) : FileTree();
  return files.file_fault(path).empty() ? files.bytes_of(path) : record_at(files, path);
}

std::vector<std::string> pictures_in_archive(const std::string& path,
                                             const std::filesystem::path& unpacked) {
  const std::optional<annotations::Archive> archive =
      annotations::archive_on_the_way(path, unpacked);
  if (!archive) return {};
  return annotations::FileTree(*archive).files_below(archive->real_path(), "");
}

}  // namespace letterpress
