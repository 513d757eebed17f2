#pragma once
#include <string_view>

namespace letterpress {

struct Inputs;

/// The part of a picture's name before those that its path ends in: "cam1" of "/old/cam1/1.jpg" for
/// "/set/1.jpg". Empty: the path ends in the whole name.
std::string_view part_that_differs(std::string_view name, std::string_view path);

/// Rejects pictures whose names lead to one file by their ends alone, though another part of them
/// differs: of "cam1/1.jpg" and "cam2/1.jpg" at most one is the 1.jpg that is there, and nobody
/// knows which. Where a label has that file by its whole name, that one is right and stays.
void reject_contested(Inputs& inputs);

}  // namespace letterpress
