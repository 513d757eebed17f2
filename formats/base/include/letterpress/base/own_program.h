#pragma once
#include <map>
#include <string>
#include <vector>

namespace letterpress {

/// What starts this process's program once more (/proc/self): its file, resolved, and the words
/// that it was given, its name first. Empty where the kernel does not tell.
std::string path_of_this_program();
std::vector<std::string> words_of_this_program();
/// This process's environment, "NAME=value" each, with these variables in place of its own.
std::vector<std::string> environment_with(const std::map<std::string, std::string>& variables);
/// For execv: the texts, which outlive the list, and a null at its end.
std::vector<char*> argument_list(const std::vector<std::string>& texts);

}  // namespace letterpress
