#include <algorithm>

#include "letterpress/weights/safetensors.h"
#include "registry.h"
#include "to_floats.h"
#include "weight_names.h"

namespace letterpress {
namespace {

// A length of at most 100 MB, then a JSON object.
bool recognises(std::string_view begin) {
  return begin.size() >= 9 && begin[8] == '{' &&
         begin.substr(4, 4) == std::string_view("\0\0\0", 4);
}

WeightFile read(const std::filesystem::path& path) {
  const SafetensorsFile file(path);
  WeightFile weights{.format = "safetensors"};
  std::vector<std::byte> bytes;
  for (const auto& [name, stored] : file.arrays()) {
    WeightArray array = named_as_pytorch(name, stored.shape);
    if (is_floating(stored.type)) {
      bytes.resize(static_cast<std::size_t>(stored.bytes));
      file.read(name, bytes);
      array.values = to_floats(stored.type, bytes);
    }
    weights.arrays.push_back(std::move(array));
  }
  // The format sorts by name; the layers were made in the order of their numbers.
  std::stable_sort(
      weights.arrays.begin(), weights.arrays.end(),
      [](const WeightArray& a, const WeightArray& b) { return natural_less(a.name, b.name); });
  pair_norms(weights.arrays);
  return weights;
}

}  // namespace

extern constinit const WeightFormatEntry safetensors_weights{
    "safetensors", "a state dict by the safetensors package", recognises, read};

}  // namespace letterpress
