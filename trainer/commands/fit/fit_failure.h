#pragma once
#include <exception>
#include <string>

#include "letterpress/base/error.h"
#include "trainer/fit/options/fit_options.h"

namespace letterpress {

/// What ended a training, as the Error to show. where: "rank 1 of 2, step 17" or "". An Error
/// keeps its exit code; memory that ran out is exit io and says what was wanted and which flags,
/// now at which values, take less; an operation that --deterministic refuses is exit configuration;
/// all else is a bug.
Error fit_failure(const std::exception& failure, const std::string& where,
                  const FitOptions& options);

/// Of a training that has begun: a file that is not there was there before, so it is exit io and
/// not one of a wrong flag. Others as they are.
Error gone_since(const Error& error);

}  // namespace letterpress
