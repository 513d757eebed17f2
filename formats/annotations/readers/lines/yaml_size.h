#pragma once
#include <string>

namespace letterpress::annotations {

/// Throws Error naming `where` when a YAML text has more brackets within brackets than a stack
/// holds, or more than 100,000 values: each takes up to 1 KiB once it is a node. Makes no nodes.
/// Throws YAML::Exception when it is no YAML up to there.
void check_yaml_size(const std::string& yaml, const std::string& where);

}  // namespace letterpress::annotations
