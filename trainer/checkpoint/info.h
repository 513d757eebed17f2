#pragma once
#include <string>

#include "trainer/checkpoint/checkpoint.h"

namespace letterpress {

std::string info_to_json(const CheckpointInfo& info);
/// Throws Error, without the file's name, naming the field; for a newer version saying so.
CheckpointInfo info_from_json(const std::string& text);

}  // namespace letterpress
