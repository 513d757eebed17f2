#include <algorithm>

#include "letterpress/base/error.h"
#include "letterpress/hdf5/foreign.h"
#include "registry.h"
#include "weight_names.h"

namespace letterpress {
namespace {

constexpr double kNormEpsilon = 1e-3;  // BatchNormalization's default

bool recognises(std::string_view begin) { return begin.starts_with("\x89HDF\r\n\x1a\n"); }

// Keras cuts a list that is too long for one attribute into name0, name1, ...
std::vector<std::string> names_in(const hdf5::File& file, const std::string& object,
                                  const std::string& attribute) {
  if (hdf5::has_attribute(file, object, attribute))
    return hdf5::read_texts_attribute(file, object, attribute);
  std::vector<std::string> names;
  for (int part = 0; hdf5::has_attribute(file, object, attribute + std::to_string(part)); ++part) {
    const std::vector<std::string> more =
        hdf5::read_texts_attribute(file, object, attribute + std::to_string(part));
    names.insert(names.end(), more.begin(), more.end());
  }
  return names;
}

// Weights alone are at the root, those of a whole model below model_weights.
std::string top_of(const hdf5::File& file, const std::filesystem::path& path) {
  for (const char* top : {"/", "/model_weights"}) {
    if (!names_in(file, top, "layer_names").empty()) return top;
  }
  throw Error({.where = path.string(),
               .what =
                   "has no layer_names, neither at its root nor in model_weights, so it is not a "
                   "weight file of Keras 2",
               .fix = "write it with model.save_weights(\"name.h5\")"});
}

WeightRole role_of(const std::string& last) {
  if (last == "kernel") return WeightRole::kernel;
  if (last == "bias") return WeightRole::bias;
  if (last == "gamma") return WeightRole::gamma;
  if (last == "beta") return WeightRole::beta;
  if (last == "moving_mean") return WeightRole::mean;
  return last == "moving_variance" ? WeightRole::variance : WeightRole::other;
}

// Keras stores kernels as [h, w, in, out], or [in, out]: the last axis becomes the first, the one
// before it the second.
void put_outputs_first(WeightArray& array) {
  const std::size_t rank = array.shape.size();
  if (rank != 2 && rank != 4) return;
  const auto outputs = static_cast<std::size_t>(array.shape[rank - 1]),
             inputs = static_cast<std::size_t>(array.shape[rank - 2]);
  const std::size_t window =
      rank == 4 ? static_cast<std::size_t>(array.shape[0] * array.shape[1]) : 1;
  std::vector<float> values(array.values.size());
  for (std::size_t w = 0; w < window; ++w)
    for (std::size_t in = 0; in < inputs; ++in)
      for (std::size_t out = 0; out < outputs; ++out)
        values[(out * inputs + in) * window + w] = array.values[(w * inputs + in) * outputs + out];
  array.values = std::move(values);
  std::rotate(array.shape.begin(), array.shape.end() - 2, array.shape.end());
  std::swap(array.shape[0], array.shape[1]);
}

// "conv2d_1/kernel:0" of the group that holds it; a model within the model has the weights of all
// its layers in its one group.
WeightArray read_array(const hdf5::File& file, const std::string& group, const std::string& name) {
  const std::string plain = name.substr(0, name.rfind(':'));
  const std::size_t slash = plain.rfind('/');
  const std::string layer = slash == std::string::npos ? group : plain.substr(0, slash);
  WeightArray array{.name = name,
                    .layer = layer,
                    .role = role_of(plain.substr(slash == std::string::npos ? 0 : slash + 1))};
  hdf5::Floats floats = hdf5::read_floats(file, group + "/" + name);
  array.shape = std::move(floats.shape);
  array.values = std::move(floats.values);
  if (array.role == WeightRole::kernel) put_outputs_first(array);
  return array;
}

WeightFile read(const std::filesystem::path& path) {
  const hdf5::File file =
      hdf5::open_file(path, "not a readable HDF5 file", "it was cut or damaged, copy it again");
  WeightFile weights{.format = "keras", .norm_epsilon = kNormEpsilon};
  const std::string top = top_of(file, path);
  for (const std::string& layer : names_in(file, top, "layer_names")) {
    const std::string group = top == "/" ? "/" + layer : top + "/" + layer;
    for (const std::string& name : names_in(file, group, "weight_names"))
      weights.arrays.push_back(read_array(file, group, name));
  }
  // Keras lists layers by their depth; their numbers count how they were made.
  std::stable_sort(
      weights.arrays.begin(), weights.arrays.end(),
      [](const WeightArray& a, const WeightArray& b) { return natural_less(a.layer, b.layer); });
  return weights;
}

}  // namespace

extern constinit const WeightFormatEntry keras_weights{
    "keras", "HDF5 by Keras 2 (save, save_weights), also of a model that a multi-GPU wrapper holds",
    recognises, read};

}  // namespace letterpress
