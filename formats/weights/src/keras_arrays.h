#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "letterpress/hdf5/foreign.h"
#include "letterpress/weights/weight_file.h"

namespace letterpress {

/// BatchNormalization's default.
inline constexpr double kKerasNormEpsilon = 1e-3;

/// Bytes of float32 that the arrays of a file may have together, read by read_floats(): a file of n
/// bytes has no more than 64 n + 64 MiB, however damaged its sizes are.
class ArrayBudget {
 public:
  explicit ArrayBudget(std::size_t file_bytes);
  hdf5::Floats read(const hdf5::File& file, const std::string& name);
  std::int64_t left() const { return left_; }

 private:
  std::int64_t left_;
};

struct HDF5Weights {
  std::vector<WeightArray> arrays{};
  std::string model_config{};  ///< JSON of a whole model (save, .h5); empty: weights alone
};

/// What `read` finds in the HDF5 file of these bytes. name: what messages call it. HDF5 and `read`
/// run in a process of their own (base/confined.h): a damaged file brings down that one.
using HDF5Reading = std::function<HDF5Weights(const hdf5::File&, ArrayBudget&)>;
HDF5Weights read_hdf5_confined(std::string_view bytes, const std::string& name,
                               const HDF5Reading& read);

/// Keras stores kernels as [h, w, in, out], or [in, out]: the last axis becomes the first, the one
/// before it the second.
void put_outputs_first(WeightArray& array);
/// Keras lists layers by their depth; their numbers count how they were made.
void sort_as_made(std::vector<WeightArray>& arrays);

/// A file of Keras 3 has groups within groups, and the arrays of a layer in its group `vars`, by
/// number (keras.io/api/models/model_saving_apis). Which array is what is told by its shape.
bool is_keras3(const hdf5::File& file);
/// The arrays of floating-point numbers, but those of the optimiser, in the order in which their
/// layers were made. Throws Error (data) for a norm that lacks its gamma or its beta, as nobody can
/// tell which.
HDF5Weights read_keras3(const hdf5::File& file, ArrayBudget& budget);

}  // namespace letterpress
