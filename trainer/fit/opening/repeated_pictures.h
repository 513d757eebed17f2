#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "letterpress/shards/store.h"
#include "trainer/fit/options/fit_options.h"
#include "trainer/loader/epoch_places.h"

namespace letterpress {

/// Which pictures of a split may come more often than once in an epoch, and why.
struct RepeatedPictures {
  std::vector<float> factors{};  ///< --sample balanced: of each picture, as Repeats has them
  std::string rare{};            ///< what of them to tell: which classes are rare
  std::vector<std::size_t> backgrounds{};  ///< --hard-negatives: those without boxes
};
/// Looks through the labels of clean rows for what the options ask for.
RepeatedPictures repeated_pictures(const SnapshotReader& reader,
                                   const std::vector<PictureRows>& pictures,
                                   const FitOptions& options);

/// What that is for an order of `pictures` pictures. losses: as RunState::background_losses; what
/// was not measured yet counts as the mean of what was. share: --hard-negatives.
Repeats repeats_of(const RepeatedPictures& repeated, std::size_t pictures,
                   const std::vector<std::uint32_t>& losses, double share);

}  // namespace letterpress
