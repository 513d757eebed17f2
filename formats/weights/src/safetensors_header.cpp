#include "safetensors_header.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <set>

#include "letterpress/base/error.h"

namespace letterpress {
namespace {

using Json = nlohmann::json;

struct TypeName {
  DType type;
  const char* name;
  std::size_t size;
};
constexpr std::array<TypeName, 8> kTypes{{{DType::f64, "F64", 8},
                                          {DType::f32, "F32", 4},
                                          {DType::f16, "F16", 2},
                                          {DType::bf16, "BF16", 2},
                                          {DType::i64, "I64", 8},
                                          {DType::i32, "I32", 4},
                                          {DType::u8, "U8", 1},
                                          {DType::boolean, "BOOL", 1}}};
constexpr int kMaxDepth = 4;

const TypeName& entry(DType type) {
  return *std::find_if(kTypes.begin(), kTypes.end(),
                       [&](const TypeName& known) { return known.type == type; });
}

// Names and shape are the file's own and may be anything: shown short, and never as raw bytes.
std::string shown(const Json& json) {
  return json.is_structured()
             ? std::string("an ") + json.type_name()
             : json.dump(-1, ' ', true, Json::error_handler_t::replace).substr(0, 100);
}

// Throws at names that are given twice (the library would keep the last) and at a depth that no
// header has. It sees each value once; the library's own callback looks through a whole object at
// the end of each value in it.
struct Checks : nlohmann::json_sax<Json> {
  std::vector<std::set<std::string>> names{};
  int depth = 0;

  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t) override { return true; }
  bool number_unsigned(number_unsigned_t) override { return true; }
  bool number_float(number_float_t, const string_t&) override { return true; }
  bool string(string_t&) override { return true; }
  bool binary(binary_t&) override { return true; }
  bool start_object(std::size_t) override { return names.emplace_back(), deeper(); }
  bool end_object() override { return names.pop_back(), --depth, true; }
  bool start_array(std::size_t) override { return deeper(); }
  bool end_array() override { return --depth, true; }
  bool key(string_t& name) override {
    if (names.back().insert(name).second) return true;
    throw Error("header gives " + shown(name) + " twice");
  }
  bool parse_error(std::size_t, const std::string&, const Json::exception&) override {
    return false;
  }
  bool deeper() {
    if (++depth <= kMaxDepth + 1) return true;
    throw Error("header is nested deeper than " + std::to_string(kMaxDepth) + " levels");
  }
};

Json parse(const std::string& text) {
  Checks checks;
  if (!Json::sax_parse(text, &checks)) throw Error("header is not JSON");
  const Json json = Json::parse(text);
  if (!json.is_object()) throw Error("header is " + shown(json) + ", must be an object");
  return json;
}

const Json& field(const Json& array, const char* name) {
  const auto found = array.find(name);
  if (found == array.end()) throw Error(std::string(name) + " is missing");
  return *found;
}

// The library reads 1e400 as something else than a number and -0 as a whole one; only what fits a
// file's 63-bit sizes passes.
std::vector<std::int64_t> sizes(const Json& array, const char* name) {
  const Json& list = field(array, name);
  const auto is_size = [](const Json& json) {
    return json.is_number_unsigned() && json.get<std::uint64_t>() < (1ULL << 62);
  };
  if (!list.is_array() || !std::all_of(list.begin(), list.end(), is_size)) {
    throw Error(std::string(name) + " is not a list of whole numbers from 0");
  }
  return list.get<std::vector<std::int64_t>>();
}

DType type_from(const Json& json) {
  std::string known;
  for (const TypeName& type : kTypes) {
    if (json == type.name) return type.type;
    known += std::string(known.empty() ? "" : ", ") + type.name;
  }
  throw Error("dtype is " + shown(json) + ", must be one of " + known);
}

StoredArray array_from(const Json& json) {
  if (!json.is_object()) throw Error("is " + shown(json) + ", must be an object");
  StoredArray array{.type = type_from(field(json, "dtype")),
                    .shape = sizes(json, "shape"),
                    .offset = 0,
                    .bytes = 0};
  const std::vector<std::int64_t> offsets = sizes(json, "data_offsets");
  if (offsets.size() != 2 || offsets[1] < offsets[0])
    throw Error("data_offsets is not a pair of begin and end");
  array.offset = offsets[0];
  array.bytes = offsets[1] - offsets[0];
  const std::int64_t count = element_count(array.shape),
                     size = static_cast<std::int64_t>(size_of(array.type));
  if (array.bytes % size != 0 || array.bytes / size != count) {
    throw Error("data_offsets span " + std::to_string(array.bytes) + " bytes, " +
                std::to_string(count) + " values of " + name_of(array.type) + " take " +
                std::to_string(size) + " each");
  }
  return array;
}

// Every byte of the data belongs to exactly one array.
void check_layout(const std::map<std::string, StoredArray>& arrays, std::int64_t data_bytes) {
  std::vector<const std::pair<const std::string, StoredArray>*> by_offset;
  for (const auto& named : arrays) by_offset.push_back(&named);
  std::sort(by_offset.begin(), by_offset.end(), [](const auto* a, const auto* b) {
    return std::pair(a->second.offset, a->second.bytes) <
           std::pair(b->second.offset, b->second.bytes);
  });
  std::int64_t end = 0;
  for (const auto* named : by_offset) {
    const StoredArray& array = named->second;
    if (array.offset != end) {
      throw Error("array " + shown(named->first) + " begins at " + std::to_string(array.offset) +
                  ", the one before ends at " + std::to_string(end) +
                  (array.offset < end ? ": they overlap" : ": a hole"));
    }
    end += array.bytes;
  }
  if (end != data_bytes) {
    throw Error("arrays end at " + std::to_string(end) + ", the file holds " +
                std::to_string(data_bytes) + " bytes of data");
  }
}

}  // namespace

std::size_t size_of(DType type) { return entry(type).size; }
const char* name_of(DType type) { return entry(type).name; }

std::int64_t element_count(const std::vector<std::int64_t>& shape) {
  std::int64_t count = 1;
  for (const std::int64_t size : shape) {
    if (size < 0 || __builtin_mul_overflow(count, size, &count))
      throw Error("shape has more values than any file can hold");
  }
  return count;
}

SafetensorsHeader parse_header(const std::string& text, std::int64_t data_bytes) {
  const Json json = parse(text);
  SafetensorsHeader header;
  for (const auto& [name, value] : json.items()) {
    try {
      if (name != "__metadata__") {
        header.arrays.emplace(name, array_from(value));
        continue;
      }
      const auto is_text = [](const Json& entry) { return entry.is_string(); };
      if (!value.is_object() || !std::all_of(value.begin(), value.end(), is_text))
        throw Error("is not an object of texts");
      header.metadata = value.get<std::map<std::string, std::string>>();
    } catch (const Error& error) {
      throw Error(inside("array " + shown(name), error.message()));
    }
  }
  check_layout(header.arrays, data_bytes);
  return header;
}

std::string header_text(const SafetensorsHeader& header) {
  Json json = Json::object();
  if (!header.metadata.empty()) json["__metadata__"] = header.metadata;
  for (const auto& [name, array] : header.arrays) {
    json[name] = {{"dtype", name_of(array.type)},
                  {"shape", array.shape},
                  {"data_offsets", {array.offset, array.offset + array.bytes}}};
  }
  std::string text;
  try {
    text = json.dump();
  } catch (const Json::type_error&) {
    throw Error("a name or a metadata text is not UTF-8");
  }
  text.resize((text.size() + 7) / 8 * 8, ' ');
  return text;
}

}  // namespace letterpress
