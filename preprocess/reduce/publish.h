#pragma once
#include "letterpress/shards/store.h"
#include "preprocess/pipeline/build.h"
#include "preprocess/reduce/reduce.h"

namespace letterpress {

/// Fills what a report says of a plan: new pictures, rows, shards, bytes, pictures per split.
void describe_plan(const Plan& plan, BuildReport& report);

/// What a snapshot must keep to be published: --max-rejects and --max-drift of the build.
struct Gates {
  double max_rejects = 0.01;
  double max_drift = 1;
};

/// Last step of a build: the quarantine, then the snapshot. report.rejects: those of planning;
/// reduced.rejects are put before them. Throws Error: (data) too many rejects or too far from the
/// parent snapshot, (busy) that generation is there already, (io).
void publish(const Store& store, Reduced reduced, const Gates& gates, BuildReport& report);

}  // namespace letterpress
