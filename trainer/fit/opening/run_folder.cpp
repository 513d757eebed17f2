#include "trainer/fit/opening/run_folder.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "letterpress/base/error.h"
#include "letterpress/base/file.h"
#include "letterpress/base/hash.h"
#include "letterpress/base/inside_folder.h"

namespace letterpress {
namespace fs = std::filesystem;
namespace {

// Containers have one folder each of one name.
std::string host_name() {
  std::array<char, 256> name{};
  return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

// Killed in its first epoch a run has no last.safetensors yet, and begins again.
void check_lost(const fs::path& run_folder) {
  const fs::path results = run_folder / "results.csv";
  if (!fs::exists(results)) return;
  const std::string text = read_file(results);
  const auto epochs = std::count(text.begin(), text.end(), '\n') - 1;
  if (epochs < 2) return;
  throw Error({.where = run_folder.string(),
               .what = "holds a run of " + std::to_string(epochs) +
                       " epochs whose last.safetensors is gone",
               .fix = "put it back, or go on from its best weights as a new run: --init " +
                      run_folder.string() + " and another --out"},
              Exit::configuration);
}

// What a run would write over, where none of ours is begun: that has a configuration with a store.
void check_foreign(const fs::path& run_folder) {
  const fs::path configuration = run_folder / "configuration.json";
  if (fs::exists(configuration) && flags_from_json(read_file(configuration)).contains("store"))
    return;
  for (const char* name : {"best.safetensors", "configuration.json", "results.csv"}) {
    if (!fs::exists(run_folder / name)) continue;
    throw Error(
        {.where = "--out " + run_folder.string(),
         .what = std::string("holds ") + name + ", which is of no run of this program there",
         .fix = "name another folder, or move that file away"},
        Exit::cannot_create);
  }
}

}  // namespace

void check_outside(const fs::path& run_folder, const fs::path& store) {
  if (!is_inside(run_folder, store)) return;
  throw Error(
      {.where = "--out " + run_folder.string(),
       .what = "lies in the store " + store.string() + ", which belongs to letterpress-preprocess",
       .fix = "name a folder outside it"},
      Exit::configuration);
}

std::optional<Checkpoint> resumed_checkpoint(const FitOptions& options) {
  if (options.out.empty()) return std::nullopt;
  const fs::path file = options.out / "last.safetensors";
  if (!fs::exists(file)) {
    check_lost(options.out);
    check_foreign(options.out);
    return std::nullopt;
  }
  if (options.resume) return read_checkpoint(file);
  throw Error({.where = options.out.string(),
               .what = "holds a run already",
               .fix = "--resume goes on with it, another --out begins a new one"},
              Exit::configuration);
}

std::string run_name(const fs::path& run_folder) {
  const fs::path absolute = fs::absolute(run_folder).lexically_normal();
  const std::string name =
      (absolute.has_filename() ? absolute : absolute.parent_path()).filename().string();
  return name + "-" + hash128(host_name() + ":" + absolute.string()).hex().substr(0, 8);
}

}  // namespace letterpress
