#include "preprocess/inputs/unpacked_folder.h"

#include <unistd.h>

#include <string>

#include "letterpress/base/file.h"
#include "letterpress/shards/unpacked_folder.h"

namespace letterpress {
namespace fs = std::filesystem;

fs::path unpacked_folder(const BuildOptions& options) {
  if (!options.dry_run) return unpacked_folder(options.store);
  return fs::temp_directory_path() / ("letterpress-dry-run-" + std::to_string(::getpid()));
}

UnpackedForDryRun::~UnpackedForDryRun() {
  if (options_.dry_run) discard_folder(unpacked_folder(options_));
}

}  // namespace letterpress
