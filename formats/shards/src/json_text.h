#pragma once
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "letterpress/base/error.h"
#include "letterpress/base/hash.h"

namespace letterpress {

// JSON of `value`; Error naming `what` when it holds text that is not UTF-8.
std::string json_text(const nlohmann::json& value, const std::string& what);

// {"format": 1, "checksum": ..., "<kind>": content}, one space per level: readable, and a changed
// bit is detected.
std::string seal(const std::string& kind, int format, const nlohmann::json& content);
struct Unsealed {
  int format = 0;  // not covered by the checksum
  nlohmann::json content;
};
// The content back. Throws Error "<where>: ..." when the text is cut, changed in any byte but the
// format's, of another kind or of a newer format.
Unsealed unseal(const std::string& text, const std::string& kind, int format,
                const std::string& where);

[[noreturn]] void throw_bad_field(const std::string& where, const std::string& what);
// Runs `read`; a field that is missing or of another type, or that is not what its text must be,
// becomes Error "<where>: ...".
template <class Read>
auto read_fields(const std::string& where, Read read) -> decltype(read()) {
  try {
    return read();
  } catch (const nlohmann::json::exception& error) {
    throw_bad_field(where, error.what());
  } catch (const Error& error) {
    if (!error.message().where.empty()) throw;
    throw_bad_field(where, error.message().what);
  }
}

void to_json(nlohmann::json& json, const Hash128& hash);
void from_json(const nlohmann::json& json, Hash128& hash);

}  // namespace letterpress
