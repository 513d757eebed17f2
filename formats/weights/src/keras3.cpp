#include <string>
#include <utility>

#include "keras_arrays.h"
#include "letterpress/base/error.h"

namespace letterpress {
namespace {

constexpr const char* kArrays = "/vars";
constexpr int kDeepest = 32;  // groups within groups; links may lead in a circle

using Roles = std::vector<WeightRole>;

// As Keras' layers create them. layer: names its class. BatchNormalization(scale=False) has three
// arrays, and so has one with center=False.
Roles roles_of(const std::vector<WeightArray>& arrays, const std::string& layer,
               const hdf5::File& file) {
  using enum WeightRole;
  const bool is_norm = layer.find("batch_normalization") != std::string::npos;
  const std::size_t rank = arrays.front().shape.size();
  if (rank == 4 || rank == 2) return {kernel, bias};
  if (is_norm && arrays.size() == 4) return {gamma, beta, mean, variance};
  if (is_norm && arrays.size() == 2) return {mean, variance};
  if (is_norm && arrays.size() == 3)
    throw Error({.where = hdf5::path_of(file),
                 .what = "layer '" + layer + "' has three arrays, without its gamma or its beta",
                 .fix = "give it both (scale=True, center=True) and save it again"});
  return {};
}

// The layer's own name is an attribute; its group counts the layers of its class.
std::string layer_name(const hdf5::File& file, const std::string& group) {
  if (hdf5::has_attribute(file, group + kArrays, "name")) {
    const auto texts = hdf5::read_texts_attribute(file, group + kArrays, "name");
    if (!texts.empty()) return texts.front();
  }
  return group.substr(group.rfind('/') + 1);
}

class Reader {
 public:
  Reader(const hdf5::File& file, ArrayBudget& budget) : file_(file), budget_(budget) {}

  // group: "" for the root.
  void read_group(const std::string& group, int depth = 0) {
    if (depth > kDeepest || ++groups_ > hdf5::kMostMembers)
      throw Error({.where = hdf5::path_of(file_),
                   .what = "has groups within groups without end",
                   .fix = "the file is damaged, copy it again"});
    for (const std::string& member : hdf5::members_of(file_, group.empty() ? "/" : group)) {
      if (group.empty() && (member == "optimizer" || member == "metrics")) continue;
      if ("/" + member == kArrays)
        read_layer(group);
      else
        read_group(group + "/" + member, depth + 1);
    }
  }

  std::vector<WeightArray> arrays() && { return std::move(arrays_); }

 private:
  void read_layer(const std::string& group) {
    std::vector<WeightArray> arrays;
    const std::string layer = layer_name(file_, group);
    const std::size_t count = hdf5::members_of(file_, group + kArrays).size();
    for (std::size_t i = 0; i < count; ++i) {
      const std::string name = group + kArrays + "/" + std::to_string(i);
      if (!hdf5::holds_floats(file_, name)) continue;  // a Dropout's seed
      hdf5::Floats floats = budget_.read(file_, name);
      arrays.push_back({.name = name.substr(1),
                        .layer = layer,
                        .shape = std::move(floats.shape),
                        .values = std::move(floats.values)});
    }
    if (arrays.empty()) return;
    const Roles roles = roles_of(arrays, group.substr(group.rfind('/') + 1) + " " + layer, file_);
    for (std::size_t i = 0; i < arrays.size(); ++i) {
      if (i < roles.size()) arrays[i].role = roles[i];
      if (arrays[i].role == WeightRole::kernel) put_outputs_first(arrays[i]);
      arrays_.push_back(std::move(arrays[i]));
    }
  }

  const hdf5::File& file_;
  ArrayBudget& budget_;
  std::vector<WeightArray> arrays_;
  std::size_t groups_ = 0;
};

}  // namespace

bool is_keras3(const hdf5::File& file) { return !hdf5::members_of(file, "/layers").empty(); }

HDF5Weights read_keras3(const hdf5::File& file, ArrayBudget& budget) {
  Reader reader(file, budget);
  reader.read_group("");
  HDF5Weights weights{.arrays = std::move(reader).arrays()};
  sort_as_made(weights.arrays);
  return weights;
}

}  // namespace letterpress
