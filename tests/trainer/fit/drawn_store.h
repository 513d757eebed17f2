#pragma once
#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "letterpress/shards/store.h"

namespace letterpress {

/// A small store of drawn pictures: coloured rectangles of three classes on grey, sources of 2 side
/// x 1.5 side pixels letterboxed to half their size. View v > 0 shows the same picture mirrored
/// (odd v) or as it is.
struct DrawnStore {
  int side = 64;  ///< pixels
  int train = 8, val = 2;
  int views = 0;
  std::uint32_t seed = 1;
  int relabelled = -1;  ///< train picture whose labels the ledger says to be others; -1: none
  int mislabelled =
      -1;        ///< train picture that is labelled with other classes than it shows; -1: none
  int odd = -1;  ///< train picture that is labelled with the last class, which none of the others
                 ///< has where there are four
  bool views_relabelled = false;  ///< augmented rows have other classes than they show
  bool unlabelled_val = false;    ///< its pictures have no boxes
  int redrawn = 0;                ///< how often the first view has been drawn anew
  std::vector<std::string> class_names = classes();
  bool whole_pictures =
      false;         ///< each picture has one class, that of both its rectangles, and no boxes
  int ground = 114;  ///< grey of the pictures beside their rectangles, 0..255; the frame's is 114
  int backgrounds = 0;  ///< train pictures, the last ones, without boxes; every second one, from
                        ///< the last one on, shows rectangles all the same
  Compression compression = Compression::none;
  std::map<std::string, std::int64_t> boxes_per_class{};  ///< as the snapshot says

  static const std::vector<std::string>& classes() {
    static const std::vector<std::string> names{"red", "green", "blue"};
    return names;
  }

  /// Publishes the next snapshot of the store in `folder`.
  void publish(const std::filesystem::path& folder) const {
    const Store store = Store::create(folder);
    const auto newest = store.latest();
    Snapshot snapshot{.generation = newest ? newest->generation + 1 : 1,
                      .parent = newest ? newest->generation : 0};
    snapshot.identity = {.side = side,
                         .recipe_name = "none",
                         .recipe_json = R"({"letterbox":)" + to_json(LetterboxRule{}) + "}"};
    if (redrawn > 0) snapshot.identity.redrawn = {static_cast<std::uint64_t>(redrawn)};
    snapshot.views = views;
    snapshot.classes = class_names;
    snapshot.statistics.max_boxes = 8;
    snapshot.statistics.boxes_per_class = boxes_per_class;
    snapshot.statistics.channel_mean = {102, 51, 25.5};
    if (whole_pictures)
      snapshot.statistics.pictures_per_class = {{"red", 2 * train / 3}, {"green", train / 3}};
    snapshot.logical_digest = hash128("drawn " + std::to_string(train) + " " + std::to_string(val) +
                                      " " + std::to_string(seed) + " " + std::to_string(redrawn));
    if (train > 0) add_shard(store, snapshot, "train", train, 0, 0);
    if (train > 0 && views > 0) add_shard(store, snapshot, "train", train, 1, views);
    if (val > 0) add_shard(store, snapshot, "val", val, 0, 0);
    if (!store.publish(snapshot, ledger()))
      throw std::runtime_error("the snapshot was there already");
  }

 private:
  std::vector<LedgerEntry> ledger() const {
    std::vector<LedgerEntry> entries;
    for (int i = 0; i < train + val; ++i) {
      const std::string name =
          i < train ? "train" + std::to_string(i) : "val" + std::to_string(i - train);
      const std::int64_t row = i < train ? i : i - train;
      entries.push_back({.path = "/set/" + name + ".png",
                         .name = name + ".png",
                         .where = "labels.txt:" + std::to_string(i + 1),
                         .picture_hash = hash128(name),
                         .labels_hash = hash128(name + (i == relabelled ? " relabelled" : "")),
                         .split = i < train ? "train" : "val",
                         .rows = {{.shard = i < train || train == 0 ? 0
                                            : views > 0             ? 2
                                                                    : 1,
                                   .row = row}}});
    }
    return entries;
  }

  void add_shard(const Store& store, Snapshot& snapshot, const std::string& split, int pictures,
                 int first_view, int last_view) const {
    ShardSpec spec{.side = side,
                   .max_boxes = 8,
                   .classes = class_names,
                   .recipe_json = snapshot.identity.recipe_json,
                   .compression = compression};
    const int views_here = last_view - first_view + 1;
    for (int i = 0; i < pictures * views_here; ++i)
      spec.names.push_back(split + std::to_string(i / views_here) + ".png");
    ShardWriter writer(store.temporary_folder(), spec);
    for (int i = 0; i < pictures; ++i) {
      for (int view = first_view; view <= last_view; ++view) {
        std::vector<std::uint8_t> image;
        const ShardRow row = draw(split + std::to_string(i), view, image);
        writer.write_row(i * views_here + view - first_view, row, image);
      }
    }
    snapshot.shards.push_back({.digest = writer.finish(store.shards_folder()),
                               .split = split,
                               .augmented = first_view > 0,
                               .rows = pictures * views_here,
                               .max_boxes = 8,
                               .compression = compression});
  }

  /// Of "train12".
  static int number_of(const std::string& name) {
    return std::stoi(name.substr(name.find_first_of("0123456789")));
  }

  ShardRow draw(const std::string& name, int view, std::vector<std::uint8_t>& image) const {
    const auto s = static_cast<std::size_t>(side);
    image.assign(3 * s * s, 114);
    std::fill_n(image.begin() + side / 8 * 3 * side, 3 * side / 4 * 3 * side,
                static_cast<std::uint8_t>(ground));
    ShardRow row{.source_width = 2 * side,
                 .source_height = 3 * side / 2,
                 .source_hash = hash128(name),
                 .view = view};
    const int margin = side / 8;  // the frame's top and bottom, outside the picture
    row.letterbox = {{0.5, 0, 0, 0, 0.5, static_cast<double>(margin)}};
    std::mt19937 random(static_cast<std::uint32_t>(hash128(name).prefix()) + seed);
    const auto draw_number = [&random](int low, int high) {
      return low + static_cast<int>(random() % static_cast<std::uint32_t>(high - low + 1));
    };
    const bool is_wrong = name == "train" + std::to_string(mislabelled),
               is_odd = name == "train" + std::to_string(odd);
    const auto labelled = [&](int shown) {
      if (is_odd) return static_cast<int>(class_names.size()) - 1;
      return is_wrong || (views_relabelled && view > 0) ? (shown + 1) % 3 : shown;
    };
    const int shown_by_all = whole_pictures ? draw_number(0, 2) : -1;
    if (whole_pictures) row.label = labelled(shown_by_all);
    const int from_end = train - number_of(name);
    const bool is_background = name.starts_with("train") && from_end <= backgrounds;
    if (is_background && from_end % 2 == 0) return row;
    // One rectangle in each half, so that they do not overlap.
    for (int half = 0; half < 2; ++half) {
      const int width = draw_number(side / 6, side / 3), height = draw_number(side / 6, side / 3);
      int x = half * side / 2 + draw_number(1, side / 2 - width - 1);
      const int y = margin + draw_number(1, 3 * side / 4 - height - 1), drawn = draw_number(0, 2);
      const int class_id = whole_pictures ? shown_by_all : drawn;
      if (view % 2 == 1) x = side - x - width;
      fill(image, x, y, width, height, class_id);
      if (whole_pictures || (unlabelled_val && name.starts_with("val")) || is_background) continue;
      row.boxes.push_back({static_cast<float>(x), static_cast<float>(y),
                           static_cast<float>(x + width), static_cast<float>(y + height),
                           labelled(class_id), 0, static_cast<float>(4 * width * height)});
    }
    return row;
  }

  void fill(std::vector<std::uint8_t>& image, int x, int y, int width, int height,
            int class_id) const {
    for (int row = y; row < y + height; ++row) {
      for (int column = x; column < x + width; ++column) {
        const auto pixel = 3 * static_cast<std::size_t>(row * side + column);
        for (std::size_t channel = 0; channel < 3; ++channel)
          image[pixel + channel] = channel == static_cast<std::size_t>(class_id) ? 230 : 30;
      }
    }
  }
};

}  // namespace letterpress
