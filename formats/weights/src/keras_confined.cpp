#include <cstring>
#include <stdexcept>

#include "keras_arrays.h"
#include "letterpress/base/confined.h"

namespace letterpress {
namespace {

constexpr int kLeastSeconds = 4;                    // HDF5 can be made to go round in circles
constexpr std::size_t kAboutAHeadBytes = 256;       // of an array: its names and shape
constexpr std::int64_t kBytesPerSecond = 10 << 20;  // that HDF5 reads, on a slow machine

// Numbers of 64 bits, and bytes behind their number.
class Sender {
 public:
  explicit Sender(std::size_t about_bytes) { bytes_.reserve(about_bytes); }
  void add(std::uint64_t number) { add_bytes(&number, sizeof(number)); }
  void add(std::string_view text) {
    add(std::uint64_t{text.size()});
    add_bytes(text.data(), text.size());
  }
  template <class T>
  void add(const std::vector<T>& values) {
    add(std::string_view(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)));
  }
  std::string sent() && { return std::move(bytes_); }

 private:
  void add_bytes(const void* data, std::size_t n) {
    bytes_.append(static_cast<const char*>(data), n);
  }
  std::string bytes_;
};

class Receiver {
 public:
  explicit Receiver(std::string_view bytes) : rest_(bytes) {}
  std::uint64_t number() {
    std::uint64_t number = 0;
    std::memcpy(&number, take(sizeof(number)).data(), sizeof(number));
    return number;
  }
  std::string_view text() { return take(number()); }
  template <class T>
  std::vector<T> values() {
    const std::string_view bytes = text();
    std::vector<T> values(bytes.size() / sizeof(T));
    if (!values.empty()) std::memcpy(values.data(), bytes.data(), values.size() * sizeof(T));
    return values;
  }
  bool is_empty() const { return rest_.empty(); }

 private:
  std::string_view take(std::uint64_t n) {
    if (n > rest_.size()) throw std::runtime_error("fewer bytes than it says");
    const std::string_view taken = rest_.substr(0, n);
    rest_.remove_prefix(n);
    return taken;
  }
  std::string_view rest_;
};

std::string packed(const HDF5Weights& weights) {
  const std::vector<WeightArray>& arrays = weights.arrays;
  std::size_t values = 0;
  for (const WeightArray& array : arrays) values += array.values.size();
  Sender sender(values * sizeof(float) + arrays.size() * kAboutAHeadBytes +
                weights.model_config.size());
  sender.add(weights.model_config);
  for (const WeightArray& array : arrays) {
    sender.add(array.name);
    sender.add(array.layer);
    sender.add(static_cast<std::uint64_t>(array.role));
    sender.add(array.shape);
    sender.add(array.values);
  }
  return std::move(sender).sent();
}

bool has_shape(const WeightArray& array) {
  std::int64_t elements = 1;
  for (const std::int64_t size : array.shape) {
    if (size < 0 || __builtin_mul_overflow(elements, size, &elements)) return false;
  }
  return elements == static_cast<std::int64_t>(array.values.size());
}

// Who sent the bytes may have been brought down in any way: nothing of them is believed.
HDF5Weights unpacked(std::string_view bytes) {
  HDF5Weights weights;
  std::vector<WeightArray>& arrays = weights.arrays;
  Receiver receiver(bytes);
  weights.model_config = receiver.text();
  while (!receiver.is_empty()) {
    if (arrays.size() == hdf5::kMostMembers) throw std::runtime_error("arrays without end");
    WeightArray& array = arrays.emplace_back();
    array.name = receiver.text();
    array.layer = receiver.text();
    const std::uint64_t role = receiver.number();
    array.role = static_cast<WeightRole>(role);
    array.shape = receiver.values<std::int64_t>();
    array.values = receiver.values<float>();
    if (role > static_cast<std::uint64_t>(WeightRole::other) || !has_shape(array))
      throw std::runtime_error("no such array");
  }
  return weights;
}

}  // namespace

HDF5Weights read_hdf5_confined(std::string_view bytes, const std::string& name,
                               const HDF5Reading& read) {
  const auto size = static_cast<std::int64_t>(bytes.size());
  // HDF5's copy of the file; the arrays as they are read, and as they are sent.
  const std::int64_t arrays = ArrayBudget(bytes.size()).left();
  const ConfinedLimits limits{.memory_bytes = 2 * size + 3 * arrays,
                              .result_bytes = size + arrays,
                              .seconds = kLeastSeconds + static_cast<int>(size / kBytesPerSecond)};
  hdf5::start_library();
  const std::string reply = run_confined(name, limits, [&] {
    const hdf5::File file = hdf5::open_foreign(bytes, name);
    ArrayBudget budget(bytes.size());
    return packed(read(file, budget));
  });
  try {
    return unpacked(reply);
  } catch (const std::runtime_error&) {
    throw wrong_answer(name);
  }
}

}  // namespace letterpress
