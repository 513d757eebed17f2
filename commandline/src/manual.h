#pragma once
#include <string>
#include <vector>

#include "letterpress/commandline/command.h"

namespace letterpress {

/// The man page of a program (command_name empty) or of one of its commands, in the macros of
/// man(7), made of the flags like the reference. It names a version and no date. Throws Error
/// (usage) for a command that is not there.
std::string manual_page(const std::string& program, const std::string& version,
                        const std::string& summary, const std::vector<Command>& commands,
                        const std::string& command_name);

}  // namespace letterpress
