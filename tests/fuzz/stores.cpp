// Files of a store. A checksum keeps no one out who means harm, so JSON that has one gets it right.
#include <nlohmann/json.hpp>

#include "formats/shards/src/json_text.h"
#include "letterpress/shards/ledger.h"
#include "letterpress/shards/plan.h"
#include "letterpress/shards/shard.h"
#include "letterpress/shards/snapshot.h"
#include "letterpress/shards/store.h"
#include "target.h"

namespace letterpress {
namespace {

void read_shard(const std::filesystem::path& folder, std::span<const std::byte> bytes) {
  const ShardReader shard(write_bytes(folder / "shard.h5", bytes));
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
  (void)to_json(snapshot_from_json(sealed("snapshot", bytes), "snapshot.json"));
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
