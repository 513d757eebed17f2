#pragma once
#include "trainer/predict/output_format.h"

namespace letterpress {

/// Throws Error (cannot_create) where --out holds a file that predict would replace and did not
/// write: the format's own file with another content, or, where that is not there, a picture in a
/// drawing's place.
void check_earlier_outputs(const OutputFormatEntry& format, const std::filesystem::path& out,
                           const std::vector<PictureInput>& pictures, bool draws);

}  // namespace letterpress
