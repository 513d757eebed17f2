#pragma once
#include <sys/types.h>

#include <filesystem>
#include <functional>
#include <string>

namespace letterpress {

/// A `letterpress-preprocess refresh --follow` beside a training, from the constructor to the
/// destructor. What it prints goes to stderr. The kernel ends it when this process is killed.
class ViewRefresher {
 public:
  /// Throws Error (configuration) when the program is neither beside this one nor in PATH, (io)
  /// when it cannot be started. note: told when it has ended before its time.
  ViewRefresher(const std::filesystem::path& store, int threads,
                std::function<void(const std::string&)> note);
  ~ViewRefresher();
  ViewRefresher(const ViewRefresher&) = delete;
  ViewRefresher& operator=(const ViewRefresher&) = delete;

 private:
  std::function<void(const std::string&)> note_;
  pid_t process_ = -1;
};

}  // namespace letterpress
