#pragma once
#include <string>
#include <vector>

#include "letterpress/events/event_file.h"
#include "trainer/fit/log/results_csv.h"
#include "trainer/fit/log/run_notes.h"

namespace letterpress {

/// What TensorBoard shows of the steps since the last flush: "loss/<term>" and "loss/total" per
/// picture, "training/lr", "training/images_per_s", "training/data_wait_percent",
/// "training/memory_gib" (at most so far).
std::vector<Scalar> scalars_of(const FitProgress& progress);

/// And of an epoch, at its last step: "epoch/loss" per picture, and of the val split "val/loss",
/// "val/map50", "val/map50_95", "val/precision", "val/recall", or "val/top1".
std::vector<Scalar> scalars_of(const EpochResult& result);

}  // namespace letterpress
