#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <variant>
#include <vector>

namespace letterpress {

enum class OnnxType { float32 = 1, int64 = 7, float16 = 10 };  ///< TensorProto.DataType

struct OnnxAttribute {
  std::string name;
  std::variant<std::int64_t, float, std::string, std::vector<std::int64_t>> value;
};

/// A dimension: a size, or a name where it is free.
using OnnxDimension = std::variant<std::int64_t, std::string>;

/// Serialises an ONNX model piece by piece (onnx.proto3). Tensor names are the caller's and must
/// differ. Written by hand with protozero: the onnx package would bring protobuf and its generated
/// code for some twenty fields, and LibTorch's exporter needs Python.
class OnnxWriter {
 public:
  /// Declares a float32 tensor.
  void input(const std::string& name, const std::vector<OnnxDimension>& shape) {
    value(kInput, name, shape);
  }
  void output(const std::string& name, const std::vector<OnnxDimension>& shape) {
    value(kOutput, name, shape);
  }

  /// A node with one output; returns `output`.
  std::string node(const std::string& op, const std::vector<std::string>& inputs,
                   const std::string& output, const std::vector<OnnxAttribute>& attributes = {});
  /// Constants; each returns `name`. type: float32 or float16 (Error naming `name` where a value is
  /// beyond it).
  std::string floats(const std::string& name, const std::vector<std::int64_t>& shape,
                     const std::vector<float>& values, OnnxType type = OnnxType::float32);
  /// int64 [n]
  std::string integers(const std::string& name, const std::vector<std::int64_t>& values);
  std::string integer(const std::string& name, std::int64_t value);  ///< int64 []

  /// The whole file. Not to be used afterwards.
  std::string finish(const std::string& graph_name,
                     const std::map<std::string, std::string>& metadata);

 private:
  static constexpr int kInput = 11, kOutput = 12;  // fields of GraphProto
  void value(int field, const std::string& name, const std::vector<OnnxDimension>& shape);
  void constant(const std::string& name, const std::vector<std::int64_t>& shape, OnnxType type,
                const std::string& bytes);

  std::string graph_;  // GraphProto so far
};

}  // namespace letterpress
