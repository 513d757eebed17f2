#include "preprocess/inputs/build_options.h"

#include "preprocess/inputs/build_flags.h"

namespace letterpress {

void validate(const BuildOptions& options) { build_flags().check(options); }

std::string to_json(const BuildOptions& options) { return build_flags().to_json(options); }

BuildOptions build_options_from_json(const std::string& text) {
  BuildOptions options;
  build_flags().take_over(text, {}, {.what = "the last build", .fix = "give all flags again"},
                          options);
  return options;
}

}  // namespace letterpress
