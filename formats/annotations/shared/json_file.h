#pragma once
#include <simdjson.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "formats/annotations/files/input.h"
#include "letterpress/base/error.h"

namespace letterpress::annotations {

namespace json = simdjson::dom;

/// A whole JSON file in memory.
class JsonFile {
 public:
  /// Throws Error (data) naming the file when it is not whole JSON.
  JsonFile(const FileTree& files, const std::filesystem::path& path);
  json::element root() const noexcept { return root_; }

 private:
  json::parser parser_;
  json::element root_;
};

/// The value as JSON writes it, for messages.
std::string written(json::element value);

/// A text as JSON; empty: it is not whole, or not JSON. Valid until the parser's next text.
std::optional<json::element> parse_json(json::parser& parser, std::string_view text);

/// Of an object's key, empty where there is no such key or it is of another type.
std::optional<double> number_at(json::element object, std::string_view key);
std::optional<std::int64_t> integer_at(json::element object, std::string_view key);
std::string text_at(json::element object, std::string_view key);  ///< "" for none
std::optional<json::element> value_at(json::element object, std::string_view key);
std::vector<json::element> list_at(json::element object, std::string_view key);  ///< of an array

std::vector<json::element> list_of(json::element value);  ///< none when it is not an array
std::optional<double> number_of(json::element value);
/// Of a number without a fraction, within the integers that a double holds: +-2^53.
std::optional<std::int64_t> integer_of(json::element value);
std::string text_of(json::element value);  ///< "" when it is not a text

/// The list (the object) that an element must be, of a picture that is read. Of anything else, null
/// too, none, and `fault`, unless it is set, says that `name` is of another type.
std::vector<json::element> list_or_fault(json::element value, const std::string& name,
                                         std::optional<Message>& fault);
std::optional<json::object> object_or_fault(json::element value, const std::string& name,
                                            std::optional<Message>& fault);
/// Of an object's key: empty where there is no such key, or null, which some tools write for none.
std::optional<json::element> value_unless_null(json::element object, std::string_view key);

/// The list of an object's key, none where that is not there or null; of anything else as
/// list_or_fault().
std::vector<json::element> list_at_or_fault(json::element object, std::string_view key,
                                            std::optional<Message>& fault);

/// COCO's key of a crowd, which other formats have taken over.
inline constexpr const char* kIsCrowd = "iscrowd";
/// Whether it is true, or a number that is not 0.
bool is_true(json::element value);
bool is_true_at(json::element object, std::string_view key);

/// A picture's width or height; 0 when it is none.
std::int32_t size_at(json::element object, std::string_view key);

}  // namespace letterpress::annotations
