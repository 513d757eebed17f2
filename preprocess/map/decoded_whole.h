#pragma once
#include <cstdint>
#include <map>
#include <mutex>
#include <string>

#include "preprocess/options/build_listener.h"

namespace letterpress {

/// Large pictures of tiles that could not be decoded in bands, by what they are. Thread-safe.
class DecodedWhole {
 public:
  /// what: "progressive JPEG"; empty for a damaged picture, which is not counted.
  void add(const std::string& what) {
    if (what.empty()) return;
    const std::lock_guard lock(mutex_);
    ++counts_[what];
  }

  void note(BuildListener& listener) const {
    if (counts_.empty()) return;
    std::int64_t all = 0;
    std::string kinds;
    for (const auto& [what, n] : counts_) {
      all += n;
      kinds += (kinds.empty() ? "" : ", ") + what + ": " + std::to_string(n);
    }
    listener.note("large pictures that had to be decoded whole, not in bands: " +
                  std::to_string(all) + " (" + kinds +
                  "); each took up to 6 bytes of memory per pixel; a baseline JPEG, a PNG without "
                  "interlacing or a TIFF in strips takes a band");
  }

 private:
  std::mutex mutex_;
  std::map<std::string, std::int64_t> counts_;
};

}  // namespace letterpress
