#pragma once
#include <string>

#include "formats/annotations/files/input.h"

namespace letterpress::annotations {

/// The list of names that labelImg and others leave with the labels, in their set's folder or in
/// each split's, from the input's folder; empty: none. Throws Error (usage) that shows both when
/// two differ: ids mean classes by one of them only, which is for people to settle.
std::string class_list_near(const Input& input);
/// Whether there is one, or several.
bool has_class_list_near(const Input& input);

}  // namespace letterpress::annotations
