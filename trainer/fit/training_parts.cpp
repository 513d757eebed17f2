#include "trainer/fit/training_parts.h"

#include "trainer/fit/checkpoint_writer.h"
#include "trainer/fit/opening/run_folder.h"
#include "trainer/fit/options/ranks_of_run.h"

namespace letterpress {
namespace {

std::optional<FileLock> lock_folder(const FitOptions& options) {
  validate(options);
  check_outside(options.out, options.store);
  if (!is_first_rank(options)) return std::nullopt;
  make_folders(options.out);
  std::optional<FileLock> lock(std::in_place, options.out / "lock");
  remove_temporary_files(options.out);
  return lock;
}

// Not before all is known to fit: a run that is refused leaves neither a configuration nor a pin.
SnapshotPins begin_in_folder(const Run& run, const RunModel& model, const Note& note) {
  const std::string configuration = configuration_of(run, model);
  note("configuration " + configuration);
  SnapshotPins pins(run, note);
  if (is_first_rank(run.options))
    replace_file(run.options.out / "configuration.json", configuration + "\n");
  return pins;
}

}  // namespace

HeldFolder::HeldFolder(const FitOptions& options) : lock(lock_folder(options)), notes(options) {}

TrainingParts::TrainingParts(std::unique_ptr<HeldFolder> held, OpenedTraining opened)
    : folder(std::move(held)),
      note(std::ref(folder->notes)),
      run(std::move(opened.run)),
      model(start_model(run, std::move(opened.start), opened.device, note)),
      pins(begin_in_folder(run, *model, note)),
      log(run, model->loss().term_names(), is_classifier(model->graph()), folder->notes),
      follower(run),
      steps(run, *model, note),
      metrics(run, *model, log),
      reading(std::make_unique<RunReading>(run, *model, note)) {}

std::unique_ptr<TrainingParts> open_parts(const FitOptions& options) {
  auto folder = std::make_unique<HeldFolder>(options);
  OpenedTraining opened = open_training(options, std::ref(folder->notes));
  return std::make_unique<TrainingParts>(std::move(folder), std::move(opened));
}

}  // namespace letterpress
