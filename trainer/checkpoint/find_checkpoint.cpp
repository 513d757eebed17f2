#include "trainer/checkpoint/find_checkpoint.h"

#include "letterpress/base/error.h"

namespace letterpress {
namespace fs = std::filesystem;
namespace {

constexpr const char* kBest = "best.safetensors";

}  // namespace

fs::path find_checkpoint(const fs::path& file_or_run, const std::string& flag) {
  const std::string where = "--" + flag + " " + file_or_run.string();
  if (!fs::is_directory(file_or_run)) {
    if (fs::exists(file_or_run)) return file_or_run;
    throw Error({.where = where,
                 .what = "is not there",
                 .fix = "give a checkpoint or the --out folder of a run"},
                Exit::no_input);
  }
  for (const char* name : {kBest, "last.safetensors"}) {
    if (fs::exists(file_or_run / name)) return file_or_run / name;
  }
  throw Error({.where = where,
               .what = "holds neither best.safetensors nor last.safetensors",
               .fix = "has the run written a checkpoint yet?"},
              Exit::no_input);
}

std::string note_on_found(const fs::path& file_or_run, const fs::path& found) {
  if (found == file_or_run || found.filename() == kBest) return {};
  return file_or_run.string() + " holds no " + kBest + " yet, its " + found.filename().string() +
         " is used";
}

}  // namespace letterpress
