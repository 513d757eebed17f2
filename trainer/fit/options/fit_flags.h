#pragma once
#include "letterpress/commandline/flags.h"
#include "trainer/fit/options/fit_options.h"

namespace letterpress {

/// The flags of `fit`: each stands here once, with its help, its limits and what a run that goes on
/// does with it. "kept" ones are those that it may change.
const FlagTable<FitOptions>& fit_flags();
/// Those of epochs, pictures, optimiser and learning rate.
void add_training_flags(FlagTable<FitOptions>& table);
/// Those of which pictures come how often.
void add_sampling_flags(FlagTable<FitOptions>& table);

/// "cosine, linear, ...": of a table of models, optimisers, ...
template <class Infos>
std::string names_of(const Infos& infos) {
  std::string names;
  for (const auto& info : infos) names += (names.empty() ? "" : ", ") + info.name;
  return names;
}

}  // namespace letterpress
