#include <algorithm>
#include <cmath>
#include <iomanip>
#include <iostream>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>

#include "letterpress/base/error.h"
#include "letterpress/base/suggest.h"
#include "letterpress/shards/anchors.h"
#include "preprocess/commands/commands.h"
#include "preprocess/commands/text.h"

namespace letterpress {
namespace {

struct AnchorFlags {
  std::string store, split = "train", rows = "all";
  std::int64_t snapshot = 0;
  int k = 9;
  std::uint64_t seed = 1;
  bool json = false;
};

using Anchors = std::vector<std::array<double, 2>>;

RowKind row_kind(const std::string& word) {
  static const std::map<std::string, RowKind> kinds{
      {"all", RowKind::all}, {"augmented", RowKind::augmented}, {"clean", RowKind::clean}};
  if (const auto kind = kinds.find(word); kind != kinds.end()) return kind->second;
  const std::array<std::string, 3> names{"all", "augmented", "clean"};
  throw Error("--rows: " + unknown_name("kind of rows", word, names), Exit::usage);
}

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
            << " (" << flags.rows << " rows), pixels of the " << snapshot.identity.side
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
                                    {"rows", flags.rows},
                                    {"boxes", sizes.size()},
                                    {"side", snapshot.identity.side},
                                    {"mean_best_iou", fit},
                                    {"anchors", anchors}};
  std::cout << json.dump() << '\n';
}

int run_anchors(const AnchorFlags& flags) {
  const RowKind rows = row_kind(flags.rows);
  const Store store = Store::open(flags.store);
  const SnapshotReader reader(store, chosen_snapshot(store, flags.snapshot));
  auto sizes = box_sizes(reader, reader.pictures(flags.split),
                         std::numeric_limits<std::size_t>::max(), rows);
  std::sort(sizes.begin(), sizes.end());
  if (sizes.empty()) {
    throw Error({.where = "split " + flags.split,
                 .what = "its " + flags.rows + " rows hold no box",
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
             F("rows", &AnchorFlags::rows, "all, augmented or clean: what the training will see")
                 .check([](const AnchorFlags& flags) { row_kind(flags.rows); }),
             F("seed", &AnchorFlags::seed, "of the first guesses; same seed, same anchors"),
             snapshot_flag<AnchorFlags>(), json_flag<AnchorFlags>()});
  return command("anchors",
                 "computes anchor boxes: k-means on IoU over the boxes as stored, augmented ones "
                 "included",
                 table, run_anchors);
}

}  // namespace letterpress
