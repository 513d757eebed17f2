#pragma once
#include <unordered_map>

#include "letterpress/base/stop_request.h"
#include "preprocess/inputs/inputs.h"
#include "preprocess/inputs/splits.h"
#include "preprocess/likeness/look_cache.h"
#include "preprocess/likeness/scenes.h"
#include "preprocess/options/build_listener.h"

namespace letterpress {

/// Whether --val SHARE with --group auto has to know what the pictures show. Not when every picture
/// stays where the last build has put it.
bool needs_scenes(const Inputs& inputs, const BuildOptions& options, const EarlierSplits& earlier);

/// What the pictures show that label files leave in train.
struct SeenScenes {
  Scenes counts;                                  ///< `first` is empty
  std::unordered_map<Hash128, Hash128> key_of{};  ///< of the bytes of a picture that shares a scene
  LookCache looks;                                ///< of these pictures only
};

/// Decodes every picture that `known` does not have, small, in parallel; one that cannot be decoded
/// is a scene of its own. Ends early on `stop`; the result is of no use then.
SeenScenes find_scenes(const Inputs& inputs, const BuildOptions& options, const LookCache& known,
                       BuildListener& listener, const StopRequest& stop);

/// Notes how many scenes there are, or that the pictures look too much alike to tell.
void note_scenes(const Scenes& counts, std::int64_t pictures, BuildListener& listener);

}  // namespace letterpress
