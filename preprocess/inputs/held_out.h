#pragma once
#include <string>
#include <unordered_map>
#include <vector>

#include "letterpress/annotations/annotations.h"

namespace letterpress {

/// What the lists of a set hold out, of pictures that are read otherwise.
struct HeldOut {
  std::unordered_map<std::string, std::string>
      splits{};                   ///< of pictures, by picture_path(), or by where their labels are
  std::vector<Reject> rejects{};  ///< entries that lead to no picture with labels
};

/// Of the lists whose splits are kept. A remark counts the pictures of each. Throws Error as
/// read_annotations() does.
HeldOut held_out_by_lists(const LabelParts& lists, KeptSplits kept,
                          const AnnotationOptions& options, std::vector<std::string>& remarks);

/// Gives these pictures of the set their splits, and adds the rejects that it does not have.
void hold_out(const HeldOut& held_out, AnnotationSet& set);

}  // namespace letterpress
