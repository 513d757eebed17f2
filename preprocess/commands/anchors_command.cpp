#include <algorithm>
#include <cmath>
#include <iomanip>
#include <iostream>
#include <limits>
#include <nlohmann/json.hpp>

#include "letterpress/base/error.h"
#include "letterpress/shards/anchors.h"
#include "preprocess/commands/commands.h"
#include "preprocess/commands/text.h"

namespace letterpress {
namespace {

struct AnchorFlags {
  std::string store, split = "train";
  RowKind rows = RowKind::all;
  std::int64_t snapshot = 0;
  int k = 9;
  std::uint64_t seed = 1;
  bool json = false;
};

const std::vector<std::string> kRowKinds{"clean", "augmented", "all"};  // RowKind

const std::string& rows_of(const AnchorFlags& flags) {
  return kRowKinds[static_cast<std::size_t>(flags.rows)];
}

using Anchors = std::vector<std::array<double, 2>>;

// What `fit --anchors` reads: w,h,w,h,...
std::string fit_form(const Anchors& anchors) {
  std::string text;
  for (const auto& [width, height] : anchors) {
    text += joined(text.empty() ? "" : ",", std::fixed, std::setprecision(1), width, ",", height);
  }
  return text;
}

// What a [yolo] section reads: whole pixels, none below 1.
std::string darknet_form(const Anchors& anchors) {
  std::string text;
  const auto whole = [](double pixels) { return std::max(1L, std::lround(pixels)); };
  for (const auto& [width, height] : anchors)
    text += joined(text.empty() ? "" : ",  ", whole(width), ",", whole(height));
  return text;
}

void print(const AnchorFlags& flags, const Snapshot& snapshot,
           const std::vector<std::array<float, 2>>& sizes) {
  const Anchors anchors = kmeans_anchors(sizes, flags.k, flags.seed);
  const double fit = mean_best_iou(sizes, anchors);
  const Anchors& stored = snapshot.statistics.anchors;
  std::cout << flags.k << " anchors for " << sizes.size() << " boxes of split " << flags.split
            << " (" << rows_of(flags) << " rows), pixels of the " << snapshot.identity.side
            << " frame\n";
  std::cout << joined(std::fixed, std::setprecision(4), "mean best IoU ", fit, "\n");
  if (!stored.empty()) {
    std::cout << joined(std::fixed, std::setprecision(4), "the snapshot's own ", stored.size(),
                        " give ", mean_best_iou(sizes, stored), "\n");
  }
  std::cout << "fit:     --anchors " << fit_form(anchors)
            << "\nDarknet: anchors = " << darknet_form(anchors) << '\n';
  if (!flags.json) return;
  const nlohmann::ordered_json json{{"snapshot", snapshot.generation},
                                    {"split", flags.split},
                                    {"rows", rows_of(flags)},
                                    {"boxes", sizes.size()},
                                    {"side", snapshot.identity.side},
                                    {"mean_best_iou", fit},
                                    {"anchors", anchors}};
  std::cout << json.dump() << '\n';
}

int run_anchors(const AnchorFlags& flags) {
  const Store store = Store::open(flags.store);
  const SnapshotReader reader(store, chosen_snapshot(store, flags.snapshot));
  auto sizes = box_sizes(reader, reader.pictures(flags.split),
                         std::numeric_limits<std::size_t>::max(), flags.rows);
  std::sort(sizes.begin(), sizes.end());
  if (sizes.empty()) {
    throw Error({.where = "split " + flags.split,
                 .what = "holds no box in these rows: " + rows_of(flags),
                 .fix = "choose another --split or --rows"},
                Exit::no_input);
  }
  print(flags, reader.snapshot(), sizes);
  return 0;
}

}  // namespace

Command anchors_command() {
  using F = Flag<AnchorFlags>;
  FlagTable<AnchorFlags> table;
  table.add({store_flag<AnchorFlags>(),
             F("k", &AnchorFlags::k, "how many; yolov3 has 9, yolov3-tiny 6").between(1, 100),
             F("split", &AnchorFlags::split, "whose boxes"),
             F("rows", &AnchorFlags::rows, "whose boxes count: what the training will see")
                 .choices(kRowKinds),
             F("seed", &AnchorFlags::seed, "of the first guesses; same seed, same anchors"),
             snapshot_flag<AnchorFlags>(), json_flag<AnchorFlags>()});
  return command("anchors",
                 "computes anchor boxes: k-means on IoU over the boxes as stored, augmented ones "
                 "included",
                 table, run_anchors);
}

}  // namespace letterpress
