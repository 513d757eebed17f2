#pragma once
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "letterpress/base/box_rule.h"
#include "letterpress/models/graph.h"
#include "letterpress/shards/store.h"
#include "trainer/checkpoint/checkpoint.h"
#include "trainer/fit/options/fit_options.h"

namespace letterpress {

/// Where a run's anchors come from, and how well they fit the train split.
struct AnchorChoice {
  std::vector<double>
      anchors{};  ///< w0 h0 w1 h1 ... pixels of the store's pictures; empty: the model has none
  bool published = false;        ///< the model's own, in the side's proportion
  bool published_masks = false;  ///< heads use of them what they use of the published ones
  std::string
      source{};  ///< "k-means over 18124 boxes", "published", "given", "of the start weights"
  double mean_best_iou = 0;  ///< over the boxes of all rows of the train split; 0 without boxes
};

/// "6 anchors (k-means over 18124 boxes): 10x13 16x30 ..., mean best IoU 0.78"
std::string to_string(const AnchorChoice& choice);

/// In pixels of the snapshot's pictures. wanted: FitOptions::anchors. init: what the start weights
/// are of, or null. Throws Error: usage for text that is not a list of sizes or of the wrong
/// length; data when k-means has no box to work on.
AnchorChoice choose_anchors(const std::string& wanted, const std::string& model,
                            const SnapshotReader& reader, const std::vector<PictureRows>& pictures,
                            const Graph* init);

/// The model for the snapshot's classes with these anchors, for pictures of `side` pixels, to which
/// the snapshot's are resized, the anchors with them; 0: of its side.
Graph make_graph(const std::string& model, const Snapshot& snapshot, const AnchorChoice& anchors,
                 int side = 0);

/// Throws Error (configuration), with `where` before it, unless the snapshot's labels are what the
/// model learns: boxes, or classes of whole pictures.
void check_labels(const Graph& graph, const Snapshot& snapshot, const std::string& where);

/// The letterbox rule in the recipe that made the store.
LetterboxRule letterbox_rule_of(const Snapshot& snapshot);
/// By which its views were cut at the frame; where the recipe augments nothing, as recipe detect
/// does.
BoxRule box_rule_of(const Snapshot& snapshot);

/// Throws Error (configuration), with `where` before it, unless a checkpoint's classes and
/// letterbox rule are the store's, and its side is that of the network or of the pictures that it
/// was trained on. The message gives both and what to do.
void check_fits(const CheckpointInfo& checkpoint, const Snapshot& snapshot,
                const std::string& where);

/// Throws Error (configuration) when --multi-scale or --on-device ask for what the model cannot
/// take.
void check_model_takes(const Graph& graph, const FitOptions& options);

}  // namespace letterpress
