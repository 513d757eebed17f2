#include "letterpress/annotations/picture_files.h"

#include <filesystem>
#include <span>
#include <string_view>
#include <utility>

#include "formats/annotations/files/archive.h"
#include "formats/annotations/files/file_tree.h"
#include "formats/annotations/files/unpacked_tar.h"
#include "letterpress/base/error.h"
#include "letterpress/base/file.h"
#include "letterpress/base/file_stamp.h"
#include "letterpress/base/look.h"

namespace letterpress {
namespace fs = std::filesystem;
namespace {

constexpr std::int64_t kHead = 512;  // bytes that tell what a file is

// "/a/t.tar/x/1.png" -> "/a/t.tar"; the path itself when none of it is a file.
std::string containing_file(const std::string& path) {
  for (fs::path part = path; part.has_relative_path(); part = part.parent_path()) {
    if (is_regular_at(part)) return part.string();
  }
  return path;
}

}  // namespace

// A file that holds pictures as parts.
struct PictureFiles::Container {
  Container(const std::string& path, const fs::path& unpacked) {
    const std::string head = annotations::FileTree().read_head(path, kHead);
    const annotations::Compression* const compression = annotations::compression_of(head);
    file = File::open_to_read(compression ? annotations::unpacked_tar(path, *compression, unpacked)
                                          : fs::path(path));
    if (annotations::is_zip(head)) zip = std::make_unique<const ZipArchive>(path);
  }
  File file;
  std::unique_ptr<const ZipArchive> zip;  // empty: parts are read in place
};

PictureFiles::PictureFiles(fs::path unpacked) : unpacked_(std::move(unpacked)) {}
PictureFiles::~PictureFiles() = default;

const PictureFiles::Container& PictureFiles::container_of(const std::string& path) const {
  const std::lock_guard lock(mutex_);
  for (std::string_view part = path; !part.empty(); part = part.substr(0, part.rfind('/'))) {
    const auto known = containers_.find(part);
    if (known != containers_.end()) return *known->second;
    if (part.rfind('/') == std::string_view::npos) break;
  }
  const std::string file = containing_file(path);
  auto opened = std::make_unique<const Container>(file, unpacked_);
  return *containers_.emplace(file, std::move(opened)).first->second;
}

void PictureFiles::read(const std::string& path, std::int64_t offset, std::int64_t length,
                        std::vector<std::byte>& bytes) const {
  if (offset == 0 && length < 0) return read_file(path, bytes);
  const Container& container = container_of(path);
  if (!container.zip) {
    bytes.resize(static_cast<std::size_t>(length < 0 ? container.file.size() - offset : length));
    return container.file.read_at(offset, bytes);
  }
  const ZipEntry* const entry = container.zip->at(offset);
  if (!entry || entry->bytes != length)
    throw Error({.where = path,
                 .what = "is not in the archive where it was",
                 .fix = "is it still being copied?"});
  bytes.resize(static_cast<std::size_t>(length));
  container.zip->read(*entry, bytes);
}

std::optional<PicturePlace> PictureFiles::place(const std::string& path, std::int64_t offset,
                                                std::int64_t length) const {
  if (offset == 0 && length < 0) {
    const std::optional<FileStamp> stamp = file_stamp(path);  // once for each picture of a build
    return stamp ? std::optional(PicturePlace{path, 0, stamp->size}) : std::nullopt;
  }
  const Container& container = container_of(path);
  if (container.zip) return std::nullopt;
  return PicturePlace{container.file.path(), offset,
                      length < 0 ? container.file.size() - offset : length};
}

}  // namespace letterpress
