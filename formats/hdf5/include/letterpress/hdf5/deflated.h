#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "letterpress/base/file.h"
#include "letterpress/hdf5/hdf5.h"

namespace letterpress::hdf5 {

/// A dataset whose rows (elements of the first dimension) are one chunk each, through HDF5's own
/// deflate filter and nothing else: any program with HDF5 reads it, and so does one that inflates
/// the chunks itself.
struct DeflatedRows {
  Number number = Number::u8;
  std::vector<std::int64_t> shape{};
  std::vector<FileRange> rows{};  ///< shape[0] of them, each a zlib stream, RFC 1950
};

/// A dataset without rows yet. level: 1..9, stored as information on how it was made; nothing
/// depends on it.
void create_deflated_rows(const File& file, const std::string& name, Number number,
                          const std::vector<std::int64_t>& shape, int level);
/// Writes all its rows in order, each as the zlib stream that `deflated` returns for its number.
/// Equal streams give equal files.
void write_deflated_rows(const File& file, const std::string& name,
                         const std::function<std::span<const std::byte>(std::int64_t)>& deflated);
/// Where the rows are. Throws Error naming file and dataset when it is absent, not made like this,
/// or lacks a row, and when rows overlap or reach past the end of the file. The time grows with the
/// square of their number: HDF5 1.10 counts from the first for each (18 ms for 2,048).
DeflatedRows find_deflated_rows(const File& file, const std::string& name);

}  // namespace letterpress::hdf5
