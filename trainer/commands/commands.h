#pragma once
#include "letterpress/commandline/program.h"

namespace letterpress {

/// The commands of letterpress-trainer, one file each.
Command fit_command();
Command eval_command();
Command inspect_command();
Command import_command();
Command export_command();
Command bench_command();
Command doctor_command();
Command report_command();

}  // namespace letterpress
