#pragma once
#include <string>
#include <vector>

#include "letterpress/weights/weight_file.h"

namespace letterpress {

/// What a whole model of Keras says of itself beside its arrays (keras.io/api/models/config).
struct KerasConfig {
  double norm_epsilon = 0;  ///< of all its norms; Keras' default where it has none
  /// Its activations by the layers that they are, or are a setting of: "LeakyReLU" with
  /// "negative_slope", "ReLU", "SiLU" and others; none of outputs and gates, such as sigmoid.
  std::vector<WeightModule> activations{};
};

/// text: JSON. where: what messages call it. Throws Error (data) when it is not JSON, and when its
/// norms have several epsilons.
KerasConfig read_keras_config(const std::string& text, const std::string& where);

}  // namespace letterpress
