#pragma once
#include <string>

#include "trainer/fit/options/fit_options.h"
#include "trainer/fit/trainer.h"

namespace letterpress {

/// The last line of fit: what was trained, its best epoch, and whether it diverged with what to do.
std::string summary_text(const FitOptions& options, const FitResult& result);
/// The same as one line of JSON, whose "ending" is "diverged" where the exit code is 65.
std::string summary_json(const FitOptions& options, const FitResult& result);
/// That of a training that a Diverged ended.
std::string diverged_json(const FitOptions& options);
/// 0; 128 + signal; 65 when the training diverged.
int exit_code(const FitResult& result);

}  // namespace letterpress
