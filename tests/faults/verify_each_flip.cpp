// Flips each of some bits of one file of a store, one at a time, and does what `verify --deep`
// does, or for a file of a plan what map and reduce do before they begin. usage: verify_each_flip
// STORE FILE FIRST END EVERY. Bit b is bit b % 8 of byte b / 8. For each bit that is looked at, a
// line on stdout: its number and "found" (an Error with exit code 65 or 78 that names the file),
// else what happened.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string>

#include "letterpress/base/error.h"
#include "letterpress/base/file.h"
#include "letterpress/shards/store.h"
#include "preprocess/plan/plan_folder.h"
#include "preprocess/upkeep/damage_of_shard.h"

using namespace letterpress;

namespace {

void flip(const File& file, std::int64_t bit) {
  std::byte byte{};
  file.read_at(bit / 8, {&byte, 1});
  byte ^= static_cast<std::byte>(1 << bit % 8);
  file.write_at(bit / 8, {&byte, 1});
}

// As run_verify of preprocess/commands/verify.cpp. What it tells; "" of a store without damage.
std::string verify_store(const std::string& folder) {
  const Store store = Store::open(folder);
  const auto snapshot = store.latest();
  if (!snapshot) throw std::runtime_error("no snapshot");
  (void)store.ledger(snapshot->generation);
  std::string messages;
  for (std::size_t i = 0; i < snapshot->shards.size(); ++i)
    for (const std::string& message : damage_of_shard(store, *snapshot, i, {.rows = true}))
      messages += message + "; ";
  return messages;
}

// Plan, terms, and the records of shards that were mapped.
void open_planned(const std::filesystem::path& folder) {
  const StoredPlan stored = open_plan(folder);
  for (std::size_t shard = 0; shard < stored.plan.shards.size(); ++shard) {
    const auto path = record_path(stored.store, stored.digest, static_cast<std::int32_t>(shard));
    (void)shard_record_from_json(read_file(path), path.string());
  }
}

std::string verify(const std::string& store, const std::filesystem::path& file) try {
  const std::filesystem::path folder = file.parent_path();
  std::string told;
  if (folder.parent_path().filename() == "plans")
    open_planned(folder);
  else
    told = verify_store(store);
  if (told.empty()) return "not found";
  return told.find(file.filename()) == std::string::npos ? "not named: " + told : "found";
} catch (const Error& error) {
  const std::string message = error.what();
  if (error.exit() != Exit::data && error.exit() != Exit::configuration)
    return "exit " + std::to_string(static_cast<int>(error.exit())) + ": " + message;
  return message.find(file.filename()) == std::string::npos ? "not named: " + message : "found";
}

}  // namespace

int main(int n, char** words) {
  if (n != 6) return 64;
  const std::string store = words[1], path = words[2];
  const std::int64_t first = std::atoll(words[3]), end = std::atoll(words[4]),
                     every = std::atoll(words[5]);
  const File file = File::open_to_write(path);
  for (std::int64_t bit = first; bit < end; bit += every) {
    flip(file, bit);
    std::string outcome = verify(store, path);
    flip(file, bit);
    for (char& character : outcome) character = character == '\n' ? ' ' : character;
    std::printf("%lld %s\n", static_cast<long long>(bit), outcome.c_str());
    std::fflush(stdout);  // what a crash must not take along
  }
}
