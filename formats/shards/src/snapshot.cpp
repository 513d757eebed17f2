#include "letterpress/shards/snapshot.h"

#include <nlohmann/json.hpp>

#include "json_text.h"
#include "letterpress/base/error.h"

namespace letterpress {

using nlohmann::json;

// 2: of tiles; 3: with views that were drawn anew alone. A snapshot has the lowest that says it
// all.
constexpr int kSnapshotFormat = 3;

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(BuildIdentity, side, recipe_name, recipe_json, seed, draw)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(Accounting, pictures_found, pictures_stored,
                                                pictures_background, pictures_duplicate,
                                                pictures_rejected, boxes_found, boxes_stored,
                                                boxes_merged, boxes_rejected, boxes_clipped,
                                                moved_to_val, pictures_cmyk, pictures_alpha,
                                                pictures_deep)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(TileAccounting, laid, stored, background, left_out, rejected,
                                   boxes_whole, boxes_cut, boxes_outside)
NLOHMANN_JSON_SERIALIZE_ENUM(Compression,
                             {{Compression::none, "none"}, {Compression::deflate, "deflate"}})
// With defaults, since older snapshots lack compression, channel_sum and pictures_per_class.
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(SnapshotShard, digest, split, augmented, rows,
                                                max_boxes, dead, compression, channel_sum)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(Statistics, max_boxes, anchors, channel_mean,
                                                boxes_per_class, pictures_per_class,
                                                box_side_histogram)
// Not as Snapshot's own to_json: that name is the public function that seals.
namespace {

json content_of(const Snapshot& snapshot) {
  json content{{"generation", snapshot.generation},
               {"parent", snapshot.parent},
               {"identity", snapshot.identity},
               {"views", snapshot.views},
               {"classes", snapshot.classes},
               {"category_ids", snapshot.category_ids},
               {"shards", snapshot.shards},
               {"statistics", snapshot.statistics},
               {"accounting", snapshot.accounting},
               {"logical_digest", snapshot.logical_digest},
               {"configuration", snapshot.configuration_json},
               {"producer", snapshot.producer}};
  if (snapshot.ledger_digest != Hash128{}) content["ledger_digest"] = snapshot.ledger_digest;
  if (snapshot.accounting.tiles) content["accounting"]["tiles"] = *snapshot.accounting.tiles;
  if (const auto n = snapshot.accounting.pictures_unlabelled; n > 0)
    content["accounting"]["pictures_unlabelled"] = n;
  if (!snapshot.identity.redrawn.empty())
    content["identity"]["redrawn"] = snapshot.identity.redrawn;
  if (!snapshot.class_lists.empty()) content["class_lists"] = snapshot.class_lists;
  if (!snapshot.category_lists.empty()) content["category_lists"] = snapshot.category_lists;
  return content;
}

Snapshot snapshot_of(const json& content) {
  Snapshot snapshot;
  content.at("generation").get_to(snapshot.generation);
  content.at("parent").get_to(snapshot.parent);
  content.at("identity").get_to(snapshot.identity);
  if (const json& identity = content.at("identity"); identity.contains("redrawn"))
    identity.at("redrawn").get_to(snapshot.identity.redrawn);
  content.at("views").get_to(snapshot.views);
  content.at("classes").get_to(snapshot.classes);
  content.at("category_ids").get_to(snapshot.category_ids);
  content.at("shards").get_to(snapshot.shards);
  content.at("statistics").get_to(snapshot.statistics);
  content.at("accounting").get_to(snapshot.accounting);
  const json& sums = content.at("accounting");
  if (sums.contains("tiles")) snapshot.accounting.tiles = sums.at("tiles").get<TileAccounting>();
  if (sums.contains("pictures_unlabelled"))
    sums.at("pictures_unlabelled").get_to(snapshot.accounting.pictures_unlabelled);
  content.at("logical_digest").get_to(snapshot.logical_digest);
  content.at("configuration").get_to(snapshot.configuration_json);
  content.at("producer").get_to(snapshot.producer);
  if (content.contains("ledger_digest")) content.at("ledger_digest").get_to(snapshot.ledger_digest);
  if (content.contains("class_lists")) content.at("class_lists").get_to(snapshot.class_lists);
  if (content.contains("category_lists"))
    content.at("category_lists").get_to(snapshot.category_lists);
  return snapshot;
}

int format_of(const Snapshot& snapshot) {
  if (!snapshot.identity.redrawn.empty()) return kSnapshotFormat;
  return snapshot.accounting.tiles ? 2 : 1;
}

// A number that its field is too narrow for would be another one.
void check_exact(const json& content, const Snapshot& snapshot) {
  const auto check = [](const json& written, const auto& read, const std::string& name) {
    if (written != read)
      throw Error(Message{.what = name + " is " + written.dump() + ", which is not possible"});
  };
  check(content.at("generation"), snapshot.generation, "generation");
  check(content.at("parent"), snapshot.parent, "parent");
  check(content.at("views"), snapshot.views, "views");
  check(content.at("identity").at("side"), snapshot.identity.side, "side");
  check(content.at("statistics").value("max_boxes", json(0)), snapshot.statistics.max_boxes,
        "max_boxes");
  for (std::size_t i = 0; i < snapshot.shards.size(); ++i) {
    const json& shard = content.at("shards")[i];
    const std::string name = "of shard " + std::to_string(i) + ", ";
    check(shard.value("rows", json(0)), snapshot.shards[i].rows, name + "rows");
    check(shard.value("max_boxes", json(0)), snapshot.shards[i].max_boxes, name + "max_boxes");
  }
}

}  // namespace

std::uint64_t BuildIdentity::draw_of(int view) const {
  constexpr int kDrawBits = 32;  // of `draw`, which counts flags that people give
  const auto index = static_cast<std::size_t>(view) - 1;
  return index < redrawn.size() ? draw + (redrawn[index] << kDrawBits) : draw;
}

double brightness(const Statistics& statistics) {
  const auto& [red, green, blue] = statistics.channel_mean;
  return 0.299 * red + 0.587 * green + 0.114 * blue;
}

std::string to_json(const Snapshot& snapshot) {
  return seal("snapshot", format_of(snapshot), content_of(snapshot));
}

Snapshot snapshot_from_json(const std::string& text, const std::string& where) {
  const Unsealed file = unseal(text, "snapshot", kSnapshotFormat, where);
  const Snapshot snapshot = read_fields(where, [&] {
    Snapshot read = snapshot_of(file.content);
    check_exact(file.content, read);
    return read;
  });
  check_snapshot(snapshot, where);
  if (file.format == format_of(snapshot)) return snapshot;
  throw Error({.where = where,
               .what = "damaged: it says format " + std::to_string(file.format) +
                       ", its content is of format " + std::to_string(format_of(snapshot)),
               .fix = "restore it from a copy"});
}

}  // namespace letterpress
