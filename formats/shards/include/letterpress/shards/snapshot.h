#pragma once
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "letterpress/base/hash.h"
#include "letterpress/shards/compression.h"
#include "letterpress/shards/letterbox.h"

namespace letterpress {

/// What determines the bytes of a row besides picture and labels. Two builds with equal identity
/// can share rows.
struct BuildIdentity {
  int side = 416;
  std::string recipe_name{};  ///< for people
  std::string recipe_json{};  ///< effective recipe, canonical JSON, letterbox rule included
  std::uint64_t seed = 1;
  std::uint64_t draw = 0;  ///< raised by --refresh-views
  /// By view - 1: how often that view alone was drawn anew since (--redraw-views); empty
  /// where none was.
  std::vector<std::uint64_t> redrawn{};

  /// What view 1..K is drawn with: the random numbers of no two draws of a view are the same.
  std::uint64_t draw_of(int view) const;
  bool operator==(const BuildIdentity&) const = default;
};

/// What became of the tiles of the stored pictures, and of these pictures' boxes in them:
/// laid = stored + left_out + rejected; boxes stored = whole + cut + outside.
struct TileAccounting {
  std::int64_t laid = 0, stored = 0, background = 0;  ///< background: of the stored, without a box
  std::int64_t left_out = 0;       ///< without a box, of split train, beyond --background-tiles
  std::int64_t rejected = 0;       ///< of older programs: of pictures that could not be decoded
  std::int64_t boxes_whole = 0;    ///< whole in one tile at least
  std::int64_t boxes_cut = 0;      ///< cut in every tile that has them
  std::int64_t boxes_outside = 0;  ///< in no tile: too little of them is in any

  std::int64_t accounted() const { return stored + left_out + rejected; }
  std::int64_t boxes_accounted() const { return boxes_whole + boxes_cut + boxes_outside; }
  bool operator==(const TileAccounting&) const = default;
};

/// The two identities that every build prints and stores: found = stored + duplicates + rejected;
/// boxes found = stored + merged + rejected.
struct Accounting {
  std::int64_t pictures_found = 0, pictures_stored = 0, pictures_background = 0,
               pictures_duplicate = 0, pictures_rejected = 0;
  std::int64_t boxes_found = 0, boxes_stored = 0, boxes_merged = 0, boxes_rejected = 0;
  std::int64_t boxes_clipped = 0;  ///< not of the rejected: overhang above the tolerance
  std::int64_t moved_to_val = 0;   ///< pictures found in two splits, kept in val
  /// Of the found, by their headers: they were converted to 8-bit RGB.
  std::int64_t pictures_cmyk = 0, pictures_alpha = 0, pictures_deep = 0;
  std::int64_t pictures_unlabelled = 0;   ///< of the found: without label file or annotation
  std::optional<TileAccounting> tiles{};  ///< none where pictures are whole

  std::int64_t pictures_accounted() const {
    return pictures_stored + pictures_duplicate + pictures_rejected;
  }
  std::int64_t boxes_accounted() const { return boxes_stored + boxes_merged + boxes_rejected; }
  bool operator==(const Accounting&) const = default;
};

struct SnapshotShard {
  Hash128 digest{};
  std::string split{};
  bool augmented = false;  ///< rows of views 1..K, else view 0
  std::int64_t rows = 0;
  int max_boxes = 0;
  std::vector<std::int64_t> dead{};  ///< rows not to be used, ascending
  Compression compression = Compression::none;
  /// RGB, summed over the pixels of the rows that are not dead, in a clean shard of split train:
  /// the next build computes its mean from it. Else empty.
  std::vector<std::int64_t> channel_sum{};
};

/// Distributions of the stored boxes, for checks, reports and models.
struct Statistics {
  int max_boxes = 0;  ///< largest M of the shards: a run pads to it
  /// 9 widths and heights, pixels of the letterboxed frame, by area ascending (k-means on IoU);
  /// empty without boxes.
  std::vector<std::array<double, 2>> anchors{};
  std::array<double, 3> channel_mean{};  ///< RGB 0..255 over the clean rows of split train
  std::map<std::string, std::int64_t> boxes_per_class{};
  /// By the label of the whole picture; empty in detection sets.
  std::map<std::string, std::int64_t> pictures_per_class{};
  std::vector<std::int64_t> box_side_histogram{};  ///< sqrt(w*h) in the frame, bins of 8 pixels
};

/// Luma of channel_mean, 0..255 (ITU-R BT.601).
double brightness(const Statistics& statistics);

/// State of a store at one time: immutable, whole or absent.
struct Snapshot {
  std::int64_t generation = 0;  ///< 1, 2, ...
  std::int64_t parent = 0;      ///< 0: none
  BuildIdentity identity{};
  int views = 0;  ///< K
  /// The label format's own id of a class (COCO), by its name; the first stated stays.
  std::map<std::string, std::int64_t> category_ids{};
  std::vector<std::string> classes{};  ///< grows at the end only
  /// Of label files whose boxes hold places in a list of classes: that list, by the file's path.
  std::map<std::string, std::vector<std::string>> class_lists{};
  /// Of label files that have an id of their own for each class (COCO): the classes by these ids,
  /// by the file's path. Empty in older snapshots.
  std::map<std::string, std::map<std::int64_t, std::string>> category_lists{};
  std::vector<SnapshotShard> shards{};
  Statistics statistics{};
  Accounting accounting{};
  Hash128 logical_digest{};  ///< order-independent, over rows and class names: incremental == clean
  /// Effective flags of the build: `build` without --input repeats them.
  std::string configuration_json{};
  std::string producer{};
  /// hash_file() of the ledger, so that a flipped bit in bytes that hold nothing is found, too;
  /// Store::publish() sets it. Zero in older snapshots.
  Hash128 ledger_digest{};
};

/// Bytes of a JSON file in a store: three times those of a snapshot of a million shards.
inline constexpr std::int64_t kMostJsonBytes = std::int64_t{1} << 30;

/// What a snapshot may say at most, so that one that somebody else made takes no memory without
/// bound: M of a shard's boxes, rows of a shard (builds write 1024), K.
inline constexpr int kMostBoxes = 1 << 24, kMostShardRows = 1 << 16, kMostViews = 1024;

std::string to_json(const Snapshot& snapshot);  ///< with its own checksum
/// Throws Error naming `where` when the text is cut, changed by a bit, of a newer format, or says
/// what no build writes: numbers out of range or too large for their fields, max_boxes over those
/// of its shards, a shard twice.
Snapshot snapshot_from_json(const std::string& text, const std::string& where);
/// The ranges of those numbers. Throws Error naming `where`.
void check_snapshot(const Snapshot& snapshot, const std::string& where);
/// What of it cannot be true though each number is in its range; empty of any that a build
/// published.
std::vector<std::string> contradictions_in(const Snapshot& snapshot);

}  // namespace letterpress
