#pragma once
#include <optional>
#include <string_view>
#include <vector>

#include "letterpress/base/error.h"

namespace letterpress::annotations {

/// The fields of a line of KITTI: type, truncated, occluded, alpha, left, top, right, bottom, three
/// sizes, three places, rotation, and maybe a score.
std::vector<std::string_view> kitti_fields(std::string_view line);

/// What is wrong with them; nothing: a type of one word and 14 numbers, with a score 15, of which
/// truncated is 0..1 or -1, occluded 0..3 or -1, alpha and rotation a turn at most or -10
/// (devkit's readme.txt).
std::optional<Message> kitti_fault(const std::vector<std::string_view>& fields);

/// Whether a line is of KITTI, if only its type has blanks in it: "red ball".
bool is_of_kitti(const std::vector<std::string_view>& fields);

}  // namespace letterpress::annotations
