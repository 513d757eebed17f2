#pragma once
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "letterpress/detections/coco.h"
#include "letterpress/shards/store.h"
#include "trainer/metrics/picture_result.h"

namespace letterpress {

/// Ground truth of source_pictures() of a store's rows, in their order, boxes in pixels of the
/// source picture. Image ids are the label files' own where each picture has one of its own, else
/// the first 53 bits of /picture_id, which a picture keeps for life. Category ids are the label
/// files' own where each class has one, else 1 + class id. file_name: as the label file wrote it,
/// or the path where several wrote the same. ledger: of the reader's snapshot. measured: results of
/// the pictures whose ground truths are taken, where there are some already.
CocoGroundTruth ground_truth_of(const SnapshotReader& reader, const std::vector<PictureRows>& rows,
                                const std::vector<LedgerEntry>& ledger,
                                const std::vector<PictureResult>& measured = {});
/// How many labels of the pictures of `ground_truth`, as ground_truth_of() makes it, are in no tile
/// of the store, by image id: the ledger counts them, no row has them. Empty: none.
std::map<std::int64_t, std::int64_t> labels_in_no_tile(const SnapshotReader& reader,
                                                       const std::vector<PictureRows>& rows,
                                                       const std::vector<LedgerEntry>& ledger,
                                                       const CocoGroundTruth& ground_truth);
/// Why ground_truth_of() makes image ids up though label files have some: "a/1.jpg and b/7.jpg both
/// have 3", "c.jpg has none". Else empty.
std::string fault_of_ids(const std::vector<PictureRows>& pictures,
                         const std::vector<LedgerEntry>& ledger);

/// Finds the picture and the class that a detection of a file means: by id, or by name where it has
/// one instead. A picture's name may be given as the labels have it, as the path that was opened,
/// without its folder, or without folder and extension.
class DetectionIndex {
 public:
  /// ground_truth outlives it. where: the detections' file, for messages.
  DetectionIndex(const CocoGroundTruth& ground_truth, std::string where);
  /// The label files' own ids and the paths of the ground truth's pictures, and what else the
  /// ledger knows: detections of the latter are left out, not refused. pictures: the ground
  /// truth's, in its order.
  void add_ledger(const std::vector<LedgerEntry>& ledger, const std::vector<PictureRows>& pictures);

  /// The detections of ground truth's pictures, with its ids. Throws Error naming file and
  /// detection: a picture that nobody knows, a name or an id of several pictures, an unknown class.
  std::vector<CocoResult> resolve(std::span<const CocoResult> found);
  std::int64_t left_out() const noexcept {
    return left_out_;
  }  ///< of pictures that only the ledger knows

 private:
  void add_name(const std::string& name, std::int64_t image);
  void add_entry(const LedgerEntry& entry, std::int64_t image);
  std::int64_t image_of(const CocoResult& one, const std::string& place) const;
  std::int64_t category_of(const CocoResult& one, const std::string& place) const;

  const CocoGroundTruth& ground_truth_;
  std::string where_;
  std::unordered_map<std::int64_t, std::int64_t>
      ids_;  ///< the ground truth's -> itself, the labels' own -> the ground truth's, or kElsewhere
  std::unordered_map<std::string, std::int64_t> names_, short_names_;
  std::unordered_map<std::string, std::int64_t> categories_;
  std::int64_t left_out_ = 0;
};

}  // namespace letterpress
