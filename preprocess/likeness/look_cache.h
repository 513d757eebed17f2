#pragma once
#include <filesystem>
#include <unordered_map>

#include "letterpress/base/hash.h"
#include "preprocess/likeness/look.h"

namespace letterpress {

/// cache/looks of a store: a picture's bytes -> its look, so that no picture is decoded for it
/// twice. It only saves work and may be deleted at any time.
class LookCache {
 public:
  static LookCache load(const std::filesystem::path& file);  ///< empty when the file is absent,
                                                             ///< damaged or of another version
  void save(const std::filesystem::path& file) const;        ///< atomically; throws Error

  /// nullptr for a picture that was not looked at. Valid until the next remember().
  const Look* find(const Hash128& picture) const;
  void remember(const Hash128& picture, Look look);
  std::int64_t size() const noexcept { return static_cast<std::int64_t>(looks_.size()); }
  bool operator==(const LookCache&) const = default;

 private:
  std::unordered_map<Hash128, Look> looks_;
};

}  // namespace letterpress
