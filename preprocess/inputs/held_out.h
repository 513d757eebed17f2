#pragma once
#include <string>
#include <unordered_map>
#include <vector>

#include "letterpress/annotations/annotations.h"

namespace letterpress {

/// By picture_path().
using SplitsByPath = std::unordered_map<std::string, std::string>;

/// The pictures of a set that its lists hold out (KeptSplits::held_out). A remark counts those of
/// each list. Throws Error as read_annotations() does.
SplitsByPath held_out_by_lists(const LabelParts& lists, const AnnotationOptions& options,
                               std::vector<std::string>& remarks);

/// Gives items and rejects of these pictures these splits.
void give_splits(const SplitsByPath& splits, AnnotationSet& set);

}  // namespace letterpress
