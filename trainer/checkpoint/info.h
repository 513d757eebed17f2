#pragma once
#include <string>

#include "trainer/checkpoint/checkpoint.h"

namespace letterpress {

std::string info_to_json(const CheckpointInfo& info);
/// Throws Error without the file's name: naming the field, or for a newer version.
CheckpointInfo info_from_json(const std::string& text);

}  // namespace letterpress
