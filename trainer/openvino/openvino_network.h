#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace letterpress {

struct OpenVinoOptions {
  int threads = 1;    ///< all together, 1 or more
  int at_once = 1;    ///< pictures; each has its share of the threads, at least one
  int callers = 1;    ///< threads that may call run() at once; one more than computes waits
  bool bf16 = false;  ///< the layers compute in bfloat16, else in float32
};

struct OpenVinoInput {
  std::string name;
  std::vector<std::int64_t> shape;  ///< for one picture
};

/// A network that OpenVINO runs on the CPU. As many threads as there are callers.
class OpenVinoNetwork {
 public:
  /// onnx: a model whose inputs and outputs are float32; it is reshaped to the input's shape,
  /// whatever batch it was made for. Throws Error (configuration) where OpenVINO is not installed,
  /// cannot take the model or that shape, or this CPU has no bfloat16.
  OpenVinoNetwork(const std::string& onnx, const OpenVinoInput& input,
                  const std::vector<std::string>& outputs, const OpenVinoOptions& options);
  ~OpenVinoNetwork();

  static std::string version();  ///< "2026.4.1". Throws Error as the constructor does

  std::size_t numbers_of_input() const;  ///< of one picture
  std::size_t numbers_of_output(std::size_t output) const;

  /// Runs pictures 0 to n - 1. fill: writes picture i, all of the input's values. take: reads
  /// picture i's output, of the given place among `outputs`; the values are gone when it returns.
  /// Both are called here, while other pictures are computed.
  void run(std::size_t n, const std::function<void(std::size_t i, std::span<float> input)>& fill,
           const std::function<void(std::size_t i, std::size_t output,
                                    std::span<const float> values)>& take);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace letterpress
