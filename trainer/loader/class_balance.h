#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "letterpress/shards/store.h"

namespace letterpress {

/// Repeat factor sampling (LVIS, arXiv:1908.03195, section 5.1), of the pictures of a split.
struct ClassBalance {
  double rare_below = 0;                 ///< t: classes in a smaller share of the pictures are rare
  std::vector<std::int64_t> pictures{};  ///< of each class: how many show it
  std::vector<float>
      factors{};         ///< of each picture: the largest of its classes' factors, 1 or more
  std::int64_t all = 0;  ///< pictures

  double share(std::size_t class_id) const {
    return static_cast<double>(pictures[class_id]) / static_cast<double>(all);
  }
  /// max(1, sqrt(t / share)) of a class; 1 of one that no picture shows.
  double factor(std::size_t class_id) const;
};

/// A picture shows the classes of its boxes on view 0 that are not crowds, or its own class.
/// rare_below: t, over 0 to 1; 0: the share of the middle one of the classes that are there, the
/// upper of the two middle ones.
ClassBalance balance_classes(const SnapshotReader& reader, const std::vector<PictureRows>& pictures,
                             double rare_below);

/// "classes in fewer than 41.2 % of the pictures count as rare: short (7.5 %) 2.34 times, ..."; at
/// most eight, the rarest first.
std::string to_string(const ClassBalance& balance, const std::vector<std::string>& classes);

/// True for --sample balanced. Throws Error (usage) for another name than all and balanced.
bool is_balanced(const std::string& sample);

}  // namespace letterpress
