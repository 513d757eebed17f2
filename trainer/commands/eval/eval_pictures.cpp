#include "trainer/commands/eval/eval_pictures.h"

#include <filesystem>
#include <limits>
#include <unordered_set>
#include <utility>

#include "letterpress/base/error.h"
#include "letterpress/base/parse_as.h"
#include "letterpress/base/suggest.h"
#include "trainer/commands/ledger_entries.h"
#include "trainer/fit/evaluation/evaluate.h"
#include "trainer/fit/evaluation/tile_results.h"

namespace letterpress {
namespace {

// No file counts its pictures down to here; -1 is some file's id.
constexpr std::int64_t kElsewhere =
    std::numeric_limits<std::int64_t>::min();  ///< a picture that the ledger knows, but that is not
                                               ///< measured on
constexpr std::int64_t kSeveral = kElsewhere + 1;

/// The label files' own image ids. Where they do not tell all pictures apart there are none, and
/// why, if one picture has any.
struct OwnIds {
  std::vector<std::int64_t> ids{};
  std::string fault{};
};

OwnIds own_ids(const std::vector<PictureRows>& pictures, const LedgerEntries& entries) {
  OwnIds own;
  std::unordered_map<std::int64_t, const LedgerEntry*> seen;
  for (const PictureRows& picture : pictures) {
    const LedgerEntry* entry = entries.find(picture.clean);
    if (!entry || entry->image_id < 0) {
      if (own.fault.empty()) own.fault = (entry ? entry->name : "one picture") + " has none";
      continue;
    }
    const auto [other, is_new] = seen.emplace(entry->image_id, entry);
    if (!is_new)
      own.fault = other->second->path + " and " + entry->path + " both have " +
                  std::to_string(entry->image_id);
    own.ids.push_back(entry->image_id);
  }
  if (own.ids.empty()) own.fault.clear();
  if (own.ids.size() < pictures.size() || !own.fault.empty()) own.ids.clear();
  return own;
}

/// What each picture is called: as the label file wrote it, or its path where several label files
/// wrote the same.
std::vector<std::string> names_of(const std::vector<PictureRows>& pictures,
                                  const LedgerEntries& entries) {
  std::unordered_map<std::string, int> times;
  for (const PictureRows& picture : pictures)
    if (const LedgerEntry* entry = entries.find(picture.clean)) ++times[entry->name];
  std::vector<std::string> names;
  for (const PictureRows& picture : pictures) {
    const LedgerEntry* entry = entries.find(picture.clean);
    names.push_back(!entry                                           ? ""
                    : times[entry->name] > 1 && !entry->path.empty() ? entry->path
                                                                     : entry->name);
  }
  return names;
}

std::vector<std::int64_t> made_up_ids(const std::vector<PictureRows>& pictures) {
  std::vector<std::int64_t> ids;
  std::unordered_set<std::int64_t> seen;
  for (const PictureRows& picture : pictures) {
    auto id = static_cast<std::int64_t>(picture.picture_id >> 11);  // 53 bits: a double holds them
    while (!seen.insert(id).second) ++id;
    ids.push_back(id);
  }
  return ids;
}

std::vector<CocoGroundTruth::Category> categories_of(const Snapshot& snapshot) {
  std::vector<CocoGroundTruth::Category> own, made_up;
  std::unordered_set<std::int64_t> seen;
  for (const std::string& name : snapshot.classes) {
    made_up.push_back({static_cast<std::int64_t>(made_up.size()) + 1, name});
    const auto id = snapshot.category_ids.find(name);
    if (id != snapshot.category_ids.end() && seen.insert(id->second).second)
      own.push_back({id->second, name});
  }
  return own.size() == made_up.size() ? own : made_up;
}

void add_picture(const std::vector<GroundTruth>& ground_truths, const CocoGroundTruth::Image& image,
                 CocoGroundTruth& ground_truth) {
  for (const GroundTruth& one : ground_truths)
    ground_truth.annotations.push_back(
        {image.id, ground_truth.categories.at(static_cast<std::size_t>(one.class_id)).id, one.box,
         one.area, one.crowd, one.difficult});
  ground_truth.images.push_back(image);
}

}  // namespace

CocoGroundTruth ground_truth_of(const SnapshotReader& reader, const std::vector<PictureRows>& rows,
                                const std::vector<LedgerEntry>& ledger,
                                const std::vector<PictureResult>& measured) {
  const std::vector<PictureRows> pictures = source_pictures(reader, rows);
  const std::vector<PictureResult> results =
      measured.empty() ? results_of_pictures(reader, rows, ground_truths_of(reader, rows), {})
                       : measured;
  const LedgerEntries entries(ledger);
  std::vector<std::int64_t> ids = own_ids(pictures, entries).ids;
  if (ids.empty()) ids = made_up_ids(pictures);
  std::vector<std::string> names = names_of(pictures, entries);
  CocoGroundTruth ground_truth{.categories = categories_of(reader.snapshot())};
  for (std::size_t i = 0; i < pictures.size(); ++i) {
    const ShardReader& shard = reader.shard(pictures[i].clean.shard);
    const std::int64_t row = pictures[i].clean.row;
    const auto [width, height] = shard.source_size(row);
    const CocoGroundTruth::Image image{ids[i], names[i].empty() ? shard.name(row) : names[i], width,
                                       height};
    add_picture(results[i].ground_truths, image, ground_truth);
  }
  return ground_truth;
}

std::map<std::int64_t, std::int64_t> labels_in_no_tile(const SnapshotReader& reader,
                                                       const std::vector<PictureRows>& rows,
                                                       const std::vector<LedgerEntry>& ledger,
                                                       const CocoGroundTruth& ground_truth) {
  std::map<std::int64_t, std::int64_t> hidden;
  if (!holds_tiles(reader)) return hidden;
  std::unordered_map<std::int64_t, std::int64_t> shown;
  for (const CocoGroundTruth::Annotation& one : ground_truth.annotations) ++shown[one.image_id];
  const LedgerEntries entries(ledger);
  const std::vector<PictureRows> pictures = source_pictures(reader, rows);
  for (std::size_t i = 0; i < pictures.size(); ++i) {
    const LedgerEntry* entry = entries.find(pictures[i].clean);
    const std::int64_t id = ground_truth.images[i].id;
    if (entry && entry->boxes > shown[id]) hidden[id] = entry->boxes - shown[id];
  }
  return hidden;
}

std::string fault_of_ids(const std::vector<PictureRows>& pictures,
                         const std::vector<LedgerEntry>& ledger) {
  return own_ids(pictures, LedgerEntries(ledger)).fault;
}

DetectionIndex::DetectionIndex(const CocoGroundTruth& ground_truth, std::string where)
    : ground_truth_(ground_truth), where_(std::move(where)) {
  for (const CocoGroundTruth::Image& image : ground_truth.images) {
    ids_.emplace(image.id, image.id);
    add_name(image.file_name, image.id);
  }
  for (const CocoGroundTruth::Category& category : ground_truth.categories)
    if (!categories_.emplace(category.name, category.id).second)
      categories_[category.name] = kSeveral;
}

void DetectionIndex::add_name(const std::string& name, std::int64_t image) {
  if (name.empty()) return;
  const auto [named, is_first] = names_.emplace(name, image);
  if (!is_first && named->second != image) named->second = kSeveral;
  const std::filesystem::path path(name);
  for (const std::string& shorter : {path.filename().string(), path.stem().string()}) {
    const auto [known, is_new] = short_names_.emplace(shorter, image);
    if (!is_new && known->second != image) known->second = kSeveral;
  }
}

void DetectionIndex::add_entry(const LedgerEntry& entry, std::int64_t image) {
  if (entry.image_id >= 0) {
    const auto [known, is_new] = ids_.emplace(entry.image_id, image);
    const bool is_ground_truths = known->second == known->first;
    if (!is_new && !is_ground_truths && known->second != image) known->second = kSeveral;
  }
  if (!entry.path.empty()) names_.emplace(entry.path, image);
  const auto named = short_names_.find(entry.name);
  if (named != short_names_.end() && named->second == kSeveral) return;
  const auto [known, is_new] = names_.emplace(entry.name, image);
  const bool of_the_split = image != kElsewhere && known->second != kElsewhere;
  if (!is_new && of_the_split && known->second != image) known->second = kSeveral;
  const std::filesystem::path path(entry.name);
  for (const std::string& shorter : {path.filename().string(), path.stem().string()})
    short_names_.emplace(shorter, image);
}

void DetectionIndex::add_ledger(const std::vector<LedgerEntry>& ledger,
                                const std::vector<PictureRows>& pictures) {
  const LedgerEntries entries(ledger);
  std::unordered_set<const LedgerEntry*> measured;
  for (std::size_t i = 0; i < pictures.size(); ++i) {
    const LedgerEntry* entry = entries.find(pictures[i].clean);
    if (entry && measured.insert(entry).second) add_entry(*entry, ground_truth_.images.at(i).id);
  }
  for (const LedgerEntry& entry : ledger)
    if (!measured.contains(&entry)) add_entry(entry, kElsewhere);
}

std::int64_t DetectionIndex::image_of(const CocoResult& one, const std::string& place) const {
  if (one.image.empty()) {
    const auto id = ids_.find(one.image_id);
    if (id != ids_.end() && id->second == kSeveral)
      throw Error({.where = place,
                   .what = "several pictures have image_id " + std::to_string(one.image_id),
                   .fix = "give file names as image_id"});
    if (id != ids_.end()) return id->second;
    throw Error({.where = place,
                 .what = "there is no picture with image_id " + std::to_string(one.image_id),
                 .fix = "--coco-truth-out writes the ids there are, or give file names as "
                        "image_id"});
  }
  for (const auto* names : {&names_, &short_names_}) {
    const auto name = names->find(one.image);
    if (name == names->end()) continue;
    if (name->second == kSeveral)
      throw Error({.where = place,
                   .what = "several pictures are called '" + one.image + "'",
                   .fix = "name it with its folder, or by its image_id"});
    return name->second;
  }
  // Some programs write all ids as texts.
  if (const auto number = parse_as<std::int64_t>(one.image))
    if (const auto id = ids_.find(*number); id != ids_.end() && id->second != kSeveral)
      return id->second;
  throw Error({.where = place,
               .what = "there is no picture '" + one.image + "'",
               .fix = "--coco-truth-out writes the names there are"});
}

std::int64_t DetectionIndex::category_of(const CocoResult& one, const std::string& place) const {
  if (!one.category.empty()) {
    const auto category = categories_.find(one.category);
    if (category != categories_.end() && category->second == kSeveral)
      throw Error({.where = place,
                   .what = "several classes are called '" + one.category + "'",
                   .fix = "give numbers as category_id"});
    if (category != categories_.end()) return category->second;
    const auto number = parse_as<std::int64_t>(one.category);
    std::vector<std::string> known;
    for (const CocoGroundTruth::Category& each : ground_truth_.categories) {
      if (number == each.id) return each.id;
      known.push_back(each.name);
    }
    throw Error({.where = place, .what = unknown_name("class", one.category, known)});
  }
  std::string known;
  for (const CocoGroundTruth::Category& each : ground_truth_.categories) {
    if (each.id == one.category_id) return each.id;
    known += (known.empty() ? "" : ", ") + std::to_string(each.id) + " (" + each.name + ")";
  }
  throw Error({.where = place,
               .what = "there is no class with category_id " + std::to_string(one.category_id),
               .fix = "known: " + known});
}

std::vector<CocoResult> DetectionIndex::resolve(std::span<const CocoResult> found) {
  std::vector<CocoResult> resolved;
  for (std::size_t i = 0; i < found.size(); ++i) {
    const CocoResult& one = found[i];
    const std::string place = where_ + ": detection " + std::to_string(i);
    const std::int64_t image = image_of(one, place), category = category_of(one, place);
    if (image == kElsewhere) {
      ++left_out_;
      continue;
    }
    resolved.push_back(
        {.image_id = image, .category_id = category, .box = one.box, .score = one.score});
  }
  if (resolved.empty() && left_out_ > 0)
    throw Error({.where = where_,
                 .what = "all " + std::to_string(left_out_) +
                         " detections are of pictures that are not measured on",
                 .fix = "is it another --split?"});
  return resolved;
}

}  // namespace letterpress
