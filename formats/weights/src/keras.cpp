#include "keras_arrays.h"
#include "keras_config.h"
#include "letterpress/base/error.h"
#include "letterpress/base/file.h"
#include "letterpress/hdf5/foreign.h"
#include "registry.h"

namespace letterpress {
namespace {

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
std::string top_of(const hdf5::File& file) {
  for (const char* top : {"/", "/model_weights"}) {
    if (!names_in(file, top, "layer_names").empty()) return top;
  }
  throw Error(
      {.where = hdf5::path_of(file),
       .what = "has no layer_names, neither at its root nor in model_weights, and no layers, so "
               "it is not a weight file of Keras",
       .fix = "write it with model.save_weights(\"name.weights.h5\")"});
}

WeightRole role_of(const std::string& last) {
  if (last == "kernel") return WeightRole::kernel;
  if (last == "bias") return WeightRole::bias;
  if (last == "gamma") return WeightRole::gamma;
  if (last == "beta") return WeightRole::beta;
  if (last == "moving_mean") return WeightRole::mean;
  return last == "moving_variance" ? WeightRole::variance : WeightRole::other;
}

// "conv2d_1/kernel:0" of the group that holds it; a model within the model has the weights of all
// its layers in its one group.
WeightArray read_array(const hdf5::File& file, const std::string& group, const std::string& name,
                       ArrayBudget& budget) {
  const std::string plain = name.substr(0, name.rfind(':'));
  const std::size_t slash = plain.rfind('/');
  const std::string layer = slash == std::string::npos ? group : plain.substr(0, slash);
  WeightArray array{.name = name,
                    .layer = layer,
                    .role = role_of(plain.substr(slash == std::string::npos ? 0 : slash + 1))};
  hdf5::Floats floats = budget.read(file, group + "/" + name);
  array.shape = std::move(floats.shape);
  array.values = std::move(floats.values);
  if (array.role == WeightRole::kernel) put_outputs_first(array);
  return array;
}

std::vector<WeightArray> read_arrays(const hdf5::File& file, ArrayBudget& budget) {
  std::vector<WeightArray> arrays;
  const std::string top = top_of(file);
  for (const std::string& layer : names_in(file, top, "layer_names")) {
    const std::string group = top == "/" ? "/" + layer : top + "/" + layer;
    for (const std::string& name : names_in(file, group, "weight_names"))
      arrays.push_back(read_array(file, group, name, budget));
  }
  sort_as_made(arrays);
  return arrays;
}

HDF5Weights read_all(const hdf5::File& file, ArrayBudget& budget) {
  constexpr const char* kConfig = "model_config";  // of a whole model (save)
  if (is_keras3(file)) return read_keras3(file, budget);
  HDF5Weights weights{.arrays = read_arrays(file, budget)};
  if (!hdf5::has_attribute(file, "/", kConfig)) return weights;
  for (const std::string& text : hdf5::read_texts_attribute(file, "/", kConfig))
    weights.model_config += text;
  return weights;
}

WeightFile read(const std::filesystem::path& path) {
  HDF5Weights held = read_hdf5_confined(read_file(path), path.string(), read_all);
  WeightFile weights{
      .format = "keras", .arrays = std::move(held.arrays), .norm_epsilon = kKerasNormEpsilon};
  if (held.model_config.empty()) return weights;
  KerasConfig config = read_keras_config(held.model_config, path.string() + ": model_config");
  weights.norm_epsilon = config.norm_epsilon;
  weights.modules = std::move(config.activations);
  return weights;
}

}  // namespace

extern constinit const WeightFormatEntry keras_weights{
    "keras",
    "HDF5 by Keras 2 (save, save_weights; also of a model that a multi-GPU wrapper holds) and "
    "Keras 3 (.weights.h5)",
    recognises, read};

}  // namespace letterpress
