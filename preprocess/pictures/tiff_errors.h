#pragma once
#include <cstdarg>
#include <string>

namespace letterpress {

/// What libtiff is to call with its errors (a TIFFErrorHandler): readers of whole pictures go on
/// where it could not decode, and leave black what they did not get. Errors of a directory's tags
/// are not kept: whoever needs a tag finds out.
void keep_tiff_error(const char* module, const char* format, std::va_list arguments);
/// The first error of this thread since the last call, "LZWDecode: Not enough data at scanline
/// 144"; empty: none.
std::string take_tiff_error();

}  // namespace letterpress
