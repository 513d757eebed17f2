#pragma once
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace letterpress {

/// Where the bytes of a picture lie as they are.
struct PicturePlace {
  std::filesystem::path file;
  std::int64_t offset = 0, length = 0;
};

/// The bytes of pictures, in files of their own or within archives, which are opened once. Any
/// number of threads may read.
class PictureFiles {
 public:
  /// unpacked: as AnnotationOptions has it.
  explicit PictureFiles(std::filesystem::path unpacked = {});
  ~PictureFiles();

  /// Bytes of a picture: path, offset and length of an Item, a plan or find_picture(). A picture in
  /// an archive or batch is part of the file that its path is or leads through. Throws Error when
  /// they cannot be read; the message tells what the file is instead.
  void read(const std::string& path, std::int64_t offset, std::int64_t length,
            std::vector<std::byte>& bytes) const;
  /// Of the same bytes. None for an entry of a zip archive, which is inflated or at least checked
  /// as a whole, and for what is not a file: read() says what that is.
  std::optional<PicturePlace> place(const std::string& path, std::int64_t offset,
                                    std::int64_t length) const;

 private:
  struct Container;
  const Container& container_of(const std::string& path) const;

  const std::filesystem::path unpacked_;
  mutable std::mutex mutex_;
  mutable std::map<std::string, std::unique_ptr<const Container>, std::less<>> containers_;
};

}  // namespace letterpress
