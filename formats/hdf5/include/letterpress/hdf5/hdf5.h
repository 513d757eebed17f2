#pragma once
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "letterpress/hdf5/handle.h"

namespace letterpress::hdf5 {

/// Element types in use; little-endian in the file.
enum class Number { u8, u16, i32, i64, u64, f32, f64 };
template <class T>
inline constexpr Number kNumberOf = T::no_such_number;
template <>
inline constexpr Number kNumberOf<std::uint8_t> = Number::u8;
template <>
inline constexpr Number kNumberOf<std::uint16_t> = Number::u16;
template <>
inline constexpr Number kNumberOf<std::int32_t> = Number::i32;
template <>
inline constexpr Number kNumberOf<std::int64_t> = Number::i64;
template <>
inline constexpr Number kNumberOf<std::uint64_t> = Number::u64;
template <>
inline constexpr Number kNumberOf<float> = Number::f32;
template <>
inline constexpr Number kNumberOf<double> = Number::f64;

std::string to_string(Number number);  ///< "float32"
std::int64_t size_of(Number number);   ///< bytes

/// A contiguous dataset: where its elements are in the file. C order.
struct ContiguousDataset {
  Number number = Number::u8;
  std::vector<std::int64_t> shape;
  std::int64_t offset = 0;  ///< file position of the first element, 0 when there is none
  std::int64_t bytes = 0;
};
std::string to_string(const std::vector<std::int64_t>& shape);  ///< "[500, 8, 5]"

/// A new file under `path` (an existing one is emptied). Bounds V18 (its metadata carry checksums),
/// no times, objects of 4096 bytes or more aligned to 4096: equal content gives equal bytes. Throws
/// Error naming the path.
File create_file(const std::filesystem::path& path);
/// Read-only and without HDF5's file lock (shards are immutable). Throws Error "<path>: <failure>
/// (HDF5: ...); <fix>", and where what is read would be elsewhere: of a symbolic link, a FIFO, a
/// device, or when one of the root's members is a soft or external link.
File open_file(const std::filesystem::path& path,
               const std::string& failure = "not a readable HDF5 file",
               const std::string& fix = "restore or rebuild this file");
/// Flushes and closes. Unlike the destructor it throws when that fails.
void close_file(File file);

/// A contiguous dataset whose space is allocated at once and never filled, so that rows can be
/// written by position once the file is closed. No dimension may be negative.
ContiguousDataset create_dataset(const File& file, const std::string& name, Number number,
                                 const std::vector<std::int64_t>& shape);

bool has_dataset(const File& file, const std::string& name);
/// Where the elements are. Throws Error naming file and dataset when it is absent, not contiguous,
/// of another type than those of Number, or reaches past the end of the file: what it returns is
/// safe to allocate and to read.
ContiguousDataset find_dataset(const File& file, const std::string& name);

void write_elements(const File& file, const std::string& name, Number number, const void* elements,
                    std::int64_t n);
void read_elements(const File& file, const std::string& name, Number number, void* elements,
                   std::int64_t n);

/// One-dimensional dataset of numbers.
template <class T>
void write_column(const File& file, const std::string& name, std::span<const T> column) {
  write_elements(file, name, kNumberOf<T>, column.data(), static_cast<std::int64_t>(column.size()));
}
/// Throws Error when the dataset is absent, of another type or not one-dimensional.
template <class T>
std::vector<T> read_column(const File& file, const std::string& name);

/// Strings as two columns.
struct StringColumns {
  std::vector<std::uint8_t> bytes{};
  /// One more than there are strings; the first is 0, the last the number of bytes.
  std::vector<std::uint64_t> offsets{0};
  void add(std::string_view text);
};
/// <name>_bytes (uint8) and <name>_offset (uint64).
void write_strings(const File& file, const std::string& name, const StringColumns& strings);
/// Throws Error when the offsets do not ascend within the bytes.
std::vector<std::string> read_strings(const File& file, const std::string& name);
/// The columns of `strings`, and back. where: begins the message when the offsets do not fit.
StringColumns to_columns(const std::vector<std::string>& strings);
std::vector<std::string> to_strings(const StringColumns& columns, const std::string& where);

/// Scalar attributes of the root group: int64, and strings of fixed length (UTF-8, null-padded).
void write_attribute(const File& file, const std::string& name, std::int64_t value);
void write_attribute(const File& file, const std::string& name, const std::string& text);
/// Throw Error naming file and attribute when it is absent or of another kind.
std::int64_t read_integer_attribute(const File& file, const std::string& name);
std::string read_text_attribute(const File& file, const std::string& name);

std::string path_of(const File& file);  ///< as it was opened

}  // namespace letterpress::hdf5
