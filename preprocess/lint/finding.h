#pragma once
#include <string>

namespace letterpress {

/// From when on something is worth a look.
struct LintOptions {
  int radius = 4;   ///< differing bits of 64, 0..7: pictures this close are near-duplicates; raise
                    ///< it to find more, false ones too
  double grey = 6;  ///< grey levels: and their 16 x 16 means differ by no more on average
  double tiny = 4;  ///< pixels of the frame: boxes with a shorter side; half the finest stride of
                    ///< the usual detectors
  double imbalance =
      20;  ///< a class with this many times fewer train boxes than the most frequent one
  double picture_aspect = 3;  ///< longer by shorter side of a picture
  double box_aspect = 10;     ///< of a box
  double double_iou =
      0.9;  ///< of two boxes of a picture that are then taken for one object, labelled twice
  double edge_share = 0.5;  ///< of a picture's boxes that touch its edge, when there are 3 or more
};

/// One thing to look at.
struct Finding {
  std::string kind;     ///< "near-duplicate", "same-scene", "duplicate", "tiny-box", "edge",
                        ///< "double-box", "imbalance", "aspect", "orientation", "size"
  std::string picture;  ///< its name in the label file; a class's name for "imbalance"
  std::string where;    ///< label file and line; empty for a class
  std::string split;
  std::string what;  ///< with the numbers
  std::string fix;
  bool operator==(const Finding&) const = default;
};

}  // namespace letterpress
