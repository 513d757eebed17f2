#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "letterpress/annotations/annotations.h"
#include "letterpress/shards/compression.h"
#include "letterpress/shards/snapshot.h"
#include "letterpress/shards/tiles.h"
#include "preprocess/pictures/picture.h"

namespace letterpress {

/// What happens to a picture with more boxes than --max-boxes.
enum class Overflow {
  error,    ///< nothing is published, the picture is named
  largest,  ///< the largest boxes stay, the others are counted as rejected
};

/// What happens to boxes in pixels of another size than the picture's.
enum class LabelSize {
  reject,  ///< the picture is rejected, with both sizes
  scale,   ///< its boxes are scaled where both sizes have one aspect, else it is rejected
  ignore,  ///< the stated size is not looked at
};

/// What happens to pictures of equal bytes whose boxes differ.
enum class Duplicates {
  unite,  ///< the one that is kept gets the boxes of all
  first,  ///< it keeps its own, the others' are counted as rejected
  error,  ///< nothing is published, the first two are named
};

/// A split that is given by a label file of its own.
struct SplitLabels {
  std::string name;              ///< "test"
  std::filesystem::path labels;  ///< what --input takes
  bool operator==(const SplitLabels&) const = default;
};

/// A folder where pictures are sought.
struct PictureRoot {
  std::string split;  ///< of the label files of this split only; empty: of all
  std::filesystem::path folder;
  bool operator==(const PictureRoot&) const = default;
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
  std::vector<PictureRoot>
      roots;  ///< where pictures are sought beside the label file's own folder, in this order
  std::filesystem::path classes;  ///< one class name per line, for formats that hold ids only
  Coordinates coordinates = Coordinates::automatic;  ///< change it when a message says so
  int voc_origin = 1;                                ///< of the first pixel in VOC files, 0 or 1
  LabelSize label_size = LabelSize::reject;          ///< change it when a reject says so
  Duplicates duplicates = Duplicates::unite;
  /// "case", "unicode", "space": names that differ in these alone are one class, see alike_names.h
  std::vector<std::string> merge_classes_by{};
  int side = 416;    ///< pixels, multiple of 32; what the model is made for
  int tile = 0;      ///< pixels, multiple of 32: side of the frame in place of `side`, whose rows
                     ///< are tiles of the pictures; 0: pictures are rows as a whole
  TileRule tiles{};  ///< of these tiles; scale -1: see choose_scale.h
  int views = -1;    ///< augmented views per train picture; -1: see choose_views.h, or 0 when
                     ///< the recipe augments nothing
  int epochs_planned = 100;       ///< of the trainings to come, which views of -1 are to outlast
  std::string recipe = "detect";  ///< shipped name or TOML file
  std::string depth;  ///< "" none: 16-bit pictures are rejected; "8", "12", "16" or "minmax"
  Truncated truncated = Truncated::reject;
  std::string val;                  ///< "" none, a share ("0.1", "10%") or a label file
  std::vector<SplitLabels> splits;  ///< further splits by lists
  std::vector<ClassRename>
      renames;  ///< each `from` once, no `to` is renamed itself; later builds repeat them
  std::string group =
      "auto";  ///< "auto": pictures of one scene, "none" (or empty, in older stores), "folder", or
               ///< a regular expression on the name: pictures of one group share a split
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
  double max_rejected_boxes =
      0.01;  ///< share of the boxes found, those of rejected pictures aside (this run only)
  double max_unlabelled = 1;  ///< share of the pictures, found or beside these, that have no label
                              ///< file or annotation (this run only)
  double max_removed =
      0.05;  ///< share of the last snapshot's pictures that may vanish (this run only)
  double max_moved = 0.5;  ///< share of the pictures of val that may be in train now, and of any
                           ///< other split in train or val, if the flags that make splits are the
                           ///< same (this run only)
  double max_drift = 1;    ///< of classes, box sizes or brightness, see drift.h; more: nothing is
                           ///< published (this run only)
  std::int64_t max_pixels = PictureLimits().max_pixels;  ///< per picture
  bool allow_outside = false;  ///< pictures outside the label files' folders and roots may be read
  bool new_class_order = false;  ///< class lists may have another order, and category ids other
                                 ///< names, than in the last build (this run only)
  bool refresh_views = false;    ///< draw the augmented views anew (this run only)
  int redraw_views = 0;          ///< of the augmented views, how many are drawn anew, those drawn
                                 ///< longest ago (this run only)
  bool rebuild =
      false;  ///< make every row anew, maybe with another side, recipe or seed (this run only)
  bool dry_run = false;  ///< plan, measure and report, write nothing (this run only)

  bool operator==(const BuildOptions&) const = default;
};

/// Of the frame, pixels.
inline int frame_side(const BuildOptions& options) {
  return options.tile > 0 ? options.tile : options.side;
}
/// --scale auto: by the boxes, once they are known.
inline bool is_scale_chosen(const BuildOptions& options) { return options.tiles.scale == -1; }
/// None: pictures are rows as a whole.
inline std::optional<TileRule> tile_rule(const BuildOptions& options) {
  return options.tile > 0 ? std::optional(options.tiles) : std::nullopt;
}
/// Throws Error (usage) naming the flag, what was got and what it takes; (no_input) when --root or
/// the file of --val is not there.
void validate(const BuildOptions& options);
/// Effective configuration: every flag that the next build repeats, paths absolute. Not in it:
/// store, threads and what holds for one run.
std::string to_json(const BuildOptions& options);
/// The reverse; unknown keys are ignored, absent ones keep their default. Throws Error when the
/// text is not such JSON.
BuildOptions build_options_from_json(const std::string& text);

}  // namespace letterpress
