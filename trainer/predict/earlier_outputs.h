#pragma once
#include "trainer/predict/output_format.h"

namespace letterpress {

/// What drawings name as the program that made them.
inline constexpr const char* kDrawnBy = "letterpress-predict";

/// Throws Error (cannot_create) where --out holds a file that predict would replace and did not
/// write: the format's own file with another content, or, in a drawing's place, a picture that
/// neither says itself that it is one nor is named in the format's file, as those of older programs
/// are. (configuration) where labels stay whose ids no
/// list of classes explains.
void check_earlier_outputs(const OutputFormatEntry& format, const std::filesystem::path& out,
                           const std::vector<PictureInput>& pictures, bool draws);

}  // namespace letterpress
