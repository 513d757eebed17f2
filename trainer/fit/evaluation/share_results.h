#pragma once
#include <string>
#include <vector>

#include "trainer/metrics/picture_result.h"
#include "trainer/parallel/rank_group.h"

namespace letterpress {

/// Pictures are dealt in turn over the ranks, as validation_sequence() does: picture i is measured
/// by rank i mod ranks. Rank 0's list gets what the other ranks found; theirs stay as they are.
/// Collective.
void share_results(RankGroup& group, std::vector<PictureResult>& results);

/// The results of pictures rank, rank + ranks, ... as bytes, for a process of the same program on a
/// machine of the same kind.
std::string pack_results(const std::vector<PictureResult>& results, int rank, int ranks);
/// Their way back. Throws Error (bug) when `bytes` are not of as many pictures.
void unpack_results(const std::string& bytes, int rank, int ranks,
                    std::vector<PictureResult>& results);

}  // namespace letterpress
