#include "trainer/fit/step/picture_feed.h"

#include "trainer/device/device.h"
#include "trainer/fit/options/ranks_of_run.h"
#include "trainer/loader/batch_sequence.h"

namespace letterpress {

LoaderOptions training_loading(const FitOptions& options, torch::Device device, int rank,
                               int world_size) {
  const std::int64_t own = rows_of_rank(options.batch, rank, world_size);
  LoaderOptions loading{
      .batch = static_cast<int>((own + options.accumulate - 1) / options.accumulate),
      .threads = options.readers,
      .verify = verify_rows_from(options.verify),
      .read = read_by_from(options.read),
      .deadline_s = options.read_deadline,
      .before_read = options.hooks.before_read};
  load_for(device, arithmetic_type(options.precision, device), loading);
  return loading;
}

namespace {

TrainingOrder order_of(const Run& run) {
  const FitOptions& options = run.options;
  return {.seed = options.seed,
          .global_batch = options.batch,
          .first_clean_epoch = options.epochs - clean_epochs_of(options),
          .window = window_of(options.order),
          .begin = run.plan.position(0),
          .replayed = run.pictures.replayed,
          .replay = options.replay,
          .repeats = run.repeats()};
}

BatchSequence sequence_of(const Run& run) {
  const FitOptions& options = run.options;
  return micro_batches(training_sequence(run.pictures.train, order_of(run), rank_of(options),
                                         world_size_of(options)),
                       options.accumulate);
}

LoaderOptions loading_of(const Run& run, torch::Device device) {
  LoaderOptions loading =
      training_loading(run.options, device, rank_of(run.options), world_size_of(run.options));
  loading.advise = static_cast<int>(window_of(run.options.order).samples() / loading.batch);
  return loading;
}

}  // namespace

PictureFeed::PictureFeed(const Run& run, torch::Device device)
    : loader_(run.pictures.reader, sequence_of(run), run.done.step * run.options.accumulate,
              loading_of(run, device)),
      feed_(loader_, device, arithmetic_type(run.options.precision, device)) {}

}  // namespace letterpress
