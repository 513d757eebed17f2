#include "pytorch_tensors.h"

#include <algorithm>
#include <array>

#include "letterpress/base/error.h"
#include "to_floats.h"
#include "weight_names.h"

namespace letterpress {
namespace {

using Kind = PickleNode::Kind;

constexpr std::array<std::pair<const char*, DType>, 4> kStorages{
    {{"torch.FloatStorage", DType::f32},
     {"torch.HalfStorage", DType::f16},
     {"torch.BFloat16Storage", DType::bf16},
     {"torch.DoubleStorage", DType::f64}}};

}  // namespace

struct PytorchFile::Strided {
  std::string storage;
  std::optional<DType> type;
  std::int64_t offset = 0;
  std::vector<std::int64_t> shape, strides;
};

PytorchFile::PytorchFile(const std::filesystem::path& path) : archive_(path), path_(path.string()) {
  for (const ZipEntry& entry : archive_.entries()) {
    if (entry.name.ends_with("/data.pkl")) folder_ = entry.name.substr(0, entry.name.size() - 8);
  }
  if (folder_.empty())
    fail("is a zip archive without data.pkl, so torch.save did not write it", kSaveStateDict);
  if (archive_.find(folder_ + "constants.pkl")) {
    fail("is a TorchScript program, not weights", "take the .pt file that it was exported from");
  }
  if (archive_.find(folder_ + "byteorder") && archive_.read(folder_ + "byteorder") != "little") {
    fail("was written by a big-endian machine", "load and save it on a little-endian one");
  }
  // A file of n bytes holds n / 2 numbers or fewer, each of which may be in a few tensors.
  values_left_ = 4 * static_cast<std::int64_t>(std::filesystem::file_size(path));
  const std::string pickle = archive_.read(folder_ + "data.pkl");
  try {
    pickle_ = read_pickle(pickle);
  } catch (const Error& error) {
    fail(error.what(), std::string("is it a state dict? ") + kSaveStateDict);
  }
  const std::string call = foreign_call(pickle_);
  if (!call.empty()) {
    fail("calls " + call + " when Python loads it, which weights do not need; nothing was executed",
         std::string("if you trust its origin, ") + kSaveStateDict);
  }
}

void PytorchFile::fail(const std::string& what, const std::string& fix) const {
  throw Error({.where = path_, .what = what, .fix = fix});
}

std::optional<std::size_t> PytorchFile::tensor(std::size_t index) const {
  if (index == kNoNode) return std::nullopt;
  if (is_call(pickle_, index, "torch._utils._rebuild_tensor_v2")) return index;
  if (!is_call(pickle_, index, "torch._utils._rebuild_parameter") &&
      !is_call(pickle_, index, "torch._utils._rebuild_parameter_with_state"))
    return std::nullopt;
  const std::vector<std::size_t>& arguments = pickle_[pickle_[index].items[1]].items;
  return !arguments.empty() && is_call(pickle_, arguments[0], "torch._utils._rebuild_tensor_v2")
             ? std::optional(arguments[0])
             : std::nullopt;
}

std::vector<std::int64_t> PytorchFile::integers(std::size_t index) const {
  std::vector<std::int64_t> values;
  for (const std::size_t item : pickle_[index].items) values.push_back(pickle_[item].integer);
  return values;
}

// Arguments: storage, first element, shape, strides, and two that do not matter.
PytorchFile::Strided PytorchFile::describe(const std::string& name, std::size_t tensor) const {
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

std::size_t PytorchFile::axes(std::size_t tensor) const {
  const std::vector<std::size_t>& arguments = pickle_[pickle_[tensor].items[1]].items;
  return arguments.size() > 2 ? pickle_[arguments[2]].items.size() : 0;
}

WeightArray PytorchFile::array(const std::string& name, std::size_t tensor) {
  const Strided strided = describe(name, tensor);
  WeightArray array = named_as_pytorch(name, strided.shape);
  if (strided.type) array.values = pick(name, strided);
  return array;
}

// Tensors may share a storage and be views of it.
const std::vector<float>& PytorchFile::storage(const Strided& strided) {
  if (strided.storage == last_storage_) return storage_;
  const std::string bytes = archive_.read(folder_ + "data/" + strided.storage);
  storage_ = to_floats(*strided.type, std::as_bytes(std::span(bytes)));
  last_storage_ = strided.storage;
  return storage_;
}

std::vector<float> PytorchFile::pick(const std::string& name, const Strided& strided) {
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
  if (!fits || (count > 0 && last >= size)) {
    fail("tensor '" + name + "' reaches past its storage of " + std::to_string(size) + " numbers");
  }
  values_left_ -= count;
  if (values_left_ < 0) fail("has more tensors on the same numbers than a network does");
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

}  // namespace letterpress
