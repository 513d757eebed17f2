// Files of a store. A checksum keeps no one out who means harm, so JSON that has one gets it right.
#include <algorithm>
#include <nlohmann/json.hpp>
#include <tuple>
#include <utility>
#include <vector>

#include "formats/shards/src/json_text.h"
#include "letterpress/shards/ledger.h"
#include "letterpress/shards/plan.h"
#include "letterpress/shards/shard.h"
#include "letterpress/shards/snapshot.h"
#include "letterpress/shards/store.h"
#include "target.h"

namespace letterpress {
namespace {

constexpr std::int64_t kMostRows = 8, kMostPixels = 1 << 20;  // what fuzzing has time for

// Whether or not its checksum is right: an attacker's is.
void read_row(const ShardReader& shard, std::int64_t row) {
  if (shard.label_boxes(row).size() > shard.box_flags(row).size())
    broken_promise("more boxes than a row has room for");
  if (shard.boxes(row).size() != 5 * shard.box_flags(row).size() ||
      shard.box_area(row).size() != shard.box_flags(row).size())
    broken_promise("tables of a row with several numbers of boxes");
  (void)std::pair(shard.whole_boxes(row), shard.augment(row));
  (void)std::tuple(shard.box_count(row), shard.label(row), shard.letterbox(row),
                   shard.source_size(row), shard.source_hash(row), shard.picture_id(row),
                   shard.tile(row), shard.view(row), shard.status(row), shard.name(row));
  std::vector<std::uint8_t> image(static_cast<std::size_t>(shard.image_bytes()));
  try {
    shard.read_images(row, 1, image.data());
    shard.verify_row(row, image);
  } catch (const Error&) {
  }
}

void read_shard(const std::filesystem::path& folder, std::span<const std::byte> bytes) {
  // Whoever means harm names it as its digest.
  const ShardReader shard(write_bytes(folder / "shard.h5", bytes), ShardReader::Check::none);
  if (shard.image_bytes() > kMostPixels) return;
  for (std::int64_t row = 0; row < std::min(shard.rows(), kMostRows); ++row) read_row(shard, row);
  shard.verify_rows();
}

void read_ledger_file(const std::filesystem::path& folder, std::span<const std::byte> bytes) {
  (void)read_ledger(write_bytes(folder / "ledger.h5", bytes));
}

void read_plan_file(const std::filesystem::path& folder, std::span<const std::byte> bytes) {
  (void)read_plan(write_bytes(folder / "plan.h5", bytes));
}

// The first byte says in which format the rest is sealed; where it is not JSON, it is read as is.
std::string sealed(const std::string& kind, std::span<const std::byte> bytes) {
  if (bytes.empty()) return "";
  const std::string_view text = text_of(bytes.subspan(1));
  const nlohmann::json content = nlohmann::json::parse(text, nullptr, false);
  if (content.is_discarded()) return std::string(text);
  return seal(kind, static_cast<int>(bytes[0]) % 4, content);
}

void read_snapshot(const std::filesystem::path&, std::span<const std::byte> bytes) {
  const Snapshot snapshot = snapshot_from_json(sealed("snapshot", bytes), "snapshot.json");
  (void)to_json(snapshot);
  (void)contradictions_in(snapshot);
}

void read_record(const std::filesystem::path&, std::span<const std::byte> bytes) {
  (void)to_json(shard_record_from_json(sealed("record", bytes), "record.json"));
}

void make_store(const std::filesystem::path& folder) { (void)Store::create(folder / "store"); }

void read_pin(const std::filesystem::path& folder, std::span<const std::byte> bytes) {
  const Store store = Store::open(folder / "store");
  const std::string text = sealed("pin", bytes);
  write_bytes(store.folder() / "pins/1-run.json", std::as_bytes(std::span(text)));
  (void)Pin::list(store);
}

void read_quarantine(const std::filesystem::path& folder, std::span<const std::byte> bytes) {
  const Store store = Store::open(folder / "store");
  write_bytes(store.quarantine_path(), bytes);
  store.quarantine(1, {Reject{"1.jpg", "is cut short", "restore it"}});
}

}  // namespace

std::vector<FuzzTarget> stores_targets() {
  return {{"ledger", read_ledger_file}, {"pin", read_pin, make_store},
          {"plan", read_plan_file},     {"quarantine", read_quarantine, make_store},
          {"record", read_record},      {"shard", read_shard},
          {"snapshot", read_snapshot}};
}

}  // namespace letterpress
