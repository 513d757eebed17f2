#include "pytorch_module.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "weight_names.h"

namespace letterpress {
namespace {

using Kind = PickleNode::Kind;
// Far more than networks have: a file may be made to hold a module in two places of each other.
constexpr std::size_t kMaxDepth = 32, kMaxModules = 20'000, kMaxClasses = 100'000;
constexpr std::int64_t kMaxSide = 1 << 16;
// Where programs keep the network, the one to use first.
constexpr std::array kNetworkKeys{"ema", "model", "net", "network", "module"};

std::size_t attribute(const Pickle& pickle, std::size_t object, std::string_view key) {
  if (pickle[object].state == kNoNode) return kNoNode;
  return value_of(pickle, pickle[object].state, key);
}

bool is_module(const Pickle& pickle, std::size_t index) {
  return pickle[index].kind == Kind::object && attribute(pickle, index, "_modules") != kNoNode &&
         attribute(pickle, index, "_parameters") != kNoNode;
}

std::string joined(const std::string& path, const std::string& name) {
  return path.empty() ? name : path + "." + name;
}

/// One or several numbers; empty: something else.
std::vector<double> numbers_of(const Pickle& pickle, std::size_t index) {
  const PickleNode& node = pickle[index];
  if (node.kind == Kind::integer || node.kind == Kind::boolean)
    return {static_cast<double>(node.integer)};
  if (node.kind == Kind::real) return {node.real};
  if (node.kind != Kind::sequence) return {};
  std::vector<double> numbers;
  for (const std::size_t item : node.items) {
    const PickleNode& one = pickle[item];
    if (one.kind != Kind::integer && one.kind != Kind::real) return {};
    numbers.push_back(one.kind == Kind::real ? one.real : static_cast<double>(one.integer));
  }
  return numbers;
}

/// Of a list of names, or of a dict from numbers 0, 1, ... to names; empty: of something else.
std::vector<std::string> class_names(const Pickle& pickle, std::size_t index) {
  std::vector<std::pair<std::int64_t, std::size_t>> named;
  if (is_dictionary(pickle, index)) {
    for (const auto& [key, value] : pairs_of(pickle, index))
      named.emplace_back(pickle[key].kind == Kind::integer ? pickle[key].integer : -1, value);
  } else if (pickle[index].kind == Kind::sequence) {
    for (const std::size_t item : pickle[index].items)
      named.emplace_back(static_cast<std::int64_t>(named.size()), item);
  }
  if (named.size() > kMaxClasses) return {};
  std::vector<std::string> names(named.size());
  for (const auto& [place, value] : named) {
    const bool fits = place >= 0 && place < static_cast<std::int64_t>(names.size()) &&
                      pickle[value].kind == Kind::text && !pickle[value].text.empty();
    if (!fits || !names[static_cast<std::size_t>(place)].empty()) return {};
    names[static_cast<std::size_t>(place)] = pickle[value].text;
  }
  return names;
}

int side_of(const Pickle& pickle, std::size_t settings) {
  if (settings == kNoNode) return 0;
  const std::size_t side = is_dictionary(pickle, settings) ? value_of(pickle, settings, "imgsz")
                                                           : attribute(pickle, settings, "imgsz");
  const std::vector<double> sides =
      side == kNoNode ? std::vector<double>{} : numbers_of(pickle, side);
  const bool is_square = !sides.empty() && std::ranges::count(sides, sides.front()) ==
                                               static_cast<std::ptrdiff_t>(sides.size());
  if (!is_square || sides.size() > 2 || sides.front() != std::floor(sides.front())) return 0;
  return sides.front() > 0 && sides.front() <= kMaxSide ? static_cast<int>(sides.front()) : 0;
}

class ModuleWalk {
 public:
  ModuleWalk(PytorchFile& file, WeightFile& weights)
      : file_(file), pickle_(file.pickle()), weights_(weights) {}

  void walk(std::size_t index, const std::string& path) {
    if (!is_module(pickle_, index)) return;
    if (std::find(inside_.begin(), inside_.end(), index) != inside_.end())
      file_.fail("has a module that holds itself, " + path);
    if (inside_.size() >= kMaxDepth || weights_.modules.size() >= kMaxModules)
      file_.fail("has more modules in each other than a network does, at " + path);
    inside_.push_back(index);
    describe(index, path);
    for (const char* kind : {"_parameters", "_buffers"}) add_tensors(index, kind, path);
    for (const auto& [name, module] : pairs_in(index, "_modules"))
      walk(module, joined(path, pickle_[name].text));
    inside_.pop_back();
  }

 private:
  using Pairs = std::vector<std::pair<std::size_t, std::size_t>>;

  Pairs pairs_in(std::size_t module, std::string_view key) const {
    const std::size_t found = attribute(pickle_, module, key);
    return found != kNoNode && is_dictionary(pickle_, found) ? pairs_of(pickle_, found) : Pairs{};
  }

  void add_tensors(std::size_t module, std::string_view kind, const std::string& path) {
    for (const auto& [name, value] : pairs_in(module, kind)) {
      if (const std::optional<std::size_t> tensor = file_.tensor(value))
        weights_.arrays.push_back(file_.array(joined(path, pickle_[name].text), *tensor));
    }
  }

  void describe(std::size_t index, const std::string& path) {
    WeightModule module{.name = std::string(without_wrapper(path)),
                        .kind = pickle_[pickle_[index].items[0]].text};
    for (const auto& [key, value] : pairs_of(pickle_, pickle_[index].state)) {
      std::vector<double> numbers = numbers_of(pickle_, value);
      if (!numbers.empty()) module.numbers.emplace(pickle_[key].text, std::move(numbers));
    }
    weights_.modules.push_back(std::move(module));
    const std::size_t names = attribute(pickle_, index, "names"),
                      settings = attribute(pickle_, index, "args");
    if (names != kNoNode && weights_.classes.empty())
      weights_.classes = class_names(pickle_, names);
    if (weights_.side == 0) weights_.side = side_of(pickle_, settings);
  }

  PytorchFile& file_;
  const Pickle& pickle_;
  WeightFile& weights_;
  std::vector<std::size_t> inside_;  ///< the modules around the one that is read
};

std::size_t find_below(const Pickle& pickle, std::size_t index, int depth) {
  if (index == kNoNode || depth > 2) return kNoNode;
  if (is_module(pickle, index)) return index;
  for (const char* key : kNetworkKeys) {
    const std::size_t inner =
        is_dictionary(pickle, index) ? value_of(pickle, index, key) : attribute(pickle, index, key);
    const std::size_t found = find_below(pickle, inner, depth + 1);
    if (found != kNoNode) return found;
  }
  return kNoNode;
}

}  // namespace

std::size_t find_module(const Pickle& pickle, std::size_t index) {
  return find_below(pickle, index, 0);
}

void read_module(PytorchFile& file, std::size_t module, WeightFile& weights) {
  ModuleWalk(file, weights).walk(module, "");
  const Pickle& pickle = file.pickle();
  if (weights.side == 0)
    weights.side = side_of(pickle, value_of(pickle, pickle.root, "train_args"));
}

}  // namespace letterpress
