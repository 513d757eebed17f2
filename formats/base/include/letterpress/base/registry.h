#pragma once
#include <string>
#include <vector>

#include "letterpress/base/entry_info.h"
#include "letterpress/base/error.h"
#include "letterpress/base/suggest.h"

namespace letterpress {

/// The entry called `name` in a registry: a range of pointers to entries that have a `name`. Throws
/// Error "unknown schedule 'cosin'; did you mean 'cosine'? known: ..." with that exit code.
template <class Entries>
const auto& find_entry(const Entries& entries, const char* kind, const std::string& name,
                       Exit exit = Exit::usage) {
  std::vector<std::string> known;
  for (const auto* entry : entries) {
    if (entry->name == name) return *entry;
    known.emplace_back(entry->name);
  }
  throw Error(unknown_name(kind, name, known), exit);
}

/// Of every entry, in the registry's order.
template <class Entries>
std::vector<EntryInfo> infos_of(const Entries& entries) {
  std::vector<EntryInfo> infos;
  for (const auto* entry : entries) infos.push_back({entry->name, entry->help});
  return infos;
}

/// "png: lossless; jpeg: smaller", of pointers to entries or of infos.
template <class Entries>
std::string help_of(const Entries& entries) {
  std::string text;
  const auto add = [&text](const auto& entry) {
    text.append(text.empty() ? "" : "; ").append(entry.name).append(": ").append(entry.help);
  };
  for (const auto& entry : entries) {
    if constexpr (requires { entry->name; })
      add(*entry);
    else
      add(entry);
  }
  return text;
}

}  // namespace letterpress
