#include "trainer/fit/opening/model_checks.h"

#include "letterpress/base/error.h"
#include "trainer/augment/batch_augmentation.h"
#include "trainer/fit/options/multi_scale.h"

namespace letterpress {

void check_fits_model(const FitOptions& options, const Graph& graph) {
  if (!is_classifier(graph)) return;
  if (side_range_of(options.multi_scale)) {
    throw Error("--multi-scale " + options.multi_scale + ": " + graph.model +
                    " gives whole pictures of side " + std::to_string(graph.side) +
                    " a class and takes no other side; leave the flag out",
                Exit::configuration);
  }
  for (const BatchAugmentation* operation : batch_augmentations(options.on_device)) {
    if (!operation->mixes) continue;
    throw Error("--on-device " + options.on_device + ": " + operation->name +
                    " makes one picture of several, " + graph.model +
                    " gives each a class; leave " + operation->name + " out",
                Exit::configuration);
  }
}

}  // namespace letterpress
