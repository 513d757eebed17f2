#pragma once
#include <nlohmann/json_fwd.hpp>
#include <ostream>
#include <string>
#include <vector>

#include "trainer/fit/evaluation/evaluate.h"

namespace letterpress {

/// "top-1 0.9065 (9065 of 10000 pictures)", then each class's share and numbers, the worst first.
void print(const ClassMetrics& metrics, const std::vector<std::string>& classes, std::ostream& out);
/// {"top1": ..., "pictures": ..., "right": ..., "classes": {name: {"pictures": ..., "right": ...}}}
nlohmann::json json_of(const ClassMetrics& metrics, const std::vector<std::string>& classes);

}  // namespace letterpress
