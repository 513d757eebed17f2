#pragma once
#include <cstdlib>
#include <optional>
#include <string>
#include <utility>

namespace letterpress {

/// A variable of the environment while it lives; value null: it is not set. What it was before
/// comes back. For tests without other threads.
class ScopedVariable {
 public:
  ScopedVariable(std::string name, const char* value) : name_(std::move(name)) {
    if (const char* before = std::getenv(name_.c_str())) before_ = before;
    set(value);
  }
  ~ScopedVariable() { set(before_ ? before_->c_str() : nullptr); }
  ScopedVariable(const ScopedVariable&) = delete;
  ScopedVariable& operator=(const ScopedVariable&) = delete;

 private:
  void set(const char* value) const {
    value ? setenv(name_.c_str(), value, 1) : unsetenv(name_.c_str());
  }

  std::string name_;
  std::optional<std::string> before_;
};

}  // namespace letterpress
