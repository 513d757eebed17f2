#pragma once
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace letterpress {

/// `words` with the flags of the TOML file that --config names put in at position `first`, those
/// that the words hold already left out: each a word, its value the next one. A key is a flag's
/// name without the dashes; an array repeats the flag; true sets a flag without value. Throws Error
/// (usage) naming file and line: no TOML, unknown key, value of a wrong kind.
std::vector<std::string> with_configuration_file(std::vector<std::string> words, std::size_t first,
                                                 const CLI::App& app);

}  // namespace letterpress
