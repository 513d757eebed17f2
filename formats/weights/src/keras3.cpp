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
               const std::filesystem::path& path) {
  using enum WeightRole;
  const bool is_norm = layer.find("batch_normalization") != std::string::npos;
  const std::size_t rank = arrays.front().shape.size();
  if (rank == 4 || rank == 2) return {kernel, bias};
  if (is_norm && arrays.size() == 4) return {gamma, beta, mean, variance};
  if (is_norm && arrays.size() == 2) return {mean, variance};
  if (is_norm && arrays.size() == 3)
    throw Error({.where = path.string(),
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
  Reader(const hdf5::File& file, const std::filesystem::path& path,
         std::vector<WeightArray>& arrays)
      : file_(file), path_(path), arrays_(arrays), budget_(path) {}

  // group: "" for the root.
  void read_group(const std::string& group, int depth = 0) {
    if (depth > kDeepest || ++groups_ > hdf5::kMostMembers)
      throw Error({.where = path_.string(),
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
    const Roles roles = roles_of(arrays, group.substr(group.rfind('/') + 1) + " " + layer, path_);
    for (std::size_t i = 0; i < arrays.size(); ++i) {
      if (i < roles.size()) arrays[i].role = roles[i];
      if (arrays[i].role == WeightRole::kernel) put_outputs_first(arrays[i]);
      arrays_.push_back(std::move(arrays[i]));
    }
  }

  const hdf5::File& file_;
  const std::filesystem::path& path_;
  std::vector<WeightArray>& arrays_;
  ArrayBudget budget_;
  std::size_t groups_ = 0;
};

}  // namespace

bool is_keras3(const hdf5::File& file) { return !hdf5::members_of(file, "/layers").empty(); }

void read_keras3(const hdf5::File& file, const std::filesystem::path& path, WeightFile& weights) {
  Reader(file, path, weights.arrays).read_group("");
  sort_as_made(weights.arrays);
}

}  // namespace letterpress
