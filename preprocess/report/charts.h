#pragma once
#include <array>
#include <string>
#include <vector>

#include "preprocess/report/contents.h"

namespace letterpress {

/// Charts as inline SVG, in the page's colours.

/// One bar per class, divided by split, the class with the most boxes first. Counts pictures
/// instead if these have a class and no boxes.
std::string class_chart(const std::vector<std::string>& classes, const Contents& contents);

/// Histogram of box sizes. side: of the frame, pixels.
std::string size_chart(const Contents& contents, int side);

/// Histograms of box sizes, as shares of all boxes, side by side. before, now: boxes per bin of 8
/// pixels, as many bins in both, at least one.
std::string size_change_chart(const std::vector<std::int64_t>& before,
                              const std::vector<std::int64_t>& now);

/// The names of a chart's series beside their colours, in order.
std::string colour_key(const std::vector<std::string>& names);

/// Histogram of boxes per picture.
std::string crowd_chart(const Contents& contents);

/// Anchors drawn to scale around one centre. anchors: widths and heights in pixels of a frame of
/// `side`.
std::string anchor_chart(const std::vector<std::array<double, 2>>& anchors, int side);

}  // namespace letterpress
