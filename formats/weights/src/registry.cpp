#include "registry.h"

#include <algorithm>
#include <array>

#include "letterpress/base/error.h"
#include "letterpress/base/file.h"
#include "letterpress/base/registry.h"

namespace letterpress {
namespace {

// In the order in which they are tried: Darknet's header is the weakest sign.
constexpr std::array entries{&keras_weights, &keras_model, &pytorch_weights, &safetensors_weights,
                             &darknet_weights};

std::string begin_of(const std::filesystem::path& file) {
  const File opened = File::open_to_read(file);
  std::string begin(
      static_cast<std::size_t>(std::min<std::int64_t>(opened.regular_size(), kBeginBytes)), '\0');
  opened.read_at(0, std::as_writable_bytes(std::span(begin)));
  return begin;
}

const WeightFormatEntry* entry_of(const std::filesystem::path& file) {
  const std::string begin = begin_of(file);
  const auto found = std::ranges::find_if(
      entries, [&](const WeightFormatEntry* entry) { return entry->recognises(begin); });
  return found == std::ranges::end(entries) ? nullptr : *found;
}

}  // namespace

WeightFile read_weight_file(const std::filesystem::path& file) {
  if (const WeightFormatEntry* entry = entry_of(file)) return entry->read(file);
  throw Error({.where = file.string(),
               .what = "is not a weight file of a known format, or was cut at its start",
               .fix = "known are " + help_of(entries)});
}

std::string weight_format_of(const std::filesystem::path& file) {
  const WeightFormatEntry* entry = entry_of(file);
  return entry ? std::string(entry->name) : "";
}

std::vector<EntryInfo> weight_format_infos() { return infos_of(entries); }

}  // namespace letterpress
