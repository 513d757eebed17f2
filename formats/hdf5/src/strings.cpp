#include "letterpress/hdf5/hdf5.h"
#include "types.h"

namespace letterpress::hdf5 {

void StringColumns::add(std::string_view text) {
  bytes.insert(bytes.end(), text.begin(), text.end());
  offsets.push_back(bytes.size());
}

StringColumns to_columns(const std::vector<std::string>& strings) {
  StringColumns columns;
  columns.offsets.reserve(strings.size() + 1);
  for (const std::string& text : strings) columns.add(text);
  return columns;
}

std::vector<std::string> to_strings(const StringColumns& columns, const std::string& where) {
  const auto& [bytes, offsets] = columns;
  bool good = !offsets.empty() && offsets.front() == 0 && offsets.back() == bytes.size();
  for (std::size_t i = 1; good && i < offsets.size(); ++i)
    good = offsets[i - 1] <= offsets[i] && offsets[i] <= bytes.size();
  if (!good) {
    throw Error({.where = where + "_offset",
                 .what = "does not ascend from 0 to the " + std::to_string(bytes.size()) +
                         " bytes of " + where + "_bytes",
                 .fix = "restore or rebuild this file"});
  }
  std::vector<std::string> strings;
  strings.reserve(offsets.size() - 1);
  const auto* text = reinterpret_cast<const char*>(bytes.data());
  for (std::size_t i = 1; i < offsets.size(); ++i)
    strings.emplace_back(text + offsets[i - 1], offsets[i] - offsets[i - 1]);
  return strings;
}

void write_strings(const File& file, const std::string& name, const StringColumns& strings) {
  write_column<std::uint8_t>(file, name + "_bytes", strings.bytes);
  write_column<std::uint64_t>(file, name + "_offset", strings.offsets);
}

std::vector<std::string> read_strings(const File& file, const std::string& name) {
  return to_strings({read_column<std::uint8_t>(file, name + "_bytes"),
                     read_column<std::uint64_t>(file, name + "_offset")},
                    where_of(file, name));
}

}  // namespace letterpress::hdf5
