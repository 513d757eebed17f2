#include <algorithm>

#include "letterpress/base/registry.h"
#include "letterpress/base/side.h"
#include "trainer/augment/batch_augmentation.h"
#include "trainer/fit/options/class_weights.h"
#include "trainer/fit/options/fit_flags.h"
#include "trainer/fit/options/multi_scale.h"
#include "trainer/optimisers/ema.h"
#include "trainer/optimisers/optimiser.h"
#include "trainer/schedules/schedule.h"

namespace letterpress {
namespace {

using O = FitOptions;
using F = Flag<O>;

// "affine,flip,...; affine: ...; flip: ..."
std::string operations() {
  std::string text;
  for (const EntryInfo& info : batch_augmentation_infos())
    text += (text.empty() ? "" : ",") + info.name;
  return text + "; " + help_of(batch_augmentation_infos());
}

bool is_warmup(const O& options, double epochs) {
  return options.warmup == -1 || (options.warmup >= 0 && options.warmup <= std::max(0.0, epochs));
}

void add_epochs(FlagTable<O>& table) {
  table.add({
      F("epochs", &O::epochs, "passes over the train split").at_least(1),
      F("clean-epochs", &O::clean_epochs, "last epochs without augmentation; -1: a tenth")
          .must_be("0 to --epochs, or -1 for a tenth",
                   [](const O& o) { return o.clean_epochs >= -1 && o.clean_epochs <= o.epochs; }),
      F("batch", &O::batch, "pictures per step, over all ranks").fixed().at_least(1),
      F("accumulate", &O::accumulate, "parts that a batch is computed in, when memory is short")
          .must_be("a divisor of --batch",
                   [](const O& o) { return o.accumulate >= 1 && o.batch % o.accumulate == 0; }),
      F("sync-batch-norm", &O::sync_batch_norm,
        "norms over the pictures of all ranks: for few pictures per rank"),
      F("seed", &O::seed, "of the start weights, of the order of pictures and of what steps draw")
          .fixed(),
      F("input-size", &O::input_size,
        "side of the network's pictures, a multiple of 32, resized from the store's on the "
        "device; 0: the store's")
          .fixed()
          .must_be(
              "0 (the store's) or a multiple of 32 pixels, at most " + std::to_string(kLargestSide),
              [](const O& o) { return o.input_size == 0 || is_side(o.input_size); }),
      F("multi-scale", &O::multi_scale,
        "sides that steps train at, 320-608: multiples of 32, at most " +
            std::to_string(kLargestSide) +
            ", drawn anew every --scale-every steps; metrics are measured at --input-size")
          .check([](const O& o) { side_range_of(o.multi_scale); }),
      F("scale-every", &O::scale_every, "--multi-scale: steps until another side is drawn")
          .at_least(1, "1 or more steps"),
      F("on-device", &O::on_device,
        "none, or what is done with the prepared pictures in every step but those of the clean "
        "epochs, in the order given: " +
            operations())
          .check([](const O& o) { batch_augmentations(o.on_device); }),
  });
}

void add_optimiser(FlagTable<O>& table) {
  table.add({
      F("optimiser", &O::optimiser, names_of(optimiser_infos()))
          .fixed()
          .known("optimiser", optimiser_infos()),
      F("lr", &O::lr, "highest learning rate; 0: " + learning_rate_rule())
          .stored_as([](const O& o) { return learning_rate_of(o); })
          .must_be({"0 (the optimiser's own) or more, under 1e6",
                    [](double x) { return x >= 0 && x < 1e6; }}),
      F("momentum", &O::momentum, "of sgd").must_be(kMomentumLimits),
      F("weight-decay", &O::weight_decay, "of kernels").must_be(kWeightDecayLimits),
      F("clip", &O::clip, "largest norm of all gradients; 0: no clipping").must_be(kClipLimits),
      F("schedule", &O::schedule, "of the learning rate: " + names_of(schedule_infos()))
          .known("schedule", schedule_infos()),
      F("final-fraction", &O::final_fraction,
        "of the learning rate at the end; of plateau: the least")
          .between(0, 1, "0 to 1, a share of --lr"),
      F("power", &O::power, "of polynomial")
          .must_be({"over 0 and at most 100", [](double x) { return x > 0 && x <= 100; }}),
      F("drop-factor", &O::drop_factor,
        "step, plateau: the learning rate is multiplied by it at each drop")
          .must_be({"over 0 and under 1", [](double x) { return x > 0 && x < 1; }}),
      F("drop-every", &O::drop_every, "step: epochs between drops; 0: a third of the run")
          .at_least(0, "0 (a third of the run) or more epochs"),
      F("plateau-patience", &O::plateau_patience,
        "plateau: epochs without improvement before a drop")
          .at_least(0, "0 epochs or more"),
      F("plateau-cooldown", &O::plateau_cooldown, "plateau: epochs after a drop that do not count")
          .at_least(0, "0 epochs or more"),
      F("warmup", &O::warmup,
        "epochs until the learning rate is reached, in each stage; -1: three, a tenth of the "
        "stage at most")
          .must_be("0 epochs to all of them, or -1 for three and at most a tenth",
                   [](const O& o) { return o.freeze_epochs > 0 || is_warmup(o, o.epochs); })
          .must_be(
              "0 epochs to all of the shorter stage, or -1 for three and at most a tenth of each",
              [](const O& o) {
                return o.freeze_epochs <= 0 ||
                       is_warmup(o, std::min(o.freeze_epochs, o.epochs - o.freeze_epochs));
              }),
      F("label-smoothing", &O::label_smoothing,
        "share of a class target that is spread over all classes")
          .must_be(kUnderOne),
      F("class-weights", &O::class_weights,
        "how much objects of a class count: none (all alike), auto (rarer classes count more), or "
        "w,w,... in the order of the classes")
          .check([](const O& o) { class_weights_from(o.class_weights); }),
      F("ema", &O::ema, "decay of the exponential moving average of the weights; 0: none")
          .must_be(kEmaLimits),
  });
}

}  // namespace

void add_training_flags(FlagTable<FitOptions>& table) {
  add_epochs(table);
  add_optimiser(table);
}

}  // namespace letterpress
