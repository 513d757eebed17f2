#pragma once
#include <map>
#include <string>
#include <string_view>

namespace letterpress {

/// metadata_props of an ONNX model (onnx.proto3, ModelProto field 14), whoever wrote it: texts as
/// they are, UTF-8 or not; the last value of a repeated key. Throws Error without the file's name
/// where the bytes are not a whole ModelProto with a graph.
std::map<std::string, std::string> onnx_metadata(std::string_view bytes);

/// The model with one more entry at its end, "digest": XXH3-128, hex, of all bytes before it.
std::string with_digest(std::string onnx);
/// Throws Error without the file's name where a model has such an entry and it is not of the bytes
/// before it: the file is damaged, or another program changed it. A model without one passes.
void check_digest(std::string_view onnx, const std::map<std::string, std::string>& metadata);

}  // namespace letterpress
