#include "letterpress/models/onnx_metadata.h"

#include <protozero/exception.hpp>
#include <protozero/pbf_reader.hpp>
#include <utility>

#include "letterpress/base/error.h"
#include "onnx_fields.h"

namespace letterpress {
namespace {

using protozero::pbf_reader;

// Bytes of another kind than the field's are passed over, as protobuf's own readers do.
bool is_text(const pbf_reader& reader, int field) {
  return reader.tag_and_type() ==
         protozero::tag_and_type(static_cast<protozero::pbf_tag_type>(field),
                                 protozero::pbf_wire_type::length_delimited);
}

std::pair<std::string, std::string> entry_of(pbf_reader reader) {
  std::pair<std::string, std::string> entry;
  while (reader.next()) {
    if (is_text(reader, kEntryKey)) {
      entry.first = reader.get_string();
    } else if (is_text(reader, kEntryValue)) {
      entry.second = reader.get_string();
    } else {
      reader.skip();
    }
  }
  return entry;
}

}  // namespace

std::map<std::string, std::string> onnx_metadata(std::string_view bytes) {
  std::map<std::string, std::string> metadata;
  bool has_graph = false;
  try {
    pbf_reader model(bytes.data(), bytes.size());
    while (model.next()) {
      has_graph |= is_text(model, kModelGraph);
      if (is_text(model, kModelMetadata)) {
        auto [key, text] = entry_of(model.get_message());
        metadata[std::move(key)] = std::move(text);
      } else {
        model.skip();
      }
    }
  } catch (const protozero::exception&) {
    has_graph = false;
  }
  if (!has_graph)
    throw Error({.where = "ONNX", .what = "is not a whole ONNX file", .fix = "export it again"});
  return metadata;
}

}  // namespace letterpress
