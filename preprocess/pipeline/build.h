#pragma once
#include "letterpress/base/stop_request.h"
#include "preprocess/options/build_listener.h"
#include "preprocess/options/build_options.h"
#include "preprocess/pipeline/build_report.h"

namespace letterpress {

/// Plan, map and reduce in one process. Only new work is done; when nothing changed, nothing is
/// written (cache/ apart). On `stop` it ends soon: report.stopped_by. Throws Error: data (65) too
/// many rejects or removed pictures, a label file that cannot be read, boxes over the limit with
/// Overflow::error; no_input (66) no picture; cannot_create (73) the store or its size limit; io
/// (74) no space, write errors; busy (75) another builder, or pictures that change while they are
/// read, twice; configuration (78) another side, recipe or seed than the store's.
BuildReport build(const BuildOptions& options, BuildListener& listener, const StopRequest& stop);

/// The first of the steps that steps.h continues: finds out what is to be done and leaves it in the
/// store: report.plan, report.groups. When nothing has changed, no plan. Throws Error as build()
/// does.
BuildReport plan(const BuildOptions& options, BuildListener& listener, const StopRequest& stop);

}  // namespace letterpress
