#pragma once
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace letterpress {

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
  static File open_to_read(
      const std::filesystem::path&
          path);  ///< O_RDONLY | O_CLOEXEC | O_NONBLOCK (a FIFO does not block)
  static File open_to_write(const std::filesystem::path& path);  ///< existing file, O_RDWR
  static File create(
      const std::filesystem::path& path);  ///< new file, O_RDWR; Error when it exists
  File(File&& other) noexcept;
  File& operator=(File&& other) noexcept;
  ~File();

  void read_at(std::int64_t offset,
               std::span<std::byte> bytes) const;  ///< all of them, else Error: "cut short"
  void write_at(std::int64_t offset, std::span<const std::byte> bytes) const;
  std::int64_t size() const;
  bool is_regular() const;
  void sync() const;  ///< fsync; a failure is final, never retried (the kernel drops the error)
  int descriptor() const noexcept { return descriptor_; }
  const std::filesystem::path& path() const noexcept { return path_; }
  explicit operator bool() const noexcept { return descriptor_ >= 0; }

 private:
  File(int descriptor, std::filesystem::path path)
      : descriptor_(descriptor), path_(std::move(path)) {}
  int descriptor_ = -1;
  std::filesystem::path path_;
};

/// A file that exists under its final name whole or not at all.
/// The constructor creates `folder`/<unique name>; publish() or replace() make it durable under its
/// name; the destructor removes it otherwise.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::filesystem::path& folder);
  TemporaryFile(TemporaryFile&&) noexcept;
  TemporaryFile& operator=(TemporaryFile&&) noexcept;
  ~TemporaryFile();

  const std::filesystem::path& path() const noexcept { return path_; }
  File& file() noexcept { return file_; }
  /// As File::write_at; a failure names `name`, which the file is to have: nobody knows its unique
  /// one.
  void write_at(std::int64_t offset, std::span<const std::byte> bytes,
                const std::filesystem::path& name) const;

  /// fsync, mode 0444, link to `name` without replacing, fsync its folder. False when `name` exists
  /// already (somebody else won; the content is the caller's question).
  [[nodiscard]] bool publish(const std::filesystem::path& name);
  /// fsync, rename over `name`, fsync its folder.
  void replace(const std::filesystem::path& name);

 private:
  std::filesystem::path path_;
  File file_;
};

/// Removes what a killed process left in `folder`: files with names of TemporaryFile. Only for who
/// knows that nobody else writes there, for instance under a FileLock. Throws Error when one cannot
/// be removed.
void remove_temporary_files(const std::filesystem::path& folder);

std::string read_file(const std::filesystem::path& path);  ///< whole regular file; Error otherwise
                                                           ///< (no_input if it is missing)
void read_file(const std::filesystem::path& path,
               std::vector<std::byte>& bytes);  ///< re-uses the vector's memory
[[nodiscard]] bool publish_file(const std::filesystem::path& name, std::string_view content,
                                const std::filesystem::path& temporary_folder);
void replace_file(const std::filesystem::path& name, std::string_view content);
void append_line(const std::filesystem::path& path,
                 std::string_view line);  ///< one write with O_APPEND, then fsync
void make_folders(
    const std::filesystem::path& path);  ///< mkdir -p; each new folder's parent is fsynced
/// A new folder in `parent`, named `start` and six characters more, that only this user may enter
/// (mkdtemp).
std::filesystem::path make_unique_folder(const std::filesystem::path& parent,
                                         const std::string& start);
/// Over an empty folder too (POSIX.1-2017, rename); the folder of `to` is fsynced.
void rename_folder(const std::filesystem::path& from, const std::filesystem::path& to);
void set_time_to_now(const std::filesystem::path& path);  ///< of the last change of its content
void remove_file(const std::filesystem::path& path);      ///< no error when it is gone already
void remove_folder(
    const std::filesystem::path& path);  ///< with all it holds; no error when it is gone already
void discard_folder(
    const std::filesystem::path&
        path) noexcept;  ///< remove_folder() after a failure: what cannot be removed stays
void sync_folder(const std::filesystem::path& path);
void sync_file_system(const std::filesystem::path&
                          path);  ///< all that was written to the one that holds `path` (syncfs)
std::int64_t free_bytes(const std::filesystem::path& folder);

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
