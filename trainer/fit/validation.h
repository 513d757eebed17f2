#pragma once
#include <optional>
#include <vector>

#include "trainer/fit/evaluation/evaluate.h"
#include "trainer/fit/opening/run.h"
#include "trainer/fit/session.h"
#include "trainer/fit/step/run_model.h"

namespace letterpress {

/// As the run computes and reads.
EvaluateOptions evaluate_options_of(const Run& run, const RunModel& model);

/// Metrics of the val split with the weights to use. trained: whether this session has trained a
/// step; before that the end of the time budget does not end it, or the run would never get on.
/// Nothing: stopped, on any rank. Collective.
std::optional<EpochResult::Metrics> measure_val(const Run& run, RunModel& model,
                                                const Session& session, bool trained);

/// With the weights of now, of each of these rows; none where they cannot be had: this is for a
/// message.
std::vector<double> losses_of_rows(const Run& run, RunModel& model,
                                   const std::vector<RowPlace>& rows);

}  // namespace letterpress
