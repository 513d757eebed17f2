#pragma once
#include <string>
#include <utility>
#include <vector>

#include "formats/annotations/shared/format.h"

namespace letterpress::annotations {

/// "\n  voc: a folder with XMLs": a line of a message below its first.
std::string explained(const std::string& name, const std::string& why);

/// A format that does not fit an input, and why.
using Misfit = std::pair<const AnnotationFormat*, std::string>;

/// Throws Error on an input that is of no format: what is wrong with it, or with the file that
/// looks most like labels (nearly_labels); else the names of the formats, and the reasons of those
/// that read such folders or lists.
[[noreturn]] void nothing_fits(const Input& input, const std::vector<Misfit>& misfits);

}  // namespace letterpress::annotations
