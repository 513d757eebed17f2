#include "json_text.h"

#include "letterpress/base/error.h"
#include "letterpress/base/nesting.h"

namespace letterpress {

using nlohmann::json;

namespace {

// One number or text can be written in several ways; files have this one.
std::string text_of(const json& file) { return file.dump(1) + "\n"; }

}  // namespace

std::string json_text(const json& value, const std::string& what) {
  try {
    return value.dump();
  } catch (const json::type_error&) {
    throw Error({.where = what,
                 .what = "hold text that is not UTF-8",
                 .fix = "convert the label files to UTF-8 (iconv -t utf-8)"});
  }
}

std::string seal(const std::string& kind, int format, const json& content) {
  const std::string checksum = hash128(json_text(content, kind)).hex();
  return text_of({{"format", format}, {"checksum", checksum}, {kind, content}});
}

Unsealed unseal(const std::string& text, const std::string& kind, int format,
                const std::string& where) {
  check_nesting(text, where);
  const json file = json::parse(text, nullptr, false);
  if (!file.is_object() || !file.contains("format") || !file["format"].is_number_integer()) {
    throw Error({.where = where,
                 .what = "not a readable " + kind + " (cut or damaged)",
                 .fix = "restore it from a copy"});
  }
  if (const json& found = file["format"]; found > format) {
    throw Error({.where = where,
                 .what = kind + " format " + found.dump() + " is newer than this program's " +
                         std::to_string(format),
                 .fix = "update Letterpress"},
                Exit::configuration);
  }
  if (const json& found = file["format"]; found < 1) {
    throw Error({.where = where,
                 .what = "damaged: it says format " + found.dump(),
                 .fix = "restore it from a copy"});
  }
  if (!file.contains(kind) || !file.contains("checksum")) {
    throw Error({.where = where,
                 .what = "holds no " + kind + " with a checksum",
                 .fix = "restore it from a copy"});
  }
  const std::string computed = hash128(json_text(file[kind], where)).hex();
  if (file["checksum"] != computed) {
    throw Error({.where = where,
                 .what = "damaged: its content has checksum " + computed + ", it says " +
                         file["checksum"].dump(),
                 .fix = "restore it from a copy"});
  }
  constexpr std::size_t kEntries = 3;
  if (text != text_of(file) || file.size() != kEntries) {
    throw Error({.where = where,
                 .what = "damaged: its content is whole, but other bytes were written for it",
                 .fix = "restore it from a copy"});
  }
  return {file["format"].get<int>(), file[kind]};
}

void throw_bad_field(const std::string& where, const std::string& what) {
  throw Error({.where = where,
               .what = "a field is missing or of another type (" + what + ")",
               .fix = "it was not written by this program"});
}

void to_json(json& value, const Hash128& hash) { value = hash.hex(); }
void from_json(const json& value, Hash128& hash) {
  hash = Hash128::from_hex(value.get<std::string>());
}

}  // namespace letterpress
