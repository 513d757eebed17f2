#include "letterpress/models/onnx_metadata.h"

#include <protozero/exception.hpp>
#include <protozero/pbf_reader.hpp>
#include <protozero/pbf_writer.hpp>
#include <utility>

#include "letterpress/base/error.h"
#include "letterpress/base/hash.h"
#include "onnx_fields.h"

namespace letterpress {
namespace {

using protozero::pbf_reader;

constexpr const char* kDigest = "digest";

std::string digest_entry(std::string_view bytes) {
  std::string entry;
  protozero::pbf_writer model(entry);
  protozero::pbf_writer out(model, kModelMetadata);
  out.add_string(kEntryKey, kDigest);
  out.add_string(kEntryValue, hash128(bytes).hex());
  out.commit();
  return entry;
}

// A field of another wire type is passed over, as protobuf's own readers do.
bool has_bytes(const pbf_reader& reader, int field) {
  return reader.tag_and_type() ==
         protozero::tag_and_type(static_cast<protozero::pbf_tag_type>(field),
                                 protozero::pbf_wire_type::length_delimited);
}

std::pair<std::string, std::string> entry_of(pbf_reader reader) {
  std::pair<std::string, std::string> entry;
  while (reader.next()) {
    if (has_bytes(reader, kEntryKey)) {
      entry.first = reader.get_string();
    } else if (has_bytes(reader, kEntryValue)) {
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
      has_graph |= has_bytes(model, kModelGraph);
      if (has_bytes(model, kModelMetadata)) {
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
    throw Error(Message{.what = "is not a whole ONNX file", .fix = "export it again"});
  return metadata;
}

std::string with_digest(std::string onnx) {
  const std::string entry = digest_entry(onnx);
  return std::move(onnx) + entry;
}

void check_digest(std::string_view onnx, const std::map<std::string, std::string>& metadata) {
  if (!metadata.contains(kDigest)) return;
  const std::size_t length = digest_entry("").size();
  const bool has_room = onnx.size() >= length;
  if (has_room && onnx.ends_with(digest_entry(onnx.substr(0, onnx.size() - length)))) return;
  throw Error(Message{.what =
                          "is not what was exported: its content does not match its digest; it is "
                          "damaged, or another program changed it",
                      .fix = "export it again"});
}

}  // namespace letterpress
