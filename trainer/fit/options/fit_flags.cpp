#include "trainer/fit/options/fit_flags.h"

#include "letterpress/commandline/threads_flag.h"
#include "letterpress/models/graph.h"
#include "trainer/device/cuda_graph.h"
#include "trainer/device/device_flags.h"
#include "trainer/exchange/start_weights.h"
#include "trainer/fit/options/monitor.h"
#include "trainer/fit/options/snapshot_flag.h"
#include "trainer/loader/batch_loader.h"
#include "trainer/loader/sample_stream.h"

namespace letterpress {
namespace {

using O = FitOptions;
using F = Flag<O>;

FlagValue absolute_path(const std::filesystem::path& path) {
  return std::filesystem::absolute(path).string();
}

void check_snapshot(const O& options) {
  if (options.snapshot != kFollow)
    require_snapshot(options.snapshot, "a generation's number, 'latest' or 'follow'");
}

void check_refresh(const O& options) {
  if (options.refresh == 0 || options.snapshot == kFollow) return;
  throw Error(Message{.where = "--refresh " + std::to_string(options.refresh),
                      .what = "the new views would not be read",
                      .fix = "give --snapshot follow, too"},
              Exit::usage);
}

void check_one_start(const O& options) {
  if (options.init.empty() || options.pretrained.empty()) return;
  throw Error(Message{.where = "--init and --pretrained",
                      .what = "both name start weights",
                      .fix = "give one of them"},
              Exit::usage);
}

void check_one_side(const O& options) {
  if (options.cuda_graph != "on" || options.multi_scale == "none") return;
  throw Error(
      {.what = "--cuda-graph on replays steps of one side, --multi-scale " + options.multi_scale +
               " draws another one every " + std::to_string(options.scale_every) + " steps",
       .fix = "leave one of the two out"},
      Exit::usage);
}

void add_input(FlagTable<O>& table) {
  table.add({
      F("store", &O::store, "folder that letterpress-preprocess build made")
          .required()
          .here()
          .stored_as([](const O& o) { return absolute_path(o.store); })
          .must_be("the folder that `letterpress-preprocess build` made",
                   [](const O& o) { return !o.store.empty(); }),
      F("model", &O::model, "what to train: " + names_of(model_infos()))
          .fixed()
          .known("model", model_infos()),
      F("out", &O::out, "folder of the run: checkpoints, results.csv")
          .here()
          .stored_as([](const O& o) { return absolute_path(o.out); })
          .must_be("the folder of the run", [](const O& o) { return !o.out.empty(); }),
      F("notes", &O::notes, "a text that is stored with the run; inspect shows it"),
      // Where the run was begun, another one is in its checkpoints.
      F("snapshot", &O::snapshot,
        "generation to train on, latest, or follow (newer ones are taken up at the end of "
        "epochs); resuming: the run's own, for latest too")
          .check(check_snapshot)
          .stored_as([](const O& o) {
            return o.snapshot == kFollow ? FlagValue(std::string(kFollow)) : FlagValue{};
          }),
      F("refresh", &O::refresh,
        "threads of a process that draws the oldest views anew while this trains, at the lowest "
        "priority (letterpress-preprocess refresh --follow); with --snapshot follow, which takes "
        "them up; 0: none")
          .between(0, kMostThreads, "0 (none) to " + std::to_string(kMostThreads))
          .check(check_refresh),
      F("split", &O::split, "what to train on").fixed(),
      F("val-split", &O::val_split,
        "what to measure on after each epoch; none given: val, if the store has it"),
  });
}

void add_start(FlagTable<O>& table) {
  table.add({
      F("anchors", &O::anchors,
        "auto (of --init, else k-means over the train split), model, or w,h,w,h,... pixels of "
        "the store's pictures")
          .fixed(),
      F("init", &O::init,
        "start weights of a checkpoint or a run's folder, with its anchors; what does not fit "
        "stays random (see --match)")
          .here(),
      F("pretrained", &O::pretrained,
        "start weights of a checkpoint or of another program's file (see import); "
        "out/start_weights.txt says what went where")
          .here()
          .check(check_one_start),
      F("match", &O::match,
        "what of start weights is loaded: strict (all or nothing), shape (what has the same "
        "shape), name (also the output layers' box rows and the rows of classes of the same name)")
          .choices(kMatchNames),
      F("freeze", &O::freeze,
        "layers that do not train: none, a stage (backbone, neck, head), all-but-head, or a "
        "pattern of their names; their norms and dropouts stay still too"),
      F("freeze-epochs", &O::freeze_epochs,
        "two stages, each with the whole schedule: epochs that they are frozen, then all train; "
        "0: throughout")
          .at_least(0, "0 (throughout) or more")
          .must_be("under --epochs; 0 freezes throughout",
                   [](const O& o) { return o.freeze_epochs == 0 || o.freeze_epochs < o.epochs; })
          .must_be("given with --freeze",
                   [](const O& o) { return o.freeze_epochs == 0 || o.freeze != "none"; }),
      F("freeze-lr", &O::freeze_lr, "highest learning rate of the frozen stage; 0: as --lr")
          .at_least(0, "0 (as --lr) or more")
          .must_be("given with --freeze-epochs",
                   [](const O& o) { return o.freeze_lr == 0 || o.freeze_epochs > 0; }),
      F("resume", &O::resume,
        "go on with the run in --out, with its flags where none are given; a new one where there "
        "is none")
          .once(),
  });
}

void add_stopping(FlagTable<O>& table) {
  table.add({
      F("monitor", &O::monitor,
        "metric that decides which epoch is best: map, map50, precision, recall, "
        "recall@precision=0.95 or precision@recall=0.98 (of the val split; any share), top1 (of "
        "classifiers) or loss (of the training); none given: map or top1, if there is a val split")
          .fixed()
          .check([](const O& o) { validate_monitor(o.monitor); }),
      F("mode", &O::mode, "max or min of it; auto: min for loss, else max")
          .fixed()
          .choices({"auto", "max", "min"}),
      F("patience", &O::patience,
        "epochs without improvement after which the run stops, not counting --freeze-epochs; "
        "0: never")
          .at_least(0, "0 (no early stop) or more epochs"),
      F("min-delta", &O::min_delta,
        "by how much a metric must improve to count for --patience and plateau")
          .at_least(0),
      F("time-budget", &O::time_budget,
        "minutes after which it stops with a checkpoint, for --resume; 0: none")
          .here()
          .at_least(0, "0 (none) or more minutes"),
      F("save-every", &O::save_every,
        "epochs between checkpoints that stay, epoch-*.safetensors, weights only; 0: none")
          .at_least(0, "0 (never) or more epochs"),
      F("keep", &O::keep, "how many of them stay, the newest; 0: all")
          .at_least(0, "0 (all) or more"),
  });
}

void add_device(FlagTable<O>& table) {
  table.add({
      device_flag<O>(&O::device).here(),
      F("gpus", &O::gpus,
        "one process on each of the first N CUDA devices, or all; they share each batch")
          .here(),
      F("devices", &O::devices, "one process on each of these CUDA devices: 0,2").here(),
      F("share-devices", &O::share_devices,
        "--gpus, --devices: also devices on which other processes compute")
          .once(),
      F("ranks", &O::ranks, "processes on the CPU that share each batch").here().at_least(1),
      precision_flag<O>(&O::precision, "", " (its gradients scaled so that they do not vanish)"),
      F("tf32", &O::tf32,
        "CUDA: products and convolutions of float32 numbers with 10 of their 23 bits, by tensor "
        "cores; without it fp32 is what a CPU computes"),
      F("deterministic", &O::deterministic,
        "CUDA: reproducible kernels only; an operation that has none ends the run"),
      F("cuda-graph", &O::cuda_graph,
        "CUDA: on: after the first few steps their kernels are launched as one piece, a graph, so "
        "that the device does not wait for the host; it keeps a step's memory throughout. auto: on "
        "for one process on a CUDA device without --multi-scale, else off")
          .here()
          .choices(graph_choices())
          .check(check_one_side),
      threads_flag<O>(&O::threads,
                      "CPU threads, per rank; 0: all cores, shared by the ranks of a host; another "
                      "number rounds differently")
          .here(),
  });
}

void add_reading(FlagTable<O>& table) {
  table.add({
      readers_flag<O>(&O::readers, "threads that read ahead, per rank", ", shared likewise").here(),
      F("read", &O::read,
        "how rows are read: pread (copied from the page cache), mmap (taken from it where they "
        "lie), direct (past it, for stores larger than memory); auto decides and prints why")
          .here()
          .choices({kReadNames.begin(), kReadNames.end()}),
      F("order", &O::order,
        "of the pictures in an epoch: shuffle, or window for disks that seek slowly (blocks of "
        "neighbours, mixed 16 at a time and read ahead)")
          .fixed()
          .choices(orders()),
      F("verify", &O::verify, "row checksums: on a row's first touch, always or never")
          .here()
          .choices({kVerifyNames.begin(), kVerifyNames.end()}),
      F("read-deadline", &O::read_deadline,
        "seconds after which a read that hangs ends the run with the row's name")
          .here()
          .over(0, "over 0 seconds"),
      F("rank-deadline", &O::rank_deadline,
        "several ranks: seconds; the run ends when the others have waited as long for one rank, or "
        "all for each other; at least --read-deadline + 5, as a read that hangs is told first")
          .here()
          .over(0, "over 0 seconds"),
      F("checkpoint-minutes", &O::checkpoint_minutes, "time between checkpoints within an epoch")
          .here()
          .over(0, "over 0"),
      F("log-every", &O::log_every, "steps between looks at the loss")
          .here()
          .between(1, 1'000'000, "1 to 1000000"),
  });
}

}  // namespace

const FlagTable<FitOptions>& fit_flags() {
  static const FlagTable<FitOptions> table = [] {
    FlagTable<FitOptions> all(FlagLife::kept);
    add_input(all);
    add_start(all);
    add_sampling_flags(all);
    add_training_flags(all);
    add_stopping(all);
    add_device(all);
    add_reading(all);
    return all;
  }();
  return table;
}

}  // namespace letterpress
