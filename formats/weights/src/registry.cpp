#include "registry.h"

#include <algorithm>
#include <array>

#include "letterpress/base/error.h"
#include "letterpress/base/file.h"
#include "letterpress/base/registry.h"

namespace letterpress {
namespace {

// In the order in which they are asked: Darknet's header is the weakest sign.
constexpr std::array entries{&keras_weights, &pytorch_weights, &safetensors_weights,
                             &darknet_weights};

std::string begin_of(const std::filesystem::path& file) {
  if (!std::filesystem::exists(file)) throw Error(file.string() + ": is not there", Exit::no_input);
  const File opened = File::open_to_read(file);
  if (!opened.is_regular())
    throw Error(file.string() + ": is no regular file (a folder, FIFO or device); name a file",
                Exit::no_input);
  std::string begin(static_cast<std::size_t>(std::min<std::int64_t>(opened.size(), kBeginBytes)),
                    '\0');
  opened.read_at(0, std::as_writable_bytes(std::span(begin)));
  return begin;
}

}  // namespace

WeightFile read_weight_file(const std::filesystem::path& file) {
  const std::string begin = begin_of(file);
  std::string known;
  for (const WeightFormatEntry* entry : entries) {
    if (entry->recognises(begin)) return entry->read(file);
    known += std::string(known.empty() ? "" : "; ") + entry->name + ": " + entry->help;
  }
  throw Error(file.string() +
              ": is no weight file of a known format, or was cut at its begin; known are " + known);
}

std::vector<WeightFormatInfo> weight_format_infos() { return infos_of<WeightFormatInfo>(entries); }

}  // namespace letterpress
