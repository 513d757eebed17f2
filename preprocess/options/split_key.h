#pragma once
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "letterpress/annotations/annotations.h"
#include "letterpress/base/hash.h"

namespace letterpress {

/// "0.1" and "10%" are shares of 0..1; nothing else is.
std::optional<double> parse_share(const std::string& text);

/// Which of the splits that label files and folders state --val leaves: a share draws train and val
/// anew, 0 reads all as train, label files or nothing leave all.
KeptSplits kept_splits(const std::string& val);

/// Whether --group names folders or parts of names.
bool groups_by_name(const std::string& group);

/// What decides a picture's split under --val SHARE: its bytes (--group auto, none, or empty; auto
/// joins those of one scene, see same_scenes.h), or with another --group its folder (as seen
/// from the label file's, so that it is the same wherever the set is mounted) or the part of its
/// name that the expression matches (its first group when it has one). A name that the expression
/// does not match is a group of its own.
class SplitKey {
 public:
  /// Throws Error (usage) when the expression cannot be parsed.
  explicit SplitKey(const std::string& group);
  /// Whether there is an expression that does not match the picture's name.
  bool leaves_alone(const Item& item) const;
  /// label_folder: of the label file that lists the picture. picture_hash: of the picture's bytes.
  Hash128 of(const Item& item, const std::filesystem::path& label_folder,
             const Hash128& picture_hash) const;

 private:
  struct Expression;
  bool by_folder_ = false;
  std::shared_ptr<const Expression> expression_;
};

}  // namespace letterpress
