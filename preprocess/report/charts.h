#pragma once
#include <array>
#include <string>
#include <vector>

#include "preprocess/report/contents.h"

namespace letterpress {

/// Charts as inline SVG; colours are the page's, so that they follow its light, dark and printed
/// form.

/// One bar per class, most boxes first (or pictures, where these have a class and no boxes), parted
/// by split.
std::string class_chart(const std::vector<std::string>& classes, const Contents& contents);

/// How many boxes are how large. side: of the frame, pixels.
std::string size_chart(const Contents& contents, int side);

/// Which shares of the boxes are how large. before, now: boxes per bin of 8 pixels, as many bins in
/// both, at least one.
std::string size_change_chart(const std::vector<std::int64_t>& before,
                              const std::vector<std::int64_t>& now);

/// Names beside the colours of a chart's first, second ... series.
std::string colour_key(const std::vector<std::string>& names);

/// Boxes per picture.
std::string crowd_chart(const Contents& contents);

/// Anchors drawn to scale around one centre. anchors: widths and heights in pixels of a frame of
/// `side`.
std::string anchor_chart(const std::vector<std::array<double, 2>>& anchors, int side);

}  // namespace letterpress
