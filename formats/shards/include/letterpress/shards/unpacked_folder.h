#pragma once
#include <filesystem>

namespace letterpress {

/// Where a store keeps the tars of archives that are compressed as a whole. Safe to delete.
inline std::filesystem::path unpacked_folder(const std::filesystem::path& store) {
  return store / "cache" / "unpacked";
}

}  // namespace letterpress
