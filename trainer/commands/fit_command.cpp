#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "letterpress/base/file.h"
#include "letterpress/commandline/program.h"
#include "letterpress/models/graph.h"
#include "trainer/augment/batch_augmentation.h"
#include "trainer/commands/commands.h"
#include "trainer/commands/dry_run.h"
#include "trainer/commands/fit_ranks.h"
#include "trainer/fit/opening/known_pictures.h"
#include "trainer/fit/opening/run_folder.h"
#include "trainer/fit/schedule_plot.h"
#include "trainer/optimisers/optimiser.h"
#include "trainer/schedules/schedule.h"

namespace letterpress {
namespace {

struct FitFlags {
  FitOptions options;
  bool json = false, show_schedule = false, if_new = false, dry_run = false;
};

template <class Infos>
std::string names_of(const Infos& infos) {
  std::string names;
  for (const auto& info : infos) names += (names.empty() ? "" : ", ") + info.name;
  return names;
}

void define_run(CLI::App& app, FitOptions& options) {
  app.add_option("--store", options.store, "folder that letterpress-preprocess build made")
      ->required();
  app.add_option("--model", options.model, "what to train: " + names_of(model_infos()));
  app.add_option("--out", options.out, "folder of the run: checkpoints, results.csv");
  app.add_option("--snapshot", options.snapshot,
                 "generation to train on, latest, or follow (newer ones are taken up at the end of "
                 "epochs); resuming: the run's own");
  app.add_option("--split", options.split, "what to train on");
  app.add_option("--val-split", options.val_split,
                 "what to measure on after each epoch; none given: val, if the store has it");
  app.add_option("--anchors", options.anchors,
                 "auto (of --init, else k-means over the train split), model, or w,h,w,h,... "
                 "pixels of the store's pictures");
  app.add_option("--init", options.init,
                 "start weights of a checkpoint or a run's folder, with its anchors; what does not "
                 "fit stays random (see --match)");
  app.add_option("--pretrained", options.pretrained,
                 "start weights of a checkpoint or of another program's file (see import); "
                 "out/start_weights.txt says what went where");
  app.add_option("--replay", options.replay,
                 "share of the pictures that --init knows (with --snapshot follow: those before a "
                 "newer snapshot) that an epoch has beside the "
                 "new ones; in turn, so that all come back");
  app.add_option("--match", options.match,
                 "what of start weights is loaded: strict (all or nothing), shape (what has the "
                 "same shape), name (also the output layers' "
                 "box rows and the rows of classes of the same name)");
  app.add_option("--freeze", options.freeze,
                 "layers that do not train: none, a stage (backbone, neck, head), all-but-head, or "
                 "a pattern of their names; their norms and "
                 "dropouts stay still too");
  app.add_option("--freeze-epochs", options.freeze_epochs,
                 "two stages, each with the whole schedule: epochs that they are frozen, then all "
                 "train; 0: throughout");
  app.add_option("--freeze-lr", options.freeze_lr,
                 "highest learning rate of the frozen stage; 0: as --lr");
  app.add_flag("--resume", options.resume,
               "go on with the run in --out, with its flags where none are given; a new one where "
               "there is none");
}

void define_training(CLI::App& app, FitOptions& options) {
  app.add_option("--epochs", options.epochs, "passes over the train split");
  app.add_option("--clean-epochs", options.clean_epochs,
                 "last epochs without augmentation; -1: a tenth");
  app.add_option("--batch", options.batch, "pictures per step, over all ranks");
  app.add_option("--accumulate", options.accumulate,
                 "parts that a batch is computed in, when memory is short");
  app.add_flag("--sync-batch-norm", options.sync_batch_norm,
               "norms over the pictures of all ranks: for few pictures per rank");
  app.add_option("--seed", options.seed,
                 "of the start weights, of the order of pictures and of what steps draw");
  app.add_option("--input-size", options.input_size,
                 "side of the network's pictures, a multiple of 32, resized from the store's on "
                 "the device; 0: the store's");
  app.add_option("--multi-scale", options.multi_scale,
                 "sides that steps train at, 320-608: multiples of 32, drawn anew every "
                 "--scale-every steps; figures are of --input-size");
  app.add_option("--scale-every", options.scale_every,
                 "--multi-scale: steps until another side is drawn");
  std::string operations;
  for (const BatchAugmentationInfo& info : batch_augmentation_infos())
    operations += "; " + info.name + ": " + info.help;
  app.add_option("--on-device", options.on_device,
                 "none, or what is done with the prepared pictures in every step but those of the "
                 "clean epochs, in this order: "
                 "flip,hsv,mosaic,mixup" +
                     operations);
  app.add_option("--optimiser", options.optimiser, names_of(optimiser_infos()));
  app.add_option("--lr", options.lr,
                 "highest learning rate; 0: 0.001 for adam and adamw, 0.01 for sgd");
  app.add_option("--momentum", options.momentum, "of sgd");
  app.add_option("--weight-decay", options.weight_decay, "of kernels");
  app.add_option("--clip", options.clip, "largest norm of all gradients; 0: no clipping");
  app.add_option("--schedule", options.schedule,
                 "of the learning rate: " + names_of(schedule_infos()));
  app.add_option("--final-fraction", options.final_fraction,
                 "of the learning rate at the end; of plateau: the least");
  app.add_option("--power", options.power, "of polynomial");
  app.add_option("--drop-factor", options.drop_factor,
                 "step, plateau: the learning rate is multiplied by it at each drop");
  app.add_option("--drop-every", options.drop_every,
                 "step: epochs between drops; 0: a third of the run");
  app.add_option("--plateau-patience", options.plateau_patience,
                 "plateau: epochs without a better figure that are borne");
  app.add_option("--plateau-cooldown", options.plateau_cooldown,
                 "plateau: epochs after a drop that do not count");
  app.add_option("--warmup", options.warmup,
                 "epochs until the learning rate is reached, in each stage; -1: one, a tenth of "
                 "the stage at most");
  app.add_option("--label-smoothing", options.label_smoothing,
                 "share of a class target that is spread over all classes");
  app.add_option("--class-weights", options.class_weights,
                 "how much objects of a class count: none (all alike), auto (the rarer the more), "
                 "or w,w,... in the order of the classes");
  app.add_option("--ema", options.ema, "decay of the averaged weights; 0: none");
}

void define_stopping(CLI::App& app, FitOptions& options) {
  app.add_option("--monitor", options.monitor,
                 "figure that decides which epoch is best: map, map50, precision, recall (of the "
                 "val split), top1 (of classifiers) or loss "
                 "(of the training); "
                 "none given: map or top1, if there is a val split");
  app.add_option("--mode", options.mode, "max or min of it; auto: min for loss, else max");
  app.add_option("--patience", options.patience,
                 "epochs without a better figure after which the run stops, not counting "
                 "--freeze-epochs; 0: never");
  app.add_option("--min-delta", options.min_delta,
                 "by how much a figure must be better to count for --patience and plateau");
  app.add_option("--time-budget", options.time_budget,
                 "minutes after which it stops with a checkpoint, for --resume; 0: none");
  app.add_option(
      "--save-every", options.save_every,
      "epochs between checkpoints that stay, epoch-*.safetensors, weights only; 0: none");
  app.add_option("--keep", options.keep, "how many of them stay, the newest; 0: all");
}

// Also as files where --out is given.
int show_schedule(const FitOptions& options) {
  const SchedulePlot plot = schedule_plot(options);
  std::cout << plot.text();
  if (options.out.empty()) return 0;
  check_outside(options.out, options.store);
  make_folders(options.out);
  replace_file(options.out / "schedule.svg", plot.svg());
  replace_file(options.out / "schedule.csv", plot.csv());
  std::cout << "also in " << (options.out / "schedule.svg").string() << " and schedule.csv\n";
  return 0;
}

int show_dry_run(const FitOptions& options, bool json) {
  end_soon_when_stopped();  // it writes nothing
  const DryRun run = dry_run(options, [](const std::string& what) {
    std::cerr << "letterpress-trainer fit: measuring " << what << std::endl;
  });
  print(run, std::cout);
  if (json) std::cout << json_of(run).dump() << "\n";
  return 0;
}

int tell_known(const std::string& known, bool json) {
  std::cout << (json ? R"({"ending":"nothing new"})" : known + "; nothing to do") << "\n";
  return 0;
}

void define_machine(CLI::App& app, FitOptions& options) {
  app.add_option("--device", options.device, "auto, cpu, cuda or cuda:N");
  app.add_option("--gpus", options.gpus,
                 "one process on each of the first N CUDA devices, or all; they share each batch");
  app.add_option("--devices", options.devices, "one process on each of these CUDA devices: 0,2");
  app.add_flag("--share-devices", options.share_devices,
               "--gpus, --devices: also devices on which other processes compute");
  app.add_option("--ranks", options.ranks, "processes on the CPU that share each batch");
  app.add_option("--precision", options.precision,
                 "fp32, bf16 or, on CUDA, fp16 (its gradients scaled so that they do not vanish)");
  app.add_flag("--deterministic", options.deterministic, "CUDA: reproducible kernels only");
  app.add_flag("--cuda-graph", options.cuda_graph,
               "CUDA, one process: after the first few steps their kernels are launched as one "
               "piece, a graph; for small models and batches, where "
               "the device waits for the host (--dry-run shows what it gives). Keeps a step's "
               "memory throughout; not with --multi-scale");
  app.add_option("--threads", options.threads,
                 "CPU threads, per rank; 0: all cores, shared by the ranks of a host");
  app.add_option("--readers", options.readers,
                 "threads that read ahead, per rank; 0: min(4, cores), shared likewise");
  app.add_option("--read", options.read,
                 "how rows are read: pread (copied from the page cache), mmap (taken from it where "
                 "they lie), direct (past it, for stores "
                 "larger than memory); auto decides and prints why");
  app.add_option("--order", options.order,
                 "of the pictures in an epoch: shuffle, or window for disks that seek slowly "
                 "(blocks of neighbours, mixed 16 at a time and "
                 "read ahead)");
  app.add_option("--verify", options.verify,
                 "row checksums: on a row's first touch, always or never");
  app.add_option("--read-deadline", options.read_deadline,
                 "seconds after which a read that hangs ends the run with the row's name");
  app.add_option("--rank-deadline", options.rank_deadline,
                 "--gpus, --devices, --ranks: seconds after which a rank for which the others wait "
                 "in vain ends the run");
  app.add_option("--checkpoint-minutes", options.checkpoint_minutes,
                 "time between checkpoints within an epoch");
  app.add_option("--log-every", options.log_every, "steps between looks at the loss");
}

std::set<std::string> given_flags(const CLI::App& app) {
  std::set<std::string> given;
  for (const CLI::Option* option : app.get_options()) {
    if (option->count() > 0) given.insert(option->get_single_name());
  }
  return given;
}

}  // namespace

Command fit_command() {
  return {
      "fit", "shards -> a trained model", [](CLI::App& app) {
        // Owners: the options of `app`, which write to it, and the answer, which reads it.
        auto flags = std::make_shared<FitFlags>();
        define_run(app, flags->options);
        define_training(app, flags->options);
        define_stopping(app, flags->options);
        define_machine(app, flags->options);
        app.add_flag(
            "--show-schedule", flags->show_schedule,
            "only plot the learning rate; with --out also as schedule.svg and schedule.csv there");
        app.add_flag("--dry-run", flags->dry_run,
                     "only measure: memory, pictures/s, what the loader must give and gives, and "
                     "which of them is the limit; writes "
                     "nothing");
        app.add_flag("--if-new", flags->if_new,
                     "exit 0 at once when the newest snapshot was trained on already, by the run "
                     "in --out or the one of --init");
        app.add_flag("--json", flags->json, "one JSON summary line last on stdout");
        return [flags, &app] {
          const FitOptions options = resumed_options(flags->options, given_flags(app));
          if (flags->show_schedule) return show_schedule(options);
          if (const auto known = flags->if_new ? trained_already(options) : std::nullopt)
            return tell_known(*known, flags->json);
          if (flags->dry_run) return show_dry_run(options, flags->json);
          return fit_on_ranks(options, flags->json);
        };
      }};
}

}  // namespace letterpress
