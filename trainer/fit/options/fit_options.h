#pragma once
#include <cstdint>
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <set>
#include <string>
#include <vector>

#include "trainer/exchange/match.h"
#include "trainer/fit/options/fit_hooks.h"
#include "trainer/loader/batch_loader.h"
#include "trainer/optimisers/optimiser_options.h"
#include "trainer/schedules/plateau.h"

namespace letterpress {

class RankGroup;
inline constexpr const char* kDefaultValSplit = "val";
inline constexpr const char* kFollow = "follow";

/// A training. The defaults suit small sets from scratch: a few hundred pictures, tens of epochs.
struct FitOptions {
  std::filesystem::path store{};      ///< folder that `letterpress-preprocess build` made
  std::string model = "yolov3-tiny";  ///< name in the table of models
  std::filesystem::path
      out{};  ///< run folder: checkpoints, results.csv, configuration.json; made when absent
  std::string notes{};     ///< whatever is to be read beside the run later: `inspect` shows it
  std::string snapshot{};  ///< "N", "latest" or "follow" (take up newer ones at the end of epochs);
                           ///< empty: latest, on resuming the run's own
  int refresh = 0;  ///< threads that draw new views while this trains; 0: none. With "follow"
  std::string split = "train";  ///< what is trained on
  std::string val_split{};  ///< what metrics are measured on; empty: val, or no metrics in a store
                            ///< without it

  int epochs = 40;        ///< passes over the train split; more for small sets
  int clean_epochs = -1;  ///< last epochs, that read view 0 only; -1: a tenth of `epochs`
  int batch = 16;         ///< pictures per optimiser step over all micro-batches and ranks
  int accumulate =
      1;  ///< micro-batches per step, a divisor of `batch`; raise it when memory is short
  std::uint64_t seed =
      1;  ///< of the start weights, of the order of pictures and of what steps draw

  int input_size = 0;  ///< pixels, a multiple of 32: side of the network's pictures, resized on the
                       ///< device; 0: the store's
  std::string multi_scale = "none";  ///< sides that steps train at, "320-608", multiples of 32;
                                     ///< metrics are measured at input_size
  int scale_every = 10;              ///< multi_scale: steps until another side is drawn
  std::string on_device = "none";    ///< operations on the prepared batches, in this order:
                                     ///< "flip,hsv,mosaic,mixup"; not in clean epochs

  bool sync_batch_norm = false;  ///< norms over the pictures of all ranks; for few pictures per
                                 ///< rank, where it costs less than it gives

  std::string optimiser = "adamw";  ///< name in the table of optimisers
  double lr = 0;                    ///< highest learning rate; 0: as learning_rate_of() says
  double momentum = OptimiserOptions().momentum;  ///< of sgd
  /// Of kernels; raise it against overfitting.
  double weight_decay = OptimiserOptions().weight_decay;
  double clip = OptimiserOptions().clip_norm;     ///< largest norm of all gradients; 0: no clipping
  std::string schedule = ScheduleOptions().name;  ///< name in the table of schedules
  double final_fraction = ScheduleOptions().final_fraction;  ///< of lr at the end
  double power = ScheduleOptions().power;  ///< of polynomial: over 1 falls early, under 1 late
  /// Schedules step and plateau: the rate is multiplied by it at each drop.
  double drop_factor = ScheduleOptions().drop_factor;
  double drop_every =
      0;  ///< schedule step: epochs between drops, may be a fraction; 0: a third of the run
  /// Schedule plateau: epochs without improvement before a drop. More for noisy metrics.
  int plateau_patience = static_cast<int>(PlateauOptions().patience);
  int plateau_cooldown = 0;  ///< schedule plateau: epochs after a drop that do not count
  double warmup =
      -1;  ///< epochs, may be a fraction, of each stage; -1: three, a tenth of the stage at most
  double label_smoothing = 0;          ///< 0 to under 1; for labels that err
  std::string class_weights = "none";  ///< none; auto: by how rare a class is; or one number per
                                       ///< class, w,w,...: for rare classes
  double ema =
      0.999;  ///< decay of the EMA weights, 0..1; 0: none are kept. Nearer to 1 for long runs

  std::string monitor{};      ///< metric that decides which epoch is best: map, map50, precision,
                              ///< recall, a goal (monitor.h), top1 or loss; empty: map or top1, if
                              ///< there is a val split
  std::string mode = "auto";  ///< max or min of it; auto: min for loss, else max
  int patience = 0;      ///< epochs without improvement after which the run stops, not of stage
                         ///< one; 0: it goes on to its end
  double min_delta = 0;  ///< by how much a metric must improve to count for patience and plateau

  std::string anchors = "auto";  ///< auto: those of init, else k-means over the train split; model:
                                 ///< published; or w,h,w,h,... pixels of the store's pictures
  std::string freeze = "none";   ///< layers that do not train: none, a stage, all-but-head, or a
                                 ///< pattern of names; for good start weights
  double freeze_epochs =
      0;  ///< stage one: epochs that they are frozen, under `epochs`, then all train; 0: throughout
  double freeze_lr = 0;          ///< highest learning rate of stage one; 0: lr
  std::filesystem::path init{};  ///< start weights: a checkpoint or a run folder, with its anchors;
                                 ///< what does not fit stays random
  std::filesystem::path pretrained{};  ///< start weights of any known format; not with init
  double replay = 1;  ///< share of the pictures known from init's snapshot (follow: the one before)
                      ///< that an epoch has
  std::string sample = "all";  ///< all: each picture once per epoch; balanced: those of rare
                               ///< classes more often
  double rare_below = 0;       ///< balanced: classes in a smaller share of the pictures are rare,
                               ///< 0..1; 0: the middle class's share
  double hard_negatives = 0;   ///< share of an epoch's places for pictures without boxes, by their
                               ///< loss, 0..0.9; for false detections on what is in order
  Match match = Match::name;   ///< what of start weights is loaded
  bool resume = false;         ///< go on from out/last.safetensors; a new run where there is none

  std::string device = "auto";  ///< auto: cuda:0 where there is one, else cpu; cpu; cuda:N
  std::string gpus{};  ///< all or a number: one rank on each of the first CUDA devices; empty: as
                       ///< `devices` or `device` say
  std::string
      devices{};  ///< one rank on each of these CUDA devices, "0,2"; empty: as `device` says
  bool share_devices = false;  ///< `gpus`, `devices`: also those on which other processes compute;
                               ///< slower, and short of memory
  int ranks = 1;               ///< processes on the CPU that share each batch
  std::string precision = "fp32";  ///< fp32, bf16 or, on CUDA, fp16 (autocast; faster where the
                                   ///< processor has such units)
  bool tf32 = false;  ///< CUDA: float32 products with 10 bits of their mantissa, faster; metrics
                      ///< are then not quite those of a CPU
  bool deterministic =
      false;  ///< CUDA: only reproducible kernels, slower. The CPU is reproducible anyway
  std::string cuda_graph = "auto";  ///< steps replay a CUDA graph: auto (on a CUDA device, by one
                                    ///< process, at one side), on or off
  int threads =
      0;  ///< CPU threads of the arithmetic, per rank; 0: all cores, shared by the ranks of a host
  int readers = 0;  ///< threads that read batches ahead, per rank; 0: min(4, cores), shared by the
                    ///< ranks of a host
  std::string read = "auto";  ///< how rows are read: auto, pread, mmap or direct; the choice and
                              ///< its reason are printed
  std::string order =
      "shuffle";  ///< of the pictures: shuffle, the whole epoch; window, for disks that seek slowly
  std::string verify = "first";  ///< row checksums: on a row's first touch, always or never
  /// Seconds after which a read that hangs ends the run with the row's name.
  double read_deadline = LoaderOptions().deadline_s;
  double rank_deadline =
      45;  ///< seconds after which a rank for which the others wait in vain ends the run,
           ///< read_deadline + 5 at least; more where devices or disks are slow for a while

  double checkpoint_minutes =
      10;  ///< time between checkpoints within an epoch; there is one after each epoch too
  double time_budget = 0;  ///< minutes after which this session stops, with a checkpoint; 0: none
  int save_every =
      0;  ///< epochs between checkpoints that stay, epoch-000010.safetensors, weights only; 0: none
  int keep = 0;        ///< how many of them stay, the newest; 0: all
  int log_every = 10;  ///< steps between looks at the loss; a look waits for the device

  RankGroup* group = nullptr;  ///< the ranks that train together, this process being one; null: it
                               ///< is alone. Outlives the training

  FitHooks hooks{};  ///< who watches the training
};

/// Throws Error (usage) that names the flag, what was got and what it may be; unknown names list
/// the known ones, nearest first.
void validate(const FitOptions& options);
/// The same for what only looks: --out may be missing.
void validate_but_out(FitOptions options);

/// Every value as a JSON object, keys as the flags: {"accumulate":1,"anchors":"auto",...}. A
/// Trainer adds "used", what became of those that leave something open:
/// {"anchors":[w,h,...],"device":"cuda:0","ranks":2,"snapshot":3,"threads":8}. Stored beside the
/// run and in its checkpoints.
std::string to_json(const FitOptions& options);

/// What to_json() made; null where the text is not a JSON object, as of an imported checkpoint.
nlohmann::json flags_from_json(const std::string& text);

/// `options` for a run that goes on: what is not in `given`, names of flags without their dashes,
/// is as in `begun`, of flags_from_json(). Throws Error, with `where` before it, naming the flag
/// whose value is of another kind.
FitOptions with_begun(FitOptions options, const nlohmann::json& begun,
                      const std::set<std::string>& given, const std::string& where);
/// with_begun() when the options resume: of out/last.safetensors, or where a run died before its
/// first checkpoint, of out/configuration.json, start weights included; the options as they are
/// where neither is there.
FitOptions resumed_options(const FitOptions& options, const std::set<std::string>& given);

/// How `options` differ from what a run was begun with. Throws Error (configuration), with `where`
/// before it, that lists all flags which differ and decide what the run's weights, moments and
/// position mean (model, batch, seed, ...); returns for the others
/// "--lr is 0.01, was 0.001".
std::vector<std::string> check_resumable(const FitOptions& options, const std::string& begun_json,
                                         const std::string& where);

/// Learning rate and epochs where the options leave them to a rule.
double learning_rate_of(const FitOptions& options);
std::string learning_rate_rule();  ///< in words, for help
int clean_epochs_of(const FitOptions& options);

}  // namespace letterpress
