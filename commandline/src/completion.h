#pragma once
#include <string>

namespace CLI {
class App;
}

namespace letterpress {

/// A script that makes `shell` (bash, zsh or fish) complete the commands and flags of `app`, and
/// file names as their values. Made from the parser itself, so it knows what the program knows.
/// Throws Error (usage) for another shell.
std::string completion_script(const CLI::App& app, const std::string& program,
                              const std::string& shell);

}  // namespace letterpress
