#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <iostream>
#include <memory>
#include <set>

#include "letterpress/base/error.h"
#include "letterpress/base/suggest.h"
#include "preprocess/commands/commands.h"
#include "preprocess/commands/text.h"

namespace letterpress {
namespace {

struct LedgerFlags {
  std::string store, name, state, split;
  std::int64_t snapshot = 0;
};

const std::array<std::string, 3> kStates{"stored", "duplicate", "rejected"};

const std::string& state_name(InputState state) { return kStates[static_cast<std::size_t>(state)]; }

bool is_wanted(const LedgerEntry& entry, const LedgerFlags& flags) {
  const auto contains = [&](const std::string& text) { return text.find(flags.name) != std::string::npos; };
  if (!flags.name.empty() && !contains(entry.name) && !contains(entry.path) && !contains(entry.where)) return false;
  if (!flags.split.empty() && entry.split != flags.split) return false;
  return flags.state.empty() || state_name(entry.state) == flags.state;
}

std::string place_text(const LedgerEntry& entry, const Snapshot& snapshot) {
  const auto shard = [&](std::int32_t index) { return snapshot.shards.at(static_cast<std::size_t>(index)).digest.hex(); };
  std::string text =
      joined(entry.width, "x", entry.height, ", ", entry.boxes, " boxes, row ", entry.clean_row, " of ", shard(entry.clean_shard));
  if (entry.views > 0) {
    text += joined(", views 1-", entry.views, " in rows ", entry.augmented_row, "-", entry.augmented_row + entry.views - 1, " of ",
                   shard(entry.augmented_shard));
  }
  return text;
}

std::string line(const LedgerEntry& entry, const Snapshot& snapshot) {
  const std::string what = entry.state == InputState::stored ? place_text(entry, snapshot) : entry.reason;
  return joined(std::left, std::setw(9), state_name(entry.state), " ", std::setw(5), entry.split, " ", entry.name, " (", entry.where,
                "): ", what, "\n");
}

void check_split(const std::string& split, const std::vector<LedgerEntry>& entries, std::int64_t generation) {
  std::set<std::string> known;
  for (const LedgerEntry& entry : entries) known.insert(entry.split);
  if (split.empty() || known.contains(split)) return;
  std::string names;
  for (const std::string& name : known) names += (names.empty() ? "" : ", ") + name;
  throw Error(joined("--split: snapshot ", generation, " has no split '", split, "'; there are: ", names), Exit::no_input);
}

int run_ledger(const LedgerFlags& flags) {
  if (!flags.state.empty() && std::find(kStates.begin(), kStates.end(), flags.state) == kStates.end()) {
    throw Error("--state: " + unknown_name("state", flags.state, kStates), Exit::usage);
  }
  const Store store = Store::open(flags.store);
  const Snapshot snapshot = chosen_snapshot(store, flags.snapshot);
  const std::vector<LedgerEntry> entries = store.ledger(snapshot.generation);
  check_split(flags.split, entries, snapshot.generation);
  std::int64_t shown = 0;
  for (const LedgerEntry& entry : entries) {
    if (!is_wanted(entry, flags)) continue;
    std::cout << line(entry, snapshot);
    ++shown;
  }
  std::cout << shown << " of " << snapshot.accounting.pictures_found << " pictures in snapshot " << snapshot.generation << '\n';
  return 0;
}

}  // namespace

Command ledger_command() {
  return {"ledger", "lists what became of each picture: where its rows are, or why it is out", [](CLI::App& app) {
            auto flags = std::make_shared<LedgerFlags>();
            app.add_option("--store", flags->store, "folder of the shards")->required();
            app.add_option("--snapshot", flags->snapshot, "generation; 0: the newest");
            app.add_option("--name", flags->name, "only pictures whose name, path or label line contains this");
            app.add_option("--state", flags->state, "only these: stored, duplicate, rejected");
            app.add_option("--split", flags->split, "only this split");
            return [=] { return run_ledger(*flags); };
          }};
}

}  // namespace letterpress
