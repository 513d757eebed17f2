#pragma once
#include <filesystem>
#include <map>
#include <string>

#include "tests/preprocess/drawn_set.h"

namespace letterpress {

/// Names and bytes of what a reader of the store sees.
inline std::map<std::string, std::string> published_files(const std::filesystem::path& store) {
  std::map<std::string, std::string> files;
  for (const char* folder : {"shards", "snapshots"}) {
    for (const auto& entry : std::filesystem::directory_iterator(store / folder)) {
      files[entry.path().filename().string()] = file_text(entry.path());
    }
  }
  return files;
}

}  // namespace letterpress
