#pragma once
#include <map>
#include <string>
#include <string_view>

namespace letterpress {

/// metadata_props of an ONNX model (onnx.proto3, ModelProto field 14), whoever wrote it; of a key
/// that comes twice the last. Texts as they are, UTF-8 or not. Throws Error without the file's name
/// where the bytes are no whole ModelProto with a graph.
std::map<std::string, std::string> onnx_metadata(std::string_view bytes);

}  // namespace letterpress
