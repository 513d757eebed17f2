#include "trainer/checkpoint/find_checkpoint.h"

#include <ostream>

#include "letterpress/base/error.h"

namespace letterpress {
namespace fs = std::filesystem;

fs::path find_checkpoint(const fs::path& file_or_run, const std::string& flag,
                         std::ostream* notes) {
  const std::string where = "--" + flag + " " + file_or_run.string();
  if (!fs::is_directory(file_or_run)) {
    if (fs::exists(file_or_run)) return file_or_run;
    throw Error({.where = where,
                 .what = "is not there",
                 .fix = "give a checkpoint or the --out folder of a run"},
                Exit::no_input);
  }
  if (const fs::path best = file_or_run / "best.safetensors"; fs::exists(best)) return best;
  if (const fs::path last = file_or_run / "last.safetensors"; fs::exists(last)) {
    if (notes)
      *notes << file_or_run.string()
             << " holds no best.safetensors yet, its last.safetensors is used\n";
    return last;
  }
  throw Error({.where = where,
               .what = "holds neither best.safetensors nor last.safetensors",
               .fix = "has the run written a checkpoint yet?"},
              Exit::no_input);
}

}  // namespace letterpress
