#include "letterpress/weights/safetensors.h"

#include <algorithm>
#include <bit>

#include "letterpress/base/error.h"
#include "letterpress/base/file.h"
#include "letterpress/base/folder.h"
#include "letterpress/base/suggest.h"
#include "safetensors_header.h"

namespace letterpress {
namespace fs = std::filesystem;
namespace {

static_assert(std::endian::native == std::endian::little,
              "the format is little-endian; so are the arrays in memory");
constexpr std::int64_t kLengthBytes = 8;
constexpr std::uint64_t kMaxHeaderBytes = 100'000'000;  // the reference reader's own limit

// Widest values first, then by name: every array begins at a multiple of its value's size, as the
// reference writer does it.
std::vector<const ArrayView*> file_order(const std::vector<ArrayView>& arrays) {
  std::vector<const ArrayView*> order;
  for (const ArrayView& array : arrays) order.push_back(&array);
  std::sort(order.begin(), order.end(), [](const ArrayView* a, const ArrayView* b) {
    return std::pair(size_of(b->type), std::string_view(a->name)) <
           std::pair(size_of(a->type), std::string_view(b->name));
  });
  return order;
}

SafetensorsHeader header_of(const std::vector<const ArrayView*>& arrays,
                            const std::map<std::string, std::string>& metadata) {
  SafetensorsHeader header{.arrays = {}, .metadata = metadata};
  std::int64_t end = 0;
  for (const ArrayView* array : arrays) {
    const auto bytes = static_cast<std::int64_t>(array->bytes.size());
    const std::int64_t wanted =
        element_count(array->shape) * static_cast<std::int64_t>(size_of(array->type));
    if (bytes != wanted) {
      throw Error("array '" + array->name + "' has " + std::to_string(bytes) +
                      " bytes, its shape makes it " + std::to_string(wanted),
                  Exit::bug);
    }
    const bool added =
        array->name != "__metadata__" &&
        header.arrays.emplace(array->name, StoredArray{array->type, array->shape, end, bytes})
            .second;
    if (!added)
      throw Error(
          "array '" + array->name + "' is given twice, or named as the format's own metadata",
          Exit::bug);
    end += bytes;
  }
  return header;
}

}  // namespace

void write_safetensors(const fs::path& file, const std::vector<ArrayView>& arrays,
                       const std::map<std::string, std::string>& metadata) {
  const std::vector<const ArrayView*> order = file_order(arrays);
  std::string text;
  try {
    text = header_text(header_of(order, metadata));
  } catch (const Error& error) {
    throw Error({.where = file.string(), .what = std::string("cannot be written: ") + error.what()},
                error.exit());
  }
  if (text.size() > kMaxHeaderBytes) {
    throw Error({.where = file.string(),
                 .what = "cannot be written: header of " + std::to_string(text.size()) +
                         " bytes, must be at most " + std::to_string(kMaxHeaderBytes)});
  }
  TemporaryFile temporary(folder_of(file));
  const std::uint64_t length = text.size();
  temporary.write_at(0, std::as_bytes(std::span(&length, 1)), file);
  temporary.write_at(kLengthBytes, std::as_bytes(std::span(text)), file);
  std::int64_t offset = kLengthBytes + static_cast<std::int64_t>(length);
  for (const ArrayView* array : order) {
    temporary.write_at(offset, array->bytes, file);
    offset += static_cast<std::int64_t>(array->bytes.size());
  }
  temporary.replace(file);
}

struct SafetensorsFile::Content {
  File file;
  SafetensorsHeader header;
  std::int64_t data_begin = 0;
};

SafetensorsFile::SafetensorsFile(const fs::path& file) : content_(std::make_unique<Content>()) {
  content_->file = File::open_to_read(file);
  const std::int64_t size = content_->file.regular_size();
  const auto fail = [&](const std::string& what, const std::string& fix) {
    throw Error(
        {.where = file.string(), .what = "not a readable safetensors file: " + what, .fix = fix});
  };
  if (size < kLengthBytes)
    fail(std::to_string(size) + " bytes are too few for the header's length",
         "the file was cut, copy it again");
  std::uint64_t length = 0;
  content_->file.read_at(0, std::as_writable_bytes(std::span(&length, 1)));
  if (length > kMaxHeaderBytes || length > static_cast<std::uint64_t>(size - kLengthBytes)) {
    fail("its header claims " + std::to_string(length) + " bytes, the file has " +
             std::to_string(size) + " (and a header must be at most " +
             std::to_string(kMaxHeaderBytes) + ")",
         "it was cut, or is of another format");
  }
  std::string text(length, '\0');
  content_->file.read_at(kLengthBytes, std::as_writable_bytes(std::span(text)));
  content_->data_begin = kLengthBytes + static_cast<std::int64_t>(length);
  try {
    content_->header = parse_header(text, size - content_->data_begin);
  } catch (const Error& error) {
    fail(error.what(), "the file is damaged, copy it again");
  }
}

SafetensorsFile::~SafetensorsFile() = default;
SafetensorsFile::SafetensorsFile(SafetensorsFile&&) noexcept = default;

const std::map<std::string, SafetensorsFile::Array>& SafetensorsFile::arrays() const noexcept {
  return content_->header.arrays;
}
const std::map<std::string, std::string>& SafetensorsFile::metadata() const noexcept {
  return content_->header.metadata;
}

void SafetensorsFile::read(const std::string& name, std::span<std::byte> bytes) const {
  const std::string where = content_->file.path().string();
  const auto found = arrays().find(name);
  if (found == arrays().end()) {
    std::vector<std::string> known;
    for (const auto& [known_name, array] : arrays()) known.push_back(known_name);
    known = nearest_first(name, known);
    known.resize(std::min<std::size_t>(known.size(), 5));
    throw Error({.where = where, .what = unknown_name("array", name, known)});
  }
  const Array& array = found->second;
  if (bytes.size() != static_cast<std::size_t>(array.bytes)) {
    throw Error({.where = where,
                 .what = "array '" + name + "' has " + std::to_string(array.bytes) +
                         " bytes, room is given for " + std::to_string(bytes.size())},
                Exit::bug);
  }
  content_->file.read_at(content_->data_begin + array.offset, bytes);
}

}  // namespace letterpress
