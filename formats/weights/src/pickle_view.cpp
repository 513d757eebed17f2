#include <algorithm>
#include <array>

#include "pickle.h"

namespace letterpress {
namespace {

using Kind = PickleNode::Kind;

// What files of PyTorch, NumPy and Ultralytics call to build numbers, containers, paths and dates.
constexpr std::array<std::string_view, 44> kHarmless{"__builtin__.bytearray",
                                                     "__builtin__.complex",
                                                     "__builtin__.dict",
                                                     "__builtin__.frozenset",
                                                     "__builtin__.list",
                                                     "__builtin__.set",
                                                     "__builtin__.slice",
                                                     "__builtin__.tuple",
                                                     "_codecs.encode",
                                                     "builtins.bytearray",
                                                     "builtins.complex",
                                                     "builtins.dict",
                                                     "builtins.frozenset",
                                                     "builtins.list",
                                                     "builtins.set",
                                                     "builtins.slice",
                                                     "builtins.tuple",
                                                     "collections.Counter",
                                                     "collections.OrderedDict",
                                                     "collections.defaultdict",
                                                     "collections.deque",
                                                     "datetime.date",
                                                     "datetime.datetime",
                                                     "datetime.timedelta",
                                                     "datetime.timezone",
                                                     "decimal.Decimal",
                                                     "fractions.Fraction",
                                                     "numpy._core.multiarray._reconstruct",
                                                     "numpy._core.multiarray.scalar",
                                                     "numpy.core.multiarray._reconstruct",
                                                     "numpy.core.multiarray.scalar",
                                                     "numpy.dtype",
                                                     "numpy.ndarray",
                                                     "pathlib.PosixPath",
                                                     "pathlib.Path",
                                                     "pathlib.PurePosixPath",
                                                     "pathlib.WindowsPath",
                                                     "torch.Size",
                                                     "torch._tensor._rebuild_from_type_v2",
                                                     "torch.device",
                                                     "torch.serialization._get_layout",
                                                     "torch.storage.TypedStorage",
                                                     "torch.torch_version.TorchVersion",
                                                     "uuid.UUID"};

// A fused module's `forward` is getattr(module, "forward_fuse"): of an object in the file, not of
// something imported.
bool is_own_method(const Pickle& pickle, const PickleNode& call, std::string_view function) {
  if (function != "__builtin__.getattr" && function != "builtins.getattr") return false;
  const std::vector<std::size_t>& arguments = pickle[call.items[1]].items;
  return arguments.size() == 2 && pickle[arguments[0]].kind == Kind::object &&
         pickle[arguments[1]].text.starts_with("forward");
}

bool is_harmless(const Pickle& pickle, const PickleNode& call) {
  const PickleNode& what = pickle[call.items[0]];
  if (what.kind != Kind::global) return false;
  // Ultralytics' settings: names and values, nothing else.
  const bool is_namespace =
      what.text == "types.SimpleNamespace" ||
      (what.text.starts_with("ultralytics.") && what.text.ends_with(".IterableSimpleNamespace"));
  return is_namespace || what.text.starts_with("torch._utils._rebuild_") ||
         std::find(kHarmless.begin(), kHarmless.end(), what.text) != kHarmless.end() ||
         is_own_method(pickle, call, what.text);
}

}  // namespace

bool is_call(const Pickle& pickle, std::size_t index, std::string_view what) {
  const PickleNode& node = pickle[index];
  return node.kind == Kind::call && pickle[node.items[0]].kind == Kind::global &&
         pickle[node.items[0]].text == what;
}

bool is_dictionary(const Pickle& pickle, std::size_t index) {
  return pickle[index].kind == Kind::dictionary ||
         is_call(pickle, index, "collections.OrderedDict");
}

std::vector<std::pair<std::size_t, std::size_t>> pairs_of(const Pickle& pickle, std::size_t index) {
  const PickleNode& node = pickle[index];
  std::vector<std::pair<std::size_t, std::size_t>> all;
  for (std::size_t i = node.kind == Kind::call ? 2 : 0; i + 1 < node.items.size(); i += 2)
    all.emplace_back(node.items[i], node.items[i + 1]);
  return all;
}

std::size_t value_of(const Pickle& pickle, std::size_t dictionary, std::string_view key) {
  if (!is_dictionary(pickle, dictionary)) return kNoNode;
  for (const auto& [name, value] : pairs_of(pickle, dictionary)) {
    if (pickle[name].kind == Kind::text && pickle[name].text == key) return value;
  }
  return kNoNode;
}

std::string foreign_call(const Pickle& pickle) {
  for (const PickleNode& node : pickle.nodes) {
    if (node.kind != Kind::call || is_harmless(pickle, node)) continue;
    const PickleNode& what = pickle[node.items[0]];
    return what.kind == Kind::global ? what.text : "a function that it made itself";
  }
  return "";
}

}  // namespace letterpress
