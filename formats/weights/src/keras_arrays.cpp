#include "keras_arrays.h"

#include <algorithm>

#include "weight_names.h"

namespace letterpress {

ArrayBudget::ArrayBudget(std::size_t file_bytes)
    : left_(64 * (static_cast<std::int64_t>(file_bytes) + (1 << 20))) {}

hdf5::Floats ArrayBudget::read(const hdf5::File& file, const std::string& name) {
  hdf5::Floats floats = hdf5::read_floats(file, name, left_);
  left_ -= static_cast<std::int64_t>(floats.values.size() * sizeof(float));
  return floats;
}

namespace {

// Of values in the order of `shape`, of rank 2 or 4.
std::vector<float> outputs_first(const std::vector<float>& given,
                                 const std::vector<std::int64_t>& shape) {
  // A shape with a 0 may have any number beside it.
  if (given.empty()) return {};
  const std::size_t rank = shape.size();
  const auto outputs = static_cast<std::size_t>(shape[rank - 1]),
             inputs = static_cast<std::size_t>(shape[rank - 2]);
  const std::size_t window = rank == 4 ? static_cast<std::size_t>(shape[0] * shape[1]) : 1;
  std::vector<float> values(given.size());
  for (std::size_t w = 0; w < window; ++w)
    for (std::size_t in = 0; in < inputs; ++in)
      for (std::size_t out = 0; out < outputs; ++out)
        values[(out * inputs + in) * window + w] = given[(w * inputs + in) * outputs + out];
  return values;
}

}  // namespace

void put_outputs_first(WeightArray& array) {
  const std::size_t rank = array.shape.size();
  if (rank != 2 && rank != 4) return;
  array.values = outputs_first(array.values, array.shape);
  std::rotate(array.shape.begin(), array.shape.end() - 2, array.shape.end());
  std::swap(array.shape[0], array.shape[1]);
}

void sort_as_made(std::vector<WeightArray>& arrays) {
  std::stable_sort(arrays.begin(), arrays.end(), [](const WeightArray& a, const WeightArray& b) {
    return natural_less(a.layer, b.layer);
  });
}

}  // namespace letterpress
