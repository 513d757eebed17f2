#pragma once
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "letterpress/base/reject.h"
#include "letterpress/shards/snapshot.h"
#include "preprocess/plan/estimate.h"
#include "preprocess/reduce/drift.h"

namespace letterpress {

/// What happens to a picture with more boxes than --max-boxes.
enum class Overflow {
  error,    ///< nothing is published, the picture is named
  largest,  ///< the largest boxes stay, the others are counted as rejected
};

/// A split that is given by a label file of its own.
struct SplitLabels {
  std::string name;              ///< "test"
  std::filesystem::path labels;  ///< what --input takes
  bool operator==(const SplitLabels&) const = default;
};

/// A class that has another name from now on, in the store and in the label files that still write
/// the old one.
struct ClassRename {
  std::string from, to;
  bool operator==(const ClassRename&) const = default;
};

/// One run of `letterpress-preprocess build`. to_json() of these is stored in the snapshot, save
/// what holds for one run only.
struct BuildOptions {
  std::filesystem::path store;                ///< folder; made when absent
  std::vector<std::filesystem::path> inputs;  ///< label files or folders, at least one
  std::string format =
      "auto";  ///< of the label files; change it when `auto` says that it cannot tell
  std::filesystem::path root;     ///< where pictures are sought beside the label file's own folder
  std::filesystem::path classes;  ///< one class name per line, for formats that hold ids only
  int side = 416;                 ///< pixels, multiple of 32; what the model is made for
  int views =
      -1;  ///< augmented views per train picture; -1: 4, or 0 when the recipe augments nothing
  std::string recipe = "detect";  ///< shipped name or TOML file
  std::string depth;  ///< "" none: 16-bit pictures are rejected; "8", "12", "16" or "minmax"
  std::string val;    ///< "" none, a share ("0.1", "10%") or a label file
  std::vector<SplitLabels> splits;  ///< further splits by lists
  std::vector<ClassRename>
      renames;        ///< each `from` once, no `to` is renamed itself; later builds repeat them
  std::string group;  ///< "" none, "folder", or a regular expression on the name: pictures of one
                      ///< group share a split
  std::uint64_t seed = 1;      ///< same seed, same bytes, whatever `threads` is
  int threads = 0;             ///< 0: all cores
  std::int64_t max_boxes = 0;  ///< per picture; 0: no limit, nothing is ever cut
  Overflow on_overflow = Overflow::error;
  std::int64_t max_store_bytes = 0;  ///< of all shards together; 0: what the disk holds
  std::int64_t shard_bytes =
      std::int64_t{1}
      << 28;  ///< bytes of pixels per shard, before compression; smaller means more files
  Compression compression =
      Compression::none;  ///< of shards that are made from now on; those there are stay as they are
  double max_rejects =
      0.01;  ///< share of the pictures found; more: nothing is published (this run only)
  double max_removed =
      0.05;              ///< share of the last snapshot's pictures that may vanish (this run only)
  double max_drift = 1;  ///< of classes, box sizes or brightness, see drift.h; more: nothing is
                         ///< published (this run only)
  std::int64_t max_pixels = 100'000'000;  ///< per picture
  bool allow_outside = false;  ///< pictures outside the label files' folders and root may be read
  bool refresh_views = false;  ///< draw the augmented views anew (this run only)
  bool rebuild =
      false;  ///< make every row anew, maybe with another side, recipe or seed (this run only)
  bool dry_run = false;  ///< plan, measure and report, write nothing (this run only)

  bool operator==(const BuildOptions&) const = default;
};

/// Throws Error (usage) naming the flag, what was got and what it takes; (no_input) when --root or
/// the file of --val is not there.
void validate(const BuildOptions& options);
/// Effective configuration: every flag that the next build repeats, paths absolute. Not in it:
/// store, threads and what holds for one run.
std::string to_json(const BuildOptions& options);
/// The reverse; unknown keys are left alone, absent ones keep their default. Throws Error when the
/// text is no such JSON.
BuildOptions build_options_from_json(const std::string& text);

/// Hears how a build goes on. Calls come from one thread at a time, save advance(), which comes
/// from all.
class BuildListener {
 public:
  virtual ~BuildListener() = default;
  virtual void stage(const std::string& label, std::int64_t total,
                     const std::string& unit);  ///< ("preparing", 364, "pictures")
  virtual void advance(std::int64_t n);
  virtual void note(const std::string& text);
};

/// What a build did.
struct BuildReport {
  std::int64_t generation = 0;  ///< newest snapshot now; 0: none
  bool published = false;       ///< false: nothing had changed, a dry run, or stopped
  int stopped_by =
      0;  ///< SIGINT or SIGTERM when it stopped early; finished shards are kept for the next run
  Accounting accounting;          ///< of the snapshot, or of the plan when nothing was published
  std::int64_t pictures_new = 0;  ///< of the stored: some of their rows had to be made; planned
                                  ///< ones, where nothing was published
  std::int64_t pictures_known =
      0;  ///< of these: in the last snapshot too, by path or bytes: edited, or made anew
  std::int64_t pictures_removed = 0;  ///< in the last snapshot, not in this one
  std::int64_t rows_new = 0;          ///< planned
  std::int64_t rows_copied =
      0;  ///< planned: out of shards that are mostly dead or small, into fewer
  std::int64_t rows_resumed =
      0;  ///< of these: in shards that an earlier, interrupted build had finished
  std::int64_t shards_new = 0;       ///< planned
  std::int64_t bytes_new = 0;        ///< of their pixels
  std::optional<Estimate> estimate;  ///< of a dry run
  std::vector<std::filesystem::path>
      damaged_shards;  ///< of the last snapshot, missing or damaged: their rows are made anew
  std::optional<Drift>
      drift;  ///< from the last snapshot to the one that was published; none for the first
  std::map<std::string, std::int64_t> pictures_per_split;  ///< stored
  std::vector<std::string>
      recognised;  ///< per label file: "train.txt: voc (lists ids ...)", and remarks on it
  std::vector<Reject> rejects;  ///< pictures and boxes
  std::string configuration;    ///< to_json(options)
  std::filesystem::path plan;   ///< of plan(): what map and reduce take; empty: nothing has changed
  std::int64_t groups = 0;      ///< of that plan: more parts than this have nothing to do
};

/// Plan, map and reduce in one process. Only new work is done; when nothing changed, nothing is
/// written (cache/ apart). Throws Error: data (65) too many rejects or removed pictures, a label
/// file that cannot be read, boxes over the limit with Overflow::error; no_input (66) no picture;
/// cannot_create (73) the store or its size limit; io (74) no space, write errors; busy (75)
/// another builder, or pictures that change while they are read, twice; configuration (78) another
/// side, recipe or seed than the store's.
BuildReport build(const BuildOptions& options, BuildListener& listener);

/// The first of the steps that steps.h takes on: finds out what is to be done and leaves it in the
/// store: report.plan, report.groups. When nothing has changed, no plan. Throws Error as build()
/// does.
BuildReport plan(const BuildOptions& options, BuildListener& listener);

}  // namespace letterpress
