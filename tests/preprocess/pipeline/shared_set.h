#pragma once
#include <filesystem>
#include <string>
#include <utility>

#include "letterpress/base/fault_hook.h"
#include "preprocess/pipeline/steps.h"
#include "tests/preprocess/drawn_set.h"

namespace letterpress {

/// A set with a bad picture and several groups of shards; built at once into "single".
struct SharedSet : DrawnSet {
  SharedSet() {
    pictures(9);
    folder.write("bad.png", "text");
    list("train.txt", file_text(folder / "train.txt") + "bad.png 1,1,5,5,0\n");
    build_quietly(small("single"));
  }
  BuildOptions small(const std::string& store) const {
    BuildOptions small = options(store);
    small.shard_bytes = 4 * 64 * 64 * 3;
    return small;
  }
  BuildReport planned() const {
    BuildListener silent;
    return plan(small("store"), silent, kNoStop);
  }
};

inline MapReport map_quietly(const std::filesystem::path& plan, int index, int n,
                             const StopRequest& stop = kNoStop) {
  BuildListener silent;
  return map_part({plan, {index, n, "test"}, 1, stop}, silent);
}
inline BuildReport reduce_quietly(const std::filesystem::path& plan) {
  BuildListener silent;
  return reduce_plan(plan, silent);
}

/// Asked before each call to the disk until it goes.
class Hooked {
 public:
  explicit Hooked(FaultHook hook) { set_fault_hook(std::move(hook)); }
  ~Hooked() { set_fault_hook(nullptr); }
  Hooked(const Hooked&) = delete;
  Hooked& operator=(const Hooked&) = delete;
};

}  // namespace letterpress
