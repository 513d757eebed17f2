#include <algorithm>
#include <array>
#include <map>

#include "letterpress/base/error.h"
#include "letterpress/base/file.h"
#include "pytorch_module.h"
#include "pytorch_tensors.h"
#include "registry.h"
#include "weight_names.h"

namespace letterpress {
namespace {

constexpr std::string_view kZip("PK\x03\x04", 4);
// The magic number of torch.save before 1.6, as a pickle.
constexpr std::string_view kOld("\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19", 14);
// The keys under which training scripts store the weights, the averaged ones first, which are to
// be used, then the likeliest.
constexpr std::array kUsualKeys{"ema",        "ema_state_dict",   "model_ema", "ema_model",
                                "state_dict", "model_state_dict", "model",     "net",
                                "weights",    "params",           "module"};

bool recognises(std::string_view begin) {
  return begin.starts_with(kZip) || begin.starts_with(kOld);
}

// Among the tensors of a network some have two axes or more; counts and decays of training scripts
// are numbers.
bool holds_weights(const PytorchFile& file, std::size_t index) {
  if (!is_dictionary(file.pickle(), index)) return false;
  const auto all = pairs_of(file.pickle(), index);
  return std::any_of(all.begin(), all.end(), [&](const auto& pair) {
    const std::optional<std::size_t> tensor = file.tensor(pair.second);
    return tensor && file.axes(*tensor) >= 2;
  });
}

/// The dictionary of tensors: what was saved, or a part of it, or under a usual key a part of that;
/// kNoNode: there is none. path: the keys that lead there.
std::size_t find_state_dict(const PytorchFile& file, std::size_t index, std::string& path,
                            int depth = 0) {
  constexpr int kDeepest = 2;
  const Pickle& pickle = file.pickle();
  if (holds_weights(file, index)) return index;
  if (depth == kDeepest || !is_dictionary(pickle, index)) return kNoNode;
  std::map<std::string, std::size_t> parts;
  for (const auto& [key, value] : pairs_of(pickle, index)) parts.emplace(pickle[key].text, value);
  const auto below = [&](const std::string& key) { return path + (path.empty() ? "" : ".") + key; };
  for (const char* key : kUsualKeys) {
    const auto part = parts.find(key);
    if (part == parts.end()) continue;
    std::string there = below(key);
    const std::size_t found = find_state_dict(file, part->second, there, depth + 1);
    if (found == kNoNode) continue;
    path = std::move(there);
    return found;
  }
  if (depth > 0) return kNoNode;
  for (const auto& [key, part] : parts) {
    if (!holds_weights(file, part)) continue;
    path = below(key);
    return part;
  }
  return kNoNode;
}

void read_state_dict(PytorchFile& file, std::size_t dictionary, WeightFile& weights) {
  for (const auto& [key, value] : pairs_of(file.pickle(), dictionary)) {
    if (const std::optional<std::size_t> tensor = file.tensor(value))
      weights.arrays.push_back(file.array(file.pickle()[key].text, *tensor));
  }
}

WeightFile read(const std::filesystem::path& path) {
  char magic[2] = {};
  File::open_to_read(path).read_at(0, std::as_writable_bytes(std::span(magic)));
  if (magic[0] != kZip[0]) {
    throw Error({.where = path.string(),
                 .what = "is of PyTorch before 1.6",
                 .fix = "write it again with a newer one, torch.save(torch.load(...), ...)"});
  }
  PytorchFile file(path);
  WeightFile weights{.format = "pytorch"};
  const std::size_t module = find_module(file.pickle(), file.pickle().root);
  const std::size_t state =
      module == kNoNode ? find_state_dict(file, file.pickle().root, weights.part) : kNoNode;
  if (module == kNoNode && state == kNoNode)
    file.fail("holds neither a state dict nor a module of PyTorch", kSaveStateDict);
  if (module != kNoNode) read_module(file, module, weights);
  if (state != kNoNode) read_state_dict(file, state, weights);
  pair_norms(weights.arrays);
  return weights;
}

}  // namespace

extern constinit const WeightFormatEntry pytorch_weights{
    "pytorch",
    "a state dict or a whole module by torch.save, PyTorch 1.6 or newer, also Ultralytics' best.pt",
    recognises, read};

}  // namespace letterpress
