#pragma once
#include <sys/stat.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "letterpress/base/hash.h"
#include "letterpress/page/png.h"
#include "letterpress/shards/store.h"
#include "preprocess/pictures/picture.h"
#include "preprocess/pipeline/build.h"
#include "tests/message_of.h"
#include "tests/temp_dir.h"

namespace letterpress {

/// Pixels of a drawn picture: a gradient whose colours depend on `seed`, with a darker rectangle.
inline std::vector<std::uint8_t> drawn_pixels(int seed, int width, int height) {
  std::vector<std::uint8_t> rgb(static_cast<std::size_t>(width * height * 3));
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      const bool inside = x > width / 4 && x < width / 2 && y > height / 4 && y < height / 2;
      std::uint8_t* pixel = &rgb[static_cast<std::size_t>((y * width + x) * 3)];
      pixel[0] = static_cast<std::uint8_t>((x * 3 + seed * 37) % 256 / (inside ? 2 : 1));
      pixel[1] = static_cast<std::uint8_t>((y * 5 + seed * 101) % 256);
      pixel[2] = static_cast<std::uint8_t>((x + y + seed * 59) % 256);
    }
  }
  return rgb;
}

inline std::string drawn_png(int seed, int width = 80, int height = 60) {
  const std::vector<std::byte> bytes = encode_png(drawn_pixels(seed, width, height), width, height);
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// A small labelled set in a folder: PNGs of 80 x 60 and keras-yolo3 lists with the classes cat,
/// dog, bird.
class DrawnSet {
 public:
  DrawnSet() { folder.write("classes.txt", "cat\ndog\nbird\n"); }

  void picture(const std::string& name, int seed) const { folder.write(name, drawn_png(seed)); }
  void list(const std::string& name, const std::string& lines) { folder.write(name, lines); }

  /// n pictures p0.png ... with one or two boxes each, listed in train.txt.
  void pictures(int n) {
    std::string lines;
    for (int i = 0; i < n; ++i) {
      picture("p" + std::to_string(i) + ".png", i);
      lines += line(i);
    }
    list("train.txt", lines);
  }
  static std::string line(int i) {
    const std::string name = "p" + std::to_string(i) + ".png";
    const std::string first = " 10,10,40,3" + std::to_string(i % 10) + "," + std::to_string(i % 3);
    return name + first + (i % 2 ? " 50,5,70,50,1\n" : "\n");
  }

  /// 64-pixel frames, 2 views, two threads; guards wide open.
  BuildOptions options(const std::string& store = "store") const {
    BuildOptions options;
    options.store = folder / store;
    options.inputs = {folder / "train.txt"};
    options.classes = folder / "classes.txt";
    options.side = 64;
    options.views = 2;
    options.threads = 2;
    options.max_rejects = 1;
    options.max_rejected_boxes = 1;
    options.max_removed = 1;
    options.max_moved = 1;
    return options;
  }
  /// The same for a label file or folder that names its own classes.
  BuildOptions options_of(const std::string& input, const std::string& store = "store") const {
    BuildOptions given = options(store);
    given.inputs = {folder / input};
    given.classes.clear();
    return given;
  }

  TempDir folder;
};

/// Of work that nobody stops.
inline const StopRequest kNoStop{};

inline BuildReport build_quietly(const BuildOptions& options) {
  BuildListener silent;
  return build(options, silent, kNoStop);
}

/// Everything of a row that training sees, classes by name: equal for equal rows, wherever they are
/// stored.
using RowContent = std::string;
/// (split, hash of the picture and number of the tile, view) -> content, of the living rows of the
/// newest snapshot.
inline std::map<std::tuple<std::string, std::string, int>, RowContent> row_contents(
    const std::filesystem::path& folder) {
  const Store store = Store::open(folder);
  const SnapshotReader reader(store, store.latest().value());
  std::map<std::tuple<std::string, std::string, int>, RowContent> contents;
  std::set<std::string> splits;
  for (const SnapshotShard& shard : reader.snapshot().shards) splits.insert(shard.split);
  for (const std::string& split : splits) {
    for (const PictureRows& picture : reader.pictures(split)) {
      std::vector<RowPlace> places{picture.clean};
      places.insert(places.end(), picture.augmented.begin(), picture.augmented.end());
      for (const RowPlace& place : places) {
        const ShardReader& shard = reader.shard(place.shard);
        std::vector<std::uint8_t> image(static_cast<std::size_t>(shard.image_bytes()));
        shard.read_images(place.row, 1, image.data());
        shard.verify_row(place.row, image);
        std::string text = hash128(std::as_bytes(std::span(image))).hex();
        for (const LabelBox& box : shard.label_boxes(place.row)) {
          for (const float corner : {box.x1, box.y1, box.x2, box.y2})
            text += " " + std::to_string(corner);
          text += " " + reader.snapshot().classes.at(static_cast<std::size_t>(box.class_id));
        }
        for (const float value : shard.augment(place.row)) text += " " + std::to_string(value);
        const std::string tile =
            shard.spec().tiled ? " tile " + std::to_string(shard.tile(place.row)) : "";
        contents[{split, shard.source_hash(place.row).hex() + tile, shard.view(place.row)}] = text;
      }
    }
  }
  return contents;
}

/// row_contents() as one text.
inline std::string row_text(const std::filesystem::path& folder) {
  std::string text;
  for (const auto& [key, content] : row_contents(folder)) {
    text += std::get<0>(key) + " " + std::get<1>(key) + " " + std::to_string(std::get<2>(key)) +
            ": " + content + "\n";
  }
  return text;
}

/// Every file below `folder` with size, inode and time of its last change; cache/ is left out.
inline std::map<std::string, std::string> listing(const std::filesystem::path& folder) {
  std::map<std::string, std::string> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    const std::string name = std::filesystem::relative(entry.path(), folder).string();
    if (name.starts_with("cache")) continue;
    struct stat status {};
    if (::stat(entry.path().c_str(), &status) != 0) continue;
    files[name] = std::to_string(status.st_size) + " " + std::to_string(status.st_ino) + " " +
                  std::to_string(status.st_ctim.tv_sec) + "." +
                  std::to_string(status.st_ctim.tv_nsec);
  }
  return files;
}

/// Names of the shards, which are the hashes of their contents.
inline std::set<std::string> shard_names(const std::filesystem::path& store) {
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(store / "shards"))
    names.insert(entry.path().filename().string());
  return names;
}

inline std::string file_text(const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

/// Shards of four rows of 64 pixels.
inline BuildOptions many_shards(const DrawnSet& set, const std::string& store) {
  BuildOptions options = set.options(store);
  options.shard_bytes = 4 * 64 * 64 * 3;
  return options;
}

}  // namespace letterpress
