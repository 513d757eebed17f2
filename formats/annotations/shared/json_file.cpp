#include "json_file.h"

#include <cmath>

#include "formats/annotations/files/text.h"

namespace letterpress::annotations {
namespace {

std::string kind_of(json::element value) {
  if (value.is_null()) return "null";
  if (value.is_array()) return "a list";
  if (value.is_object()) return "an object";
  if (value.is_string()) return "a text";
  return value.is_bool() ? "true or false" : "a number";
}

void set_fault(json::element value, const std::string& name, const char* wanted,
               std::optional<Message>& fault) {
  if (!fault)
    fault = Message{.what = name + " is " + kind_of(value) + ", must be " + wanted,
                    .fix = "correct it or export it again"};
}

}  // namespace

JsonFile::JsonFile(const FileTree& files, const std::filesystem::path& path) {
  std::string text = files.read_text(path);
  if (text.starts_with("\xEF\xBB\xBF")) text.erase(0, 3);
  const auto error = parser_.parse(text).get(root_);
  if (!error) return;
  throw Error({.where = path.string(),
               .what = "is not whole JSON: " + std::string(simdjson::error_message(error)),
               .fix = "copy or export the file again"});
}

std::string written(json::element value) { return simdjson::minify(value); }

std::optional<json::element> parse_json(json::parser& parser, std::string_view text) {
  json::element root;
  if (parser.parse(text.data(), text.size()).get(root)) return std::nullopt;
  return root;
}

std::optional<json::element> value_at(json::element object, std::string_view key) {
  json::element value;
  if (object.at_key(key).get(value)) return std::nullopt;
  return value;
}

std::optional<double> number_of(json::element value) {
  double number = 0;
  if (value.get(number)) return std::nullopt;
  return number;
}

std::optional<std::int64_t> integer_of(json::element value) {
  constexpr double kLimit = 9007199254740992;  // 2^53
  const auto number = number_of(value);
  if (!number || std::abs(*number) > kLimit || std::trunc(*number) != *number) return std::nullopt;
  return static_cast<std::int64_t>(*number);
}

std::string text_of(json::element value) {
  std::string_view text;
  return value.get(text) ? std::string() : std::string(text);
}

std::vector<json::element> list_of(json::element value) {
  std::vector<json::element> list;
  json::array array;
  if (!value.get(array)) list.assign(array.begin(), array.end());
  return list;
}

std::optional<double> number_at(json::element object, std::string_view key) {
  const auto value = value_at(object, key);
  return value ? number_of(*value) : std::nullopt;
}

std::optional<std::int64_t> integer_at(json::element object, std::string_view key) {
  const auto value = value_at(object, key);
  return value ? integer_of(*value) : std::nullopt;
}

std::string text_at(json::element object, std::string_view key) {
  const auto value = value_at(object, key);
  return value ? text_of(*value) : std::string();
}

std::vector<json::element> list_at(json::element object, std::string_view key) {
  const auto value = value_at(object, key);
  return value ? list_of(*value) : std::vector<json::element>();
}

std::vector<json::element> list_or_fault(json::element value, const std::string& name,
                                         std::optional<Message>& fault) {
  if (!value.is_array()) set_fault(value, name, "a list", fault);
  return list_of(value);
}

std::optional<json::object> object_or_fault(json::element value, const std::string& name,
                                            std::optional<Message>& fault) {
  json::object object;
  if (!value.get(object)) return object;
  set_fault(value, name, "an object", fault);
  return std::nullopt;
}

std::optional<json::element> value_unless_null(json::element object, std::string_view key) {
  const auto value = value_at(object, key);
  return value && !value->is_null() ? value : std::nullopt;
}

std::vector<json::element> list_at_or_fault(json::element object, std::string_view key,
                                            std::optional<Message>& fault) {
  const auto list = value_unless_null(object, key);
  return list ? list_or_fault(*list, std::string(key), fault) : std::vector<json::element>();
}

bool is_true(json::element value) {
  bool truth = false;
  return value.get(truth) ? number_of(value).value_or(0) != 0 : truth;
}

bool is_true_at(json::element object, std::string_view key) {
  const auto value = value_at(object, key);
  return value && is_true(*value);
}

std::int32_t size_at(json::element object, std::string_view key) {
  const auto number = number_at(object, key);
  return number && is_picture_side(*number) ? static_cast<std::int32_t>(*number) : 0;
}

}  // namespace letterpress::annotations
