#pragma once
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "letterpress/base/error.h"
#include "letterpress/base/hash.h"

struct stat;  // <sys/stat.h>

namespace letterpress {

// The one place where Letterpress touches files: what opens, reads, writes, links, renames, removes
// or makes a file durable is declared here, and each system call of it goes through attempt()
// (src/system_call.h), where tests make it fail (fault_hook.h). HDF5 alone has calls of its own.

/// Some bytes of a file.
struct FileRange {
  std::int64_t offset = 0;  ///< of the first
  std::int64_t bytes = 0;
};

/// An open file, closed by its owner. Positioned reads and writes are thread-safe. Every function
/// throws Error naming the path.
class File {
 public:
  File() = default;
  /// O_RDONLY | O_CLOEXEC | O_NONBLOCK (a FIFO does not block)
  static File open_to_read(const std::filesystem::path& path);
  /// An existing file, O_RDWR.
  static File open_to_write(const std::filesystem::path& path);
  /// A new file, O_RDWR. Error when it exists.
  static File create(const std::filesystem::path& path);
  File(File&& other) noexcept;
  File& operator=(File&& other) noexcept;
  ~File();

  /// Fills `bytes`; Error "cut short" when the file ends before.
  void read_at(std::int64_t offset, std::span<std::byte> bytes) const;
  void write_at(std::int64_t offset, std::span<const std::byte> bytes) const;
  std::int64_t size() const;  ///< bytes
  bool is_regular() const;
  /// Bytes. Throws Error (no_input) for a folder, FIFO or device. fix: "name a COCO JSON".
  std::int64_t regular_size(const std::string& fix = "name a file") const;
  void sync() const;  ///< fsync; a failure is final, never retried (the kernel drops the error)
  int descriptor() const noexcept { return descriptor_; }
  const std::filesystem::path& path() const noexcept { return path_; }
  explicit operator bool() const noexcept { return descriptor_ >= 0; }

 private:
  friend class TemporaryFile;
  struct ::stat status() const;
  File(int descriptor, const std::filesystem::path& path) : File(descriptor, path, path) {}
  File(int descriptor, std::filesystem::path path, std::filesystem::path name)
      : descriptor_(descriptor), path_(std::move(path)), name_(std::move(name)) {}
  int descriptor_ = -1;
  std::filesystem::path path_, name_;  // name_: what messages call it
};

/// The error of work on a file that people know by another name: with `to` wherever it names
/// `from`.
Error renamed(const Error& error, const std::filesystem::path& from,
              const std::filesystem::path& to);

/// A file that exists under its final name whole or not at all.
/// The constructor creates `folder`/<unique name>; link_as() or replace() make it durable under its
/// name; the destructor removes it otherwise. No message has the unique name, which nobody knows:
/// those of file() name the folder.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::filesystem::path& folder);
  /// `folder`/`name`, which has to be free.
  TemporaryFile(const std::filesystem::path& folder, const std::string& name);
  TemporaryFile(TemporaryFile&&) noexcept;
  TemporaryFile& operator=(TemporaryFile&&) noexcept;
  ~TemporaryFile();

  const std::filesystem::path& path() const noexcept { return path_; }
  File& file() noexcept { return file_; }
  /// As File::write_at, but a failure names `name`, which the file will have.
  void write_at(std::int64_t offset, std::span<const std::byte> bytes,
                const std::filesystem::path& name) const;
  /// work(path()), for those who write it by its path; what they throw names `name`.
  template <class Work>
  auto under_name(const std::filesystem::path& name, Work work) const {
    try {
      return work(path_);
    } catch (const Error& error) {
      throw renamed(error, path_, name);
    }
  }

  /// fsync, mode 0444, link to `name` without replacing, fsync its folder; where the file system
  /// has no hard links, a rename without replacing. False when `name` exists already (another
  /// process was first; the caller compares the content where it matters).
  [[nodiscard]] bool link_as(const std::filesystem::path& name);
  /// fsync, rename over `name`, fsync its folder.
  void replace(const std::filesystem::path& name);

 private:
  static File create_in(const std::filesystem::path& folder, const std::filesystem::path& path);

  std::filesystem::path path_;
  File file_;
};

/// Removes what a killed process left in `folder`: files with names of TemporaryFile. Only for a
/// caller that knows that nobody else writes there, for instance under a FileLock. Throws Error
/// when one cannot be removed.
void remove_temporary_files(const std::filesystem::path& folder);

/// A whole regular file. Error otherwise (no_input when it is missing).
std::string read_file(const std::filesystem::path& path);
Hash128 hash_file(const std::filesystem::path& path);  ///< hash128() of all its bytes
/// The same into `bytes`, whose memory is used again.
void read_file(const std::filesystem::path& path, std::vector<std::byte>& bytes);
/// A file of this content under a name that is free; false when it is taken.
/// TemporaryFile::link_as.
[[nodiscard]] bool write_new_file(const std::filesystem::path& name, std::string_view content,
                                  const std::filesystem::path& temporary_folder);
void replace_file(const std::filesystem::path& name, std::string_view content);
/// One write with O_APPEND, then fsync, of a new file's folder too.
void append_line(const std::filesystem::path& path, std::string_view line);
/// mkdir -p; the parent of each new folder is fsynced.
void make_folders(const std::filesystem::path& path);
/// A new folder in `parent`, named `start` and six characters more, that only this user may enter
/// (mkdtemp).
std::filesystem::path make_unique_folder(const std::filesystem::path& parent,
                                         const std::string& start);
/// Over an empty folder too (POSIX.1-2017, rename); the folder of `to` is fsynced.
void rename_folder(const std::filesystem::path& from, const std::filesystem::path& to);
void set_time_to_now(const std::filesystem::path& path);  ///< of the last change of its content
void remove_file(const std::filesystem::path& path);      ///< no error when it is gone already
/// With all that it holds; of a symbolic link, the link alone. No error when it is gone already.
void remove_folder(const std::filesystem::path& path);
/// remove_folder() after a failure: what cannot be removed stays.
void discard_folder(const std::filesystem::path& path) noexcept;
void sync_folder(const std::filesystem::path& path);
/// All that was written to the file system that holds `path` (syncfs).
void sync_file_system(const std::filesystem::path& path);
std::int64_t free_bytes(const std::filesystem::path& folder);
/// `path` where it is a folder, else the nearest folder above it that is there.
std::filesystem::path existing_folder(const std::filesystem::path& path);

/// flock on a file that is never deleted: a dead process never blocks the next. Held until
/// destruction.
class FileLock {
 public:
  /// Throws Error (busy) naming the path when another process holds it.
  explicit FileLock(const std::filesystem::path& path);

 private:
  File file_;
};

}  // namespace letterpress
