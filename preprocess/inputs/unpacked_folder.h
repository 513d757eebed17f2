#pragma once
#include <filesystem>

#include "preprocess/options/build_options.h"

namespace letterpress {

/// Where a build unpacks archives that are compressed as a whole: in the store's cache, for later
/// builds too; in a dry run, which writes nothing there, in a temporary folder of this process,
/// which UnpackedForDryRun removes.
std::filesystem::path unpacked_folder(const BuildOptions& options);

class UnpackedForDryRun {
 public:
  explicit UnpackedForDryRun(const BuildOptions& options) : options_(options) {}
  ~UnpackedForDryRun();
  UnpackedForDryRun(const UnpackedForDryRun&) = delete;
  UnpackedForDryRun& operator=(const UnpackedForDryRun&) = delete;

 private:
  const BuildOptions& options_;
};

}  // namespace letterpress
