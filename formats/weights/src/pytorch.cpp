#include <algorithm>
#include <array>
#include <map>
#include <optional>

#include "letterpress/base/error.h"
#include "pickle.h"
#include "registry.h"
#include "to_floats.h"
#include "weight_names.h"
#include "zip_archive.h"

namespace letterpress {
namespace {

using Kind = PickleNode::Kind;
constexpr std::string_view kZip("PK\x03\x04", 4);
// The magic number of torch.save before 1.6, as a pickle.
constexpr std::string_view kOld("\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19", 14);
constexpr const char* kSaveIt = "in Python: torch.save(model.state_dict(), \"weights.pt\")";
constexpr std::array<std::pair<const char*, DType>, 4> kStorages{
    {{"torch.FloatStorage", DType::f32},
     {"torch.HalfStorage", DType::f16},
     {"torch.BFloat16Storage", DType::bf16},
     {"torch.DoubleStorage", DType::f64}}};
// The keys under which training scripts store the weights, the likeliest first.
constexpr std::array kUsualKeys{"state_dict", "model_state_dict", "model",
                                "net",        "weights",          "params"};

bool recognises(std::string_view begin) {
  return begin.starts_with(kZip) || begin.starts_with(kOld);
}

/// A tensor as the pickle describes it: numbers of a storage, picked by strides.
struct Strided {
  std::string storage;
  std::optional<DType> type;  // nothing: whole numbers
  std::int64_t offset = 0;
  std::vector<std::int64_t> shape, strides;
};

class StateDict {
 public:
  explicit StateDict(const std::filesystem::path& path) : archive_(path), path_(path.string()) {
    for (const auto& [name, entry] : archive_.entries()) {
      if (name.ends_with("/data.pkl")) folder_ = name.substr(0, name.size() - 8);
    }
    if (folder_.empty())
      fail("is a zip archive without data.pkl, so torch.save did not write it", kSaveIt);
    if (archive_.entries().contains(folder_ + "byteorder") &&
        archive_.read(folder_ + "byteorder") != "little") {
      fail("was written by a big-endian machine", "load and save it on a little-endian one");
    }
    const std::string pickle = archive_.read(folder_ + "data.pkl");
    try {
      pickle_ = read_pickle(pickle);
    } catch (const Error& error) {
      fail(error.what(), std::string("is it a state dict? ") + kSaveIt);
    }
  }

  std::vector<WeightArray> arrays() {
    const std::size_t dict = find();
    std::vector<WeightArray> arrays;
    for (const auto& [key, value] : pairs(dict)) {
      if (const std::optional<std::size_t> tensor = tensor_call(value))
        arrays.push_back(array(pickle_[key].text, *tensor));
    }
    pair_norms(arrays);
    return arrays;
  }

 private:
  [[noreturn]] void fail(const std::string& what,
                         const std::string& fix = "the file is damaged, copy it again") const {
    throw Error({.where = path_, .what = what, .fix = fix});
  }

  bool is_dict(std::size_t index) const {
    const PickleNode& node = pickle_[index];
    return node.kind == Kind::dictionary ||
           (node.kind == Kind::call && calls(index, "collections.OrderedDict"));
  }
  bool calls(std::size_t index, const std::string& what) const {
    const PickleNode& node = pickle_[index];
    return node.kind == Kind::call && pickle_[node.items[0]].kind == Kind::global &&
           pickle_[node.items[0]].text == what;
  }
  std::vector<std::pair<std::size_t, std::size_t>> pairs(std::size_t dict) const {
    const PickleNode& node = pickle_[dict];
    std::vector<std::pair<std::size_t, std::size_t>> all;
    for (std::size_t i = node.kind == Kind::call ? 2 : 0; i + 1 < node.items.size(); i += 2)
      all.emplace_back(node.items[i], node.items[i + 1]);
    return all;
  }

  // A tensor, or the tensor of a parameter.
  std::optional<std::size_t> tensor_call(std::size_t index) const {
    if (calls(index, "torch._utils._rebuild_tensor_v2")) return index;
    if (!calls(index, "torch._utils._rebuild_parameter")) return std::nullopt;
    const std::vector<std::size_t>& arguments = pickle_[pickle_[index].items[1]].items;
    return !arguments.empty() && calls(arguments[0], "torch._utils._rebuild_tensor_v2")
               ? std::optional(arguments[0])
               : std::nullopt;
  }
  bool holds_tensors(std::size_t index) const {
    if (!is_dict(index)) return false;
    const auto all = pairs(index);
    return std::any_of(all.begin(), all.end(),
                       [&](const auto& pair) { return tensor_call(pair.second).has_value(); });
  }

  // The dictionary of tensors: what was saved, or a part of it.
  std::size_t find() const {
    if (holds_tensors(pickle_.root)) return pickle_.root;
    std::map<std::string, std::size_t> parts;
    if (is_dict(pickle_.root)) {
      for (const auto& [key, value] : pairs(pickle_.root)) parts.emplace(pickle_[key].text, value);
    }
    for (const char* key : kUsualKeys) {
      if (parts.contains(key) && holds_tensors(parts.at(key))) return parts.at(key);
    }
    for (const auto& [key, part] : parts) {
      if (holds_tensors(part)) return part;
    }
    fail(std::string("holds no state dict but ") +
             (is_dict(pickle_.root) ? "other things" : "a whole pickled object") +
             ", which only the Python code that made it can read",
         kSaveIt);
  }

  std::vector<std::int64_t> integers(std::size_t index) const {
    std::vector<std::int64_t> values;
    for (const std::size_t item : pickle_[index].items) values.push_back(pickle_[item].integer);
    return values;
  }

  // Arguments: storage, first element, shape, strides, and two that do not matter.
  Strided describe(const std::string& name, std::size_t tensor) const {
    const std::vector<std::size_t>& arguments = pickle_[pickle_[tensor].items[1]].items;
    if (arguments.size() < 4 || pickle_[arguments[0]].kind != Kind::persistent)
      fail("tensor '" + name + "' has no storage");
    // ('storage', class, key, device, number of elements)
    const std::vector<std::size_t>& storage = pickle_[pickle_[arguments[0]].items[0]].items;
    if (storage.size() < 3) fail("tensor '" + name + "' has a storage without a name");
    Strided strided{pickle_[storage[2]].text, std::nullopt, pickle_[arguments[1]].integer,
                    integers(arguments[2]), integers(arguments[3])};
    for (const auto& [type_name, type] : kStorages) {
      if (pickle_[storage[1]].text == type_name) strided.type = type;
    }
    return strided;
  }

  WeightArray array(const std::string& name, std::size_t tensor) {
    const Strided strided = describe(name, tensor);
    WeightArray array = named_as_pytorch(name, strided.shape);
    if (strided.type) array.values = pick(name, strided);
    return array;
  }

  // Tensors may share a storage and be views of it.
  const std::vector<float>& storage(const Strided& strided) {
    if (strided.storage == last_storage_) return storage_;
    const std::string bytes = archive_.read(folder_ + "data/" + strided.storage);
    storage_ = to_floats(*strided.type, std::as_bytes(std::span(bytes)));
    last_storage_ = strided.storage;
    return storage_;
  }

  std::vector<float> pick(const std::string& name, const Strided& strided) {
    const std::vector<float>& all = storage(strided);
    const auto size = static_cast<std::int64_t>(all.size());
    std::int64_t count = 1, last = strided.offset;
    bool fits = strided.offset >= 0 && strided.shape.size() == strided.strides.size();
    for (std::size_t i = 0; fits && i < strided.shape.size(); ++i) {
      std::int64_t reach = 0;
      fits = strided.shape[i] >= 0 && strided.strides[i] >= 0 &&
             !__builtin_mul_overflow(count, strided.shape[i], &count) &&
             !__builtin_mul_overflow(std::max<std::int64_t>(strided.shape[i] - 1, 0),
                                     strided.strides[i], &reach) &&
             !__builtin_add_overflow(last, reach, &last);
    }
    if (!fits || (count > 0 && last >= size) || count > size) {
      fail("tensor '" + name + "' reaches past its storage of " + std::to_string(size) +
           " numbers");
    }
    std::vector<float> values(static_cast<std::size_t>(count));
    std::vector<std::int64_t> at(strided.shape.size(), 0);
    std::int64_t from = strided.offset;
    for (float& value : values) {
      value = all[static_cast<std::size_t>(from)];
      for (std::size_t axis = at.size(); axis-- > 0;) {
        from += strided.strides[axis];
        if (++at[axis] < strided.shape[axis]) break;
        from -= strided.strides[axis] * strided.shape[axis];
        at[axis] = 0;
      }
    }
    return values;
  }

  ZipArchive archive_;
  std::string path_, folder_;
  Pickle pickle_;
  std::string last_storage_;
  std::vector<float> storage_;
};

WeightFile read(const std::filesystem::path& path) {
  char magic[2] = {};
  File::open_to_read(path).read_at(0, std::as_writable_bytes(std::span(magic)));
  if (magic[0] != kZip[0]) {
    throw Error({.where = path.string(),
                 .what = "is of PyTorch before 1.6",
                 .fix = "write it again with a newer one, torch.save(torch.load(...), ...)"});
  }
  return {.format = "pytorch", .arrays = StateDict(path).arrays(), .norm_epsilon = 1e-5};
}

}  // namespace

extern constinit const WeightFormatEntry pytorch_weights{
    "pytorch", "a state dict by torch.save, PyTorch 1.6 or newer", recognises, read};

}  // namespace letterpress
