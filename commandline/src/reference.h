#pragma once
#include <string>
#include <vector>

#include "letterpress/commandline/command.h"

namespace letterpress {

/// How help and the reference name a value of this kind: "INT".
const char* type_name(FlagKind kind);
/// The same with "..." where several may be given: "TEXT ...".
std::string value_name(const FlagInfo& flag);
/// "taken over": what becomes of a value in later runs.
const char* later_name(FlagLife life);

/// All commands with their flags as a page of Markdown: value, default, limits, what becomes of it
/// in later runs, help.
std::string reference_text(const std::string& program, const std::string& summary,
                           const std::vector<Command>& commands);

}  // namespace letterpress
