#include "preprocess/unpack/unpack.h"

#include <tbb/enumerable_thread_specific.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <set>
#include <unordered_map>

#include "letterpress/base/error.h"
#include "letterpress/base/file.h"
#include "letterpress/base/inside_folder.h"
#include "letterpress/base/registry.h"
#include "letterpress/page/png.h"
#include "preprocess/pictures/picture.h"
#include "preprocess/recipe/recipe.h"
#include "preprocess/unpack/format.h"
#include "preprocess/unpack/picture_names.h"
#include "preprocess/unpack/unfinished_folder.h"

namespace letterpress {
namespace fs = std::filesystem;
namespace {

using Entries = std::unordered_map<Hash128, const LedgerEntry*>;

Entries stored_entries(const std::vector<LedgerEntry>& ledger) {
  Entries entries;
  for (const LedgerEntry& entry : ledger) {
    if (entry.state == InputState::stored) entries.emplace(entry.picture_hash, &entry);
  }
  return entries;
}

// The boxes of a clean row in pixels of the picture's part of it.
std::vector<LabelBox> boxes_of(const ShardReader& shard, std::int64_t row,
                               const UnpackedPicture& picture) {
  const auto [width, height] = shard.source_size(row);
  const double shrunk = 1.0 * picture.width * picture.height / (1.0 * width * height);
  const auto across = [&](float x) {
    return std::clamp(x - static_cast<float>(picture.x), 0.0F, static_cast<float>(picture.width));
  };
  const auto down = [&](float y) {
    return std::clamp(y - static_cast<float>(picture.y), 0.0F, static_cast<float>(picture.height));
  };
  std::vector<LabelBox> boxes = shard.label_boxes(row);
  for (LabelBox& box : boxes) {
    box.x1 = across(box.x1);
    box.y1 = down(box.y1);
    box.x2 = across(box.x2);
    box.y2 = down(box.y2);
    box.area = static_cast<float>(box.area * shrunk);
  }
  return boxes;
}

UnpackedPicture picture_of(const ShardReader& shard, const RowPlace& place) {
  const auto [width, height] = shard.source_size(place.row);
  const int side = shard.spec().side;
  Letterbox part = letterbox_of(shard.letterbox(place.row), width, height, side);
  // Rounding down may leave the longer side a pixel short of the frame (98 * (64.0 / 98) < 64).
  // Built again it would fill the frame, and its boxes move; with that pixel of padding it does so
  // from the start.
  if (part.width == side - 1 && part.width != width) ++part.width;
  if (part.height == side - 1 && part.height != height) ++part.height;
  UnpackedPicture picture{
      .row = place, .width = part.width, .height = part.height, .x = part.x, .y = part.y};
  picture.label = shard.label(place.row);
  picture.boxes = boxes_of(shard, place.row, picture);
  return picture;
}

void check_holds(const UnpackFormat& format, const UnpackedSet& set) {
  std::int64_t boxes = 0, labels = 0, neither = 0;
  for (const auto& [split, pictures] : set.splits) {
    for (const UnpackedPicture& picture : pictures) {
      boxes += static_cast<std::int64_t>(picture.boxes.size());
      labels += picture.label >= 0;
      neither += picture.label < 0;
    }
  }
  const auto refuse = [&](std::int64_t n, const char* what, const char* instead) {
    throw Error({.where = std::string("--to ") + format.name,
                 .what = "cannot hold " + std::to_string(n) + " " + what,
                 .fix = std::string("pass --to ") + instead},
                Exit::configuration);
  };
  if (boxes > 0 && !format.holds_boxes) refuse(boxes, "boxes", "coco or --to yolo");
  if (labels > 0 && !format.holds_labels) refuse(labels, "labels of whole pictures", "folder");
  if (neither > 0 && !format.holds_boxes)
    refuse(neither, "pictures without a label", "coco or --to yolo");
}

class Unpacker {
 public:
  Unpacker(const Store& store, const SnapshotReader& reader, const UnpackOptions& options,
           BuildListener& listener, const StopRequest& stop)
      : reader_(reader),
        options_(options),
        listener_(listener),
        stop_(stop),
        format_(find_entry(unpack_entries(), "format", options.to)),
        ledger_(store.ledger(reader.snapshot().generation)),
        set_{.snapshot = reader.snapshot()} {
    const Entries entries = stored_entries(ledger_);
    std::set<std::string> splits;
    for (const SnapshotShard& shard : reader.snapshot().shards) splits.insert(shard.split);
    if (!options.split.empty()) splits = {options.split};
    for (const std::string& split : splits) {
      for (const PictureRows& rows : reader.pictures(split)) {
        set_.splits[split].push_back(picture_of(reader.shard(rows.clean.shard), rows.clean));
      }
    }
    check_holds(format_, set_);
    for (auto& [split, pictures] : set_.splits) name_pictures(split, pictures, entries);
  }

  // folder: what is filled now; options.out is what it will be called.
  UnpackReport write(const fs::path& folder) {
    UnpackReport report;
    for (const auto& [split, pictures] : set_.splits) write_pictures(split, pictures, folder);
    if (stop_) return report;
    format_.write_labels(set_, folder, options_.out, report);
    write_recipe(folder, report);
    for (const auto& [split, pictures] : set_.splits) {
      report.pictures_per_split[split] = static_cast<std::int64_t>(pictures.size());
      report.pictures += static_cast<std::int64_t>(pictures.size());
      for (const UnpackedPicture& picture : pictures)
        report.boxes += static_cast<std::int64_t>(picture.boxes.size());
    }
    return report;
  }

 private:
  // A shipped recipe has a name; any other is written beside the labels.
  void write_recipe(const fs::path& folder, UnpackReport& report) const {
    const Snapshot& snapshot = reader_.snapshot();
    const BuildIdentity& identity = snapshot.identity;
    const Recipe recipe =
        Recipe::from_json(identity.recipe_json, "snapshot " + std::to_string(snapshot.generation));
    const std::vector<std::string> shipped = Recipe::shipped();
    const bool has_name = std::ranges::find(shipped, identity.recipe_name) != shipped.end() &&
                          Recipe::load(identity.recipe_name)
                                  .with_depth(recipe.depth())
                                  .with_truncated(recipe.truncated())
                                  .json() == recipe.json();
    if (!has_name) write_new_file(folder / "recipe.toml", recipe.toml());
    const std::string name =
        has_name ? identity.recipe_name : (options_.out / "recipe.toml").string();
    report.build_flags.insert(report.build_flags.end(),
                              {"--size", std::to_string(identity.side), "--recipe", name, "--views",
                               std::to_string(snapshot.views)});
  }

  // By folders, each with names of its own.
  void name_pictures(const std::string& split, std::vector<UnpackedPicture>& pictures,
                     const Entries& entries) {
    std::map<std::string, std::vector<std::size_t>> folders;
    for (std::size_t i = 0; i < pictures.size(); ++i) {
      pictures[i].folder = format_.folder(split, pictures[i], reader_.snapshot());
      folders[pictures[i].folder].push_back(i);
    }
    for (const auto& [folder, members] : folders) {
      std::vector<NamedPicture> named;
      for (const std::size_t i : members) {
        const ShardReader& shard = reader_.shard(pictures[i].row.shard);
        const auto entry = entries.find(shard.source_hash(pictures[i].row.row));
        named.push_back(
            {entry == entries.end() ? shard.name(pictures[i].row.row) : entry->second->name,
             shard.source_hash(pictures[i].row.row)});
        if (entry != entries.end()) pictures[i].image_id = entry->second->image_id;
      }
      const std::vector<std::string> names = file_names(named, options_.jpeg ? ".jpg" : ".png");
      for (std::size_t i = 0; i < members.size(); ++i) pictures[members[i]].name = names[i];
    }
  }

  void write_pictures(const std::string& split, const std::vector<UnpackedPicture>& pictures,
                      const fs::path& folder) {
    std::set<fs::path> folders;
    for (const UnpackedPicture& picture : pictures)
      folders.insert((folder / picture.path()).parent_path());
    for (const fs::path& one : folders) make_folders(one);
    listener_.stage("unpacking " + split, static_cast<std::int64_t>(pictures.size()), "pictures");
    tbb::enumerable_thread_specific<Buffers> buffers;
    tbb::parallel_for(std::size_t{0}, pictures.size(), [&](std::size_t i) {
      if (stop_) return;
      write_picture(pictures[i], folder, buffers.local());
      listener_.advance(1);
    });
  }

  struct Buffers {
    std::vector<std::uint8_t> frame, part;
  };

  void write_picture(const UnpackedPicture& picture, const fs::path& folder,
                     Buffers& buffers) const {
    const ShardReader& shard = reader_.shard(picture.row.shard);
    buffers.frame.resize(static_cast<std::size_t>(shard.image_bytes()));
    shard.read_images(picture.row.row, 1, buffers.frame.data());
    shard.verify_row(picture.row.row, buffers.frame);
    const auto line = static_cast<std::size_t>(picture.width) * 3,
               side = static_cast<std::size_t>(shard.spec().side);
    buffers.part.resize(line * static_cast<std::size_t>(picture.height));
    for (std::size_t y = 0; y < static_cast<std::size_t>(picture.height); ++y) {
      const std::size_t from =
          ((static_cast<std::size_t>(picture.y) + y) * side + static_cast<std::size_t>(picture.x)) *
          3;
      std::copy_n(&buffers.frame[from], line, &buffers.part[y * line]);
    }
    const std::vector<std::byte> bytes =
        options_.jpeg ? encode_jpeg(buffers.part, picture.width, picture.height, options_.quality)
                      : encode_png(buffers.part, picture.width, picture.height);
    write_new_file(folder / picture.path(),
                   {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  }

  const SnapshotReader& reader_;
  const UnpackOptions& options_;
  BuildListener& listener_;
  const StopRequest& stop_;
  const UnpackFormat& format_;
  const std::vector<LedgerEntry> ledger_;
  UnpackedSet set_;
};

void check_out(const fs::path& out, const fs::path& store) {
  const std::string flag = "--out " + out.string();
  if (fs::exists(out) && !(fs::is_directory(out) && fs::is_empty(out))) {
    UnfinishedFolder::remove_left(out);
    throw Error({.where = flag, .what = "is there and not empty", .fix = "name a new folder"},
                Exit::cannot_create);
  }
  if (!is_inside(out, store)) return;
  throw Error({.where = flag, .what = "is in the store", .fix = "name a folder outside of it"},
              Exit::cannot_create);
}

}  // namespace

UnpackReport unpack(const Store& store, const SnapshotReader& reader, const UnpackOptions& options,
                    BuildListener& listener, const StopRequest& stop) {
  UnpackOptions whole = options;
  whole.out = fs::absolute(options.out / "").lexically_normal().parent_path();
  check_out(whole.out, store.folder());
  Unpacker unpacker(store, reader, whole, listener, stop);
  UnfinishedFolder folder(whole.out);
  make_folders(folder.set());
  UnpackReport report = unpacker.write(folder.set());
  if (!stop) folder.publish();
  return report;
}

}  // namespace letterpress
