#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "letterpress/commandline/program.h"
#include "letterpress/shards/snapshot.h"
#include "letterpress/shards/store.h"
#include "preprocess/pipeline/build.h"

namespace letterpress {

Command anchors_command();
Command build_command();
Command gc_command();
Command info_command();
Command ledger_command();
Command lint_command();
Command map_command();
Command plan_command();
Command preview_command();
Command recipes_command();
Command reduce_command();
Command report_command();
Command unpack_command();
Command verify_command();

/// The snapshot that a reading command is about: `generation`, or the newest for 0. Throws Error
/// (no_input) when there is none, (usage) when it is negative.
Snapshot chosen_snapshot(const Store& store, std::int64_t generation);

/// Refuses an --out that would replace what the store is or was made from: a file in it, one of its
/// pictures, label files or lists. Throws Error (cannot_create).
void check_not_an_input(const std::string& out, const Store& store, const Snapshot& snapshot);
/// --out <- content, whole or not at all. Throws Error naming the flag's value.
void write_out(const std::string& out, std::string_view content);

/// "268435456", "256MiB", "10 GB" -> bytes (k, M, G, T are powers of 1000; with an i, of 1024).
/// Throws Error (usage) naming the flag.
std::int64_t parse_bytes(const std::string& flag, const std::string& text);
/// "0.01", "1%" -> share. Throws Error (usage) naming the flag.
double parse_share_flag(const std::string& flag, const std::string& text);

/// Both accounting identities, one per line, for people.
std::string accounting_text(const Accounting& accounting);
/// {"pictures_found":364,...}
std::string accounting_json(const Accounting& accounting);
/// The report of a build for people: several lines.
std::string summary_text(const BuildReport& report, const BuildOptions& options);
/// The same on one line for programs.
std::string summary_json(const BuildReport& report, const BuildOptions& options);

}  // namespace letterpress
