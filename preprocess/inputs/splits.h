#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "preprocess/inputs/inputs.h"
#include "preprocess/options/build_listener.h"

namespace letterpress {

/// Where the last build has put pictures: whether in val, by their bytes and by their path.
struct EarlierSplits {
  std::unordered_map<Hash128, bool> bytes_in_val{};
  std::unordered_map<std::string_view, bool> path_in_val{};  ///< paths are the ledger's
  bool same_share = false;  ///< by the same --val SHARE and --group: each stays where it is

  /// None for a picture that the last build did not have. A path counts where the bytes are new.
  std::optional<bool> in_val(const Candidate& candidate) const;
};

/// Notes how many train pictures have names that the expression of --group does not match. Throws
/// Error (usage) when that is all of them.
void check_group(const Inputs& inputs, const std::string& group, BuildListener& listener);

/// Groups whose pictures are in train and in val, since they came together later than they were
/// divided.
struct TornGroups {
  std::int64_t n = 0;
  std::string example{};          ///< name of a picture of the first
  std::int64_t new_pictures = 0;  ///< of these groups; they went to val
  bool operator==(const TornGroups&) const = default;
};

/// Moves round(share * n) of the n train pictures to val, at least one of two: those whose key
/// (SplitKey) comes first in the order of the hashes, no seed. Pictures of one key stay together;
/// with keys of several pictures the count is met as nearly as that allows. With the same share as
/// earlier a picture never moves, whatever else comes or goes: val is filled up from new pictures
/// only, and what has gone makes room in neither. A new picture follows its group; when that is in
/// both splits by now, because the new picture has joined two, it goes to val, where it spoils one
/// picture's measurement and no other's. With another share, those that are in val are the first to
/// stay there. scene_of: the key of a picture's scene, by its bytes. Returns which groups are
/// in both splits now.
TornGroups assign_val_share(Inputs& inputs, double share, const std::string& group,
                            const EarlierSplits& earlier = {},
                            const std::unordered_map<Hash128, Hash128>& scene_of = {});

/// Notes which pictures a split gets, and that --val gets none, where no label file states it.
/// Pictures that move to val are in the accounting.
void note_splits(const Inputs& inputs, const BuildOptions& options, BuildListener& listener);

/// Throws Error (no_input) when --val or other splits have left no picture to train on. A set of
/// validation pictures alone is accepted when its label files say so. Where pictures to train on
/// are rejected, check_train_left() tells.
void check_train_pictures(const Inputs& inputs, const BuildOptions& options);

}  // namespace letterpress
