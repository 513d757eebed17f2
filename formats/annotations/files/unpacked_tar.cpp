#include "unpacked_tar.h"

#include <algorithm>
#include <cerrno>
#include <optional>
#include <string>

#include "letterpress/base/bytes_text.h"
#include "letterpress/base/error.h"
#include "letterpress/base/file.h"
#include "letterpress/base/file_stamp.h"
#include "letterpress/base/folder.h"
#include "letterpress/base/hash.h"
#include "tar_headers.h"

namespace letterpress::annotations {
namespace fs = std::filesystem;
namespace {

constexpr std::int64_t kLargest = std::int64_t{256} << 20, kDensest = 100;
constexpr std::size_t kTarHead = 512;  // of a tar: its first header

std::string hash_text(const std::string& text) {
  return hash128(std::as_bytes(std::span(text))).hex().substr(0, 16);
}

// One archive at one time.
std::string stamp_of(const fs::path& archive) {
  const std::optional<FileStamp> stamp = file_stamp(archive.string());
  if (!stamp) throw system_error(archive.string(), "cannot be examined", errno);
  return std::to_string(stamp->size) + " " + std::to_string(stamp->modified_ns) + " " +
         std::to_string(stamp->changed_ns);
}

[[noreturn]] void fail(const fs::path& archive, const Compression& compression,
                       const std::string& what, const char* name_it = "") {
  throw Error({.where = archive.string(),
               .what = "is compressed by " + std::string(compression.name) + what,
               .fix = "uncompress it first: " + std::string(compression.tool) + " " +
                      archive.string() + name_it});
}

// What is uncompressed, on its way into a file.
class Writer {
 public:
  Writer(const fs::path& archive, const Compression& compression, const fs::path& name)
      : archive_(archive),
        name_(name),
        compression_(compression),
        compressed_(static_cast<std::int64_t>(fs::file_size(archive))),
        file_(name.parent_path()) {}

  void take(std::span<const std::byte> bytes) {
    if (head_.size() < kTarHead) {
      const std::size_t n = std::min(kTarHead - head_.size(), bytes.size());
      head_.append(reinterpret_cast<const char*>(bytes.data()), n);
      if (head_.size() == kTarHead) require_tar();
    }
    const std::int64_t size = size_ + static_cast<std::int64_t>(bytes.size());
    if (size > kLargest && size / kDensest > compressed_)
      fail(archive_, compression_,
           ", and expands from " + bytes_text(static_cast<double>(compressed_)) + " to more than " +
               bytes_text(static_cast<double>(size_)) + ", as bombs do",
           " if you trust it");
    file_.write_at(size_, bytes, name_);
    size_ = size;
  }

  // Somebody else may have been first with the same bytes.
  void finish() {
    require_tar();
    (void)file_.link_as(name_);
  }

 private:
  void require_tar() const {
    if (!is_tar(head_)) fail(archive_, compression_, ", and does not contain a tar archive");
  }

  const fs::path &archive_, &name_;
  const Compression& compression_;
  std::int64_t compressed_, size_ = 0;
  std::string head_;
  TemporaryFile file_;
};

void remove_older(const fs::path& folder, const std::string& start, const fs::path& newest) {
  for (const std::string& name : names_in(folder)) {
    if (name != newest.filename() && name.starts_with(start)) remove_file(folder / name);
  }
}

}  // namespace

fs::path unpacked_tar(const fs::path& archive, const Compression& compression,
                      const fs::path& folder) {
  if (!compression.is_read || folder.empty())
    fail(archive, compression, ", and pictures are read in place, at their bytes");
  const fs::path real = fs::canonical(archive);
  const std::string start = hash_text(real.string()) + "-";
  const fs::path name = folder / (start + hash_text(stamp_of(real)) + ".tar");
  if (fs::exists(name)) return name;
  make_folders(folder);
  Writer writer(archive, compression, name);
  uncompress(archive, compression, [&](std::span<const std::byte> bytes) { writer.take(bytes); });
  writer.finish();
  remove_older(folder, start, name);
  return name;
}

}  // namespace letterpress::annotations
