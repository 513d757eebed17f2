#pragma once
#include <cstdint>
#include <memory>
#include <string>

namespace letterpress {

/// Progress of `total` things on stderr: on a terminal a bar with rate and ETA, redrawn at most 10
/// times a second, else one line every 10 s and a last one. Thread-safe.
class Progress {
 public:
  Progress(std::string label, std::int64_t total,
           std::string unit);  ///< ("preparing", 364, "pictures")
  ~Progress();                 ///< prints the last line
  void add(std::int64_t n = 1);
  void note(const std::string& text);  ///< a line above the bar

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// "1 h 05 min", "12 s"
std::string duration_text(double seconds);

}  // namespace letterpress
