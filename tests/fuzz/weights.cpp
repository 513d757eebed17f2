// Weight files of other programs. Which format the bytes are is told by the first of them, so each
// format but Darknet's gets them.
#include <string_view>

#include "formats/weights/src/pickle.h"
#include "letterpress/weights/safetensors.h"
#include "letterpress/weights/weight_file.h"
#include "target.h"

namespace letterpress {
namespace {

void check(const WeightFile& file) {
  for (const WeightArray& array : file.arrays) {
    std::int64_t elements = 1;
    for (const std::int64_t n : array.shape) elements *= n;
    if (!array.values.empty() && static_cast<std::int64_t>(array.values.size()) != elements)
      broken_promise("an array has other values than its shape says");
  }
}

FuzzTarget weights(const char* name, std::string_view begin) {
  return {name, [begin](const std::filesystem::path& folder, std::span<const std::byte> bytes) {
            check(read_weight_file(write_bytes(folder / "weights", behind(begin, bytes))));
          }};
}

void read_safetensors(const std::filesystem::path& folder, std::span<const std::byte> bytes) {
  const SafetensorsFile file(write_bytes(folder / "weights.safetensors", bytes));
  for (const auto& [name, array] : file.arrays()) {
    if (array.bytes < 0 || array.bytes > static_cast<std::int64_t>(bytes.size()))
      broken_promise("an array that is larger than the file");
    std::vector<std::byte> values(static_cast<std::size_t>(array.bytes));
    file.read(name, values);
  }
}

void read_pickle_alone(const std::filesystem::path&, std::span<const std::byte> bytes) {
  const Pickle pickle = read_pickle(text_of(bytes));
  (void)foreign_call(pickle);
  if (is_dictionary(pickle, pickle.root)) (void)value_of(pickle, pickle.root, "model");
}

}  // namespace

std::vector<FuzzTarget> weights_targets() {
  using namespace std::string_view_literals;
  return {weights("weights-any", ""),
          weights("weights-keras", "\x89HDF\r\n\x1a\n"),
          weights("weights-pytorch", "PK\x03\x04"),
          weights("weights-darknet", "\0\0\0\0\2\0\0\0"sv),
          {"pickle", read_pickle_alone},
          {"safetensors", read_safetensors}};
}

}  // namespace letterpress
