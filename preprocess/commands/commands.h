#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "letterpress/base/error.h"
#include "letterpress/commandline/json_flag.h"
#include "letterpress/commandline/program.h"
#include "letterpress/commandline/threads_flag.h"
#include "letterpress/shards/snapshot.h"
#include "letterpress/shards/store.h"
#include "preprocess/pipeline/build.h"

namespace letterpress {

Command anchors_command();
Command build_command();
Command doctor_command();
Command gc_command();
Command info_command();
Command ledger_command();
Command lint_command();
Command map_command();
Command plan_command();
Command preview_command();
Command recipes_command();
Command reduce_command();
Command refresh_command();
Command report_command();
Command unpack_command();
Command verify_command();

/// The snapshot that a reading command is about: `generation`, or the newest for 0. Throws Error
/// (no_input) when there is none.
Snapshot chosen_snapshot(const Store& store, std::int64_t generation);

/// The same, for a command that looks at pictures as a whole. Throws Error (configuration) for a
/// store of tiles.
Snapshot whole_pictures_snapshot(const Store& store, std::int64_t generation,
                                 const std::string& command);

/// Refuses an --out that would replace what the store is or was made from: a file in it, one of its
/// pictures, label files or lists. Throws Error (cannot_create).
void check_not_an_input(const std::string& out, const Store& store, const Snapshot& snapshot);
/// --out <- content, whole or not at all. Throws Error naming the flag's value.
void write_out(const std::string& out, std::string_view content);

/// Flags that most commands have, as members of these names.
template <class Flags>
Flag<Flags> store_flag() {
  return Flag<Flags>("store", &Flags::store, "folder of the shards").required();
}
template <class Flags>
Flag<Flags> snapshot_flag() {
  return Flag<Flags>("snapshot", &Flags::snapshot, "generation; 0: the newest")
      .at_least(0, "a generation from 1 on, or 0 for the newest");
}
template <class Flags>
Flag<Flags> threads_flag() {
  return threads_flag<Flags>(&Flags::threads);
}

/// Both accounting identities, one per line, for people.
std::string accounting_text(const Accounting& accounting);
/// The report of a build for people: several lines.
std::string summary_text(const BuildReport& report, const BuildOptions& options);
/// The same on one line for programs.
std::string summary_json(const BuildReport& report, const BuildOptions& options);

}  // namespace letterpress
