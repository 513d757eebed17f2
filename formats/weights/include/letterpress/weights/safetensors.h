#pragma once
#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "letterpress/weights/array.h"

namespace letterpress {

/// Writes `file`, whole or not at all (temporary file, fsync, rename). Format:
/// github.com/huggingface/safetensors: u64 length of the JSON header, header, raw data. The header
/// is padded with spaces so that data start at a multiple of 8. metadata goes to __metadata__.
void write_safetensors(const std::filesystem::path& file, const std::vector<ArrayView>& arrays,
                       const std::map<std::string, std::string>& metadata);

/// An opened safetensors file. Names ascending. Throws Error naming the file when it is cut, its
/// header is not JSON or offsets do not fit.
class SafetensorsFile {
 public:
  explicit SafetensorsFile(const std::filesystem::path& file);
  ~SafetensorsFile();
  SafetensorsFile(SafetensorsFile&&) noexcept;

  using Array = StoredArray;
  const std::map<std::string, Array>& arrays() const noexcept;
  const std::map<std::string, std::string>& metadata() const noexcept;
  /// bytes <- the array, little-endian, C order. Error lists near names when there is none.
  void read(const std::string& name, std::span<std::byte> bytes) const;

 private:
  struct Content;
  std::unique_ptr<Content> content_;
};

}  // namespace letterpress
