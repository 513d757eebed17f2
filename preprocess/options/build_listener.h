#pragma once
#include <cstdint>
#include <string>

namespace letterpress {

/// Hears how a build goes on; this one ignores all of it. Calls come from one thread at a time,
/// except advance(), which comes from all.
class BuildListener {
 public:
  virtual ~BuildListener() = default;
  /// A stage begins: ("preparing", 364, "pictures").
  virtual void stage(const std::string& /*label*/, std::int64_t /*total*/,
                     const std::string& /*unit*/) {}
  /// n more of the stage's total are done.
  virtual void advance(std::int64_t /*n*/) {}
  virtual void note(const std::string& /*text*/) {}
};

}  // namespace letterpress
