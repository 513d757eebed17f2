#pragma once
#include "trainer/predict/output_format.h"

namespace letterpress {

/// Throws Error (cannot_create) where --out holds a file that predict would replace and did not
/// write: the format's own file with another content, or, in a drawing's place, a picture that this
/// file does not name as one of an earlier predict. (configuration) where labels stay whose ids no
/// list of classes explains.
void check_earlier_outputs(const OutputFormatEntry& format, const std::filesystem::path& out,
                           const std::vector<PictureInput>& pictures, bool draws);

}  // namespace letterpress
