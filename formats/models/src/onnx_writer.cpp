#include "onnx_writer.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <protozero/pbf_writer.hpp>

#include "letterpress/base/error.h"
#include "onnx_fields.h"

namespace letterpress {
namespace {

using protozero::pbf_writer;

enum AttributeType { kFloat = 1, kInt = 2, kString = 3, kInts = 7 };

constexpr std::int64_t kIrVersion = 7, kOpset = 13;

void add_attribute(pbf_writer& node, const OnnxAttribute& attribute) {
  pbf_writer out(node, kNodeAttribute);
  out.add_string(kAttributeName, attribute.name);
  if (const auto* integer = std::get_if<std::int64_t>(&attribute.value)) {
    out.add_int64(kAttributeInt, *integer);
    out.add_enum(kAttributeType, kInt);
  } else if (const auto* number = std::get_if<float>(&attribute.value)) {
    out.add_float(kAttributeFloat, *number);
    out.add_enum(kAttributeType, kFloat);
  } else if (const auto* text = std::get_if<std::string>(&attribute.value)) {
    out.add_bytes(kAttributeString, *text);
    out.add_enum(kAttributeType, kString);
  } else {
    const auto& integers = std::get<std::vector<std::int64_t>>(attribute.value);
    out.add_packed_int64(kAttributeInts, integers.begin(), integers.end());
    out.add_enum(kAttributeType, kInts);
  }
}

// IEEE 754 binary16, to nearest, ties to even.
std::uint16_t half(float value, const std::string& name) {
  if (!(std::abs(value) < 65520)) {
    throw Error({.where = name,
                 .what = "holds " + std::to_string(value) + ", float16 ends at 65504",
                 .fix = "export in float32"},
                Exit::configuration);
  }
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t sign = bits >> 16 & 0x8000;
  const float magnitude = std::abs(value);
  if (magnitude < 0x1p-14f)
    return static_cast<std::uint16_t>(sign |
                                      static_cast<std::uint32_t>(std::lrint(magnitude * 0x1p24f)));
  const std::uint32_t rest = (bits & 0x7fffffff) - (112u << 23);  // exponent bias 127 -> 15
  return static_cast<std::uint16_t>(sign | (rest + 0xfff + (rest >> 13 & 1)) >> 13);
}

template <typename Value>
std::string bytes_of(const std::vector<Value>& values) {
  static_assert(std::endian::native == std::endian::little);
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(Value)};
}

}  // namespace

std::string OnnxWriter::node(const std::string& op, const std::vector<std::string>& inputs,
                             const std::string& output,
                             const std::vector<OnnxAttribute>& attributes) {
  pbf_writer graph(graph_);
  pbf_writer node(graph, kGraphNode);
  for (const std::string& input : inputs) node.add_string(kNodeInput, input);
  node.add_string(kNodeOutput, output);
  node.add_string(kNodeName, output);
  node.add_string(kNodeOp, op);
  for (const OnnxAttribute& attribute : attributes) add_attribute(node, attribute);
  return output;
}

void OnnxWriter::constant(const std::string& name, const std::vector<std::int64_t>& shape,
                          OnnxType type, const std::string& bytes) {
  pbf_writer graph(graph_);
  pbf_writer tensor(graph, kGraphInitializer);
  tensor.add_packed_int64(kTensorDims, shape.begin(), shape.end());
  tensor.add_int32(kTensorType, static_cast<std::int32_t>(type));
  tensor.add_string(kTensorName, name);
  tensor.add_bytes(kTensorRaw, bytes);
}

std::string OnnxWriter::floats(const std::string& name, const std::vector<std::int64_t>& shape,
                               const std::vector<float>& values, OnnxType type) {
  if (type == OnnxType::float32) {
    constant(name, shape, type, bytes_of(values));
    return name;
  }
  std::vector<std::uint16_t> halves;
  halves.reserve(values.size());
  for (const float value : values) halves.push_back(half(value, name));
  constant(name, shape, type, bytes_of(halves));
  return name;
}

std::string OnnxWriter::integers(const std::string& name, const std::vector<std::int64_t>& values) {
  constant(name, {static_cast<std::int64_t>(values.size())}, OnnxType::int64, bytes_of(values));
  return name;
}

std::string OnnxWriter::integer(const std::string& name, std::int64_t value) {
  constant(name, {}, OnnxType::int64, bytes_of(std::vector{value}));
  return name;
}

void OnnxWriter::value(int field, const std::string& name,
                       const std::vector<OnnxDimension>& shape) {
  pbf_writer graph(graph_);
  pbf_writer value(graph, static_cast<protozero::pbf_tag_type>(field));
  value.add_string(kValueName, name);
  pbf_writer type(value, kValueType);
  pbf_writer tensor(type, kTypeTensor);
  tensor.add_enum(kTensorTypeElement, static_cast<std::int32_t>(OnnxType::float32));
  pbf_writer dimensions(tensor, kTensorTypeShape);
  for (const OnnxDimension& dimension : shape) {
    pbf_writer out(dimensions, kShapeDimension);
    if (const auto* size = std::get_if<std::int64_t>(&dimension)) {
      out.add_int64(kDimensionValue, *size);
    } else {
      out.add_string(kDimensionName, std::get<std::string>(dimension));
    }
  }
}

std::string OnnxWriter::finish(const std::string& graph_name,
                               const std::map<std::string, std::string>& metadata) {
  {
    pbf_writer graph(graph_);
    graph.add_string(kGraphName, graph_name);
  }
  std::string bytes;
  pbf_writer model(bytes);
  model.add_int64(kModelIrVersion, kIrVersion);
  model.add_string(kModelProducer, "letterpress");
  model.add_message(kModelGraph, graph_);
  {
    pbf_writer opset(model, kModelOpset);
    opset.add_string(kOpsetDomain, "");
    opset.add_int64(kOpsetVersion, kOpset);
  }
  for (const auto& [key, text] : metadata) {
    pbf_writer entry(model, kModelMetadata);
    entry.add_string(kEntryKey, key);
    entry.add_string(kEntryValue, text);
  }
  return bytes;
}

}  // namespace letterpress
