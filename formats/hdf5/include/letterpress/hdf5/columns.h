#pragma once
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "letterpress/base/hash.h"
#include "letterpress/hdf5/hdf5.h"

namespace letterpress::hdf5 {

/// XXH3-128 over columns: the name, type, number of elements and elements of each. Same interface
/// as ColumnWriter, without a file.
class ColumnHasher {
 public:
  template <class T>
  void write(const std::string& name, std::span<const T> column) {
    begin(name, kNumberOf<T>, column.size()).add(std::as_bytes(column));
  }
  void write(const std::string& name, const StringColumns& strings);
  Hash128 digest() const noexcept { return hasher_.digest128(); }

 private:
  Hasher& begin(const std::string& name, Number number, std::size_t n);
  Hasher hasher_;
};

/// A file of named columns with the attributes `kind`, `format` (a number) and `checksum`
/// (ColumnHasher over all columns as written).
class ColumnWriter {
 public:
  ColumnWriter(const std::filesystem::path& path, const std::string& kind, int format);
  template <class T>
  void write(const std::string& name, std::span<const T> column) {
    write_column(file_, name, column);
    hasher_.write(name, column);
  }
  void write(const std::string& name, const StringColumns& strings);
  void finish();  ///< writes the checksum and closes; Error when that fails

 private:
  File file_;
  ColumnHasher hasher_;
};

/// Reads the columns in the order in which they were written. Every message names the file.
class ColumnReader {
 public:
  /// Throws Error when the file is not such an HDF5 file, of another kind or of a newer format.
  ColumnReader(const std::filesystem::path& path, const std::string& kind, int format);
  template <class T>
  std::vector<T> read(const std::string& name) {
    std::vector<T> column = read_column<T>(file_, name);
    hasher_.write(name, std::span<const T>(column));
    return column;
  }
  std::vector<std::string> read_strings(const std::string& name);
  bool has(const std::string& name) const;  ///< of columns that not every file of the kind has
  /// Calls read(), which must read every column, then checks the checksum. Throws Error naming the
  /// file: damaged when the checksum does not match, else what `read` threw.
  template <class Read>
  auto checked(Read read) -> decltype(read()) {
    try {
      auto content = read();
      finish();
      return content;
    } catch (const Error& error) {
      rethrow(error);
    }
  }

 private:
  void finish() const;
  [[noreturn]] void rethrow(const Error& error) const;
  std::string where_;
  File file_;
  ColumnHasher hasher_;
};

}  // namespace letterpress::hdf5
