#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <vector>

#include "letterpress/annotations/annotations.h"
#include "letterpress/annotations/picture_files.h"
#include "letterpress/base/error.h"
#include "letterpress/base/file.h"
#include "letterpress/base/hash.h"
#include "letterpress/commandline/terminal_text.h"
#include "letterpress/shards/unpacked_folder.h"
#include "preprocess/commands/commands.h"
#include "preprocess/commands/text.h"

namespace letterpress {
namespace {

struct LedgerFlags {
  std::string store, name, path, hash, split;
  std::optional<InputState> state{};  // none: all
  std::int64_t snapshot = 0;
  bool json = false;
};

const std::vector<std::string> kStates{"stored", "duplicate", "rejected"};  // InputState

const std::string& state_name(InputState state) { return kStates[static_cast<std::size_t>(state)]; }

bool is_wanted(const LedgerEntry& entry, const LedgerFlags& flags) {
  const auto contains = [&](const std::string& text) {
    return text.find(flags.name) != std::string::npos;
  };
  if (!flags.name.empty() && !contains(entry.name) && !contains(entry.path) &&
      !contains(entry.where))
    return false;
  if (!flags.path.empty() && entry.path != flags.path) return false;
  if (!flags.hash.empty() && !entry.picture_hash.hex().starts_with(flags.hash)) return false;
  if (!flags.split.empty() && entry.split != flags.split) return false;
  return !flags.state || entry.state == flags.state;
}

std::string place_text(const LedgerEntry& entry, const Snapshot& snapshot) {
  std::string text = joined(entry.width, "x", entry.height, ", ", entry.boxes, " boxes");
  if (snapshot.accounting.tiles) {
    std::int64_t tiles = 0, rows = 0;
    for (const RowRun& run : entry.rows) {
      tiles += run.view == 0 ? 1 : 0;
      rows += run.n;
    }
    return joined(text, ", ", tiles, " tiles in ", rows, " rows (--json has their places)");
  }
  for (const RowRun& run : entry.rows) {
    const std::string shard = snapshot.shards.at(static_cast<std::size_t>(run.shard)).digest.hex();
    if (run.view == 0) {
      text += joined(", row ", run.row, " of ", shard);
    } else {
      text += joined(", views ", run.view, "-", run.view + run.n - 1, " in rows ", run.row, "-",
                     run.row + run.n - 1, " of ", shard);
    }
  }
  return text;
}

// Boxes that are out stand on a line each.
std::string in_one_line(std::string text) {
  for (std::size_t at = text.find('\n'); at != std::string::npos; at = text.find('\n', at + 3))
    text.replace(at, 1, " | ");
  return text;
}

std::string line(const LedgerEntry& entry, const Snapshot& snapshot) {
  std::string what = entry.state == InputState::stored ? place_text(entry, snapshot) : entry.reason;
  if (entry.state == InputState::stored && !entry.reason.empty())
    what += "; not stored of it: " + in_one_line(entry.reason);
  return terminal_line(joined(std::left, std::setw(9), state_name(entry.state), " ", std::setw(5),
                              entry.split, " ", entry.name, " (", entry.where, "): ", what)) +
         "\n";
}

void check_split(const std::string& split, const std::vector<LedgerEntry>& entries,
                 std::int64_t generation) {
  std::set<std::string> known;
  for (const LedgerEntry& entry : entries) known.insert(entry.split);
  if (split.empty() || known.contains(split)) return;
  throw Error({.where = "--split",
               .what = fmt::format("snapshot {} has no split '{}'", generation, split),
               .fix = fmt::format("there are: {}", fmt::join(known, ", "))},
              Exit::usage);
}

bool has_hash_digits(const LedgerFlags& flags) {
  return flags.hash.size() <= 32 &&
         flags.hash.find_first_not_of("0123456789abcdefABCDEF") == std::string::npos;
}

// As the ledger writes paths; a hash in lower case.
void normalise(LedgerFlags& flags) {
  if (!flags.path.empty())
    flags.path = std::filesystem::absolute(flags.path).lexically_normal().string();
  std::transform(flags.hash.begin(), flags.hash.end(), flags.hash.begin(),
                 [](unsigned char c) { return std::tolower(c); });
}

std::optional<Hash128> hash_of_file(const std::string& path,
                                    const std::filesystem::path& unpacked) {
  std::vector<std::byte> bytes;
  try {
    const FileBytes place = find_picture(path, unpacked);
    PictureFiles(unpacked).read(place.path, place.offset, place.length, bytes);
  } catch (const Error&) {
    return std::nullopt;
  }
  return hash128(bytes);
}

// What the file at --path is now, against what the snapshot knows of it.
std::string news_of_file(const std::string& path, const Store& store,
                         const std::vector<LedgerEntry>& entries) {
  const std::optional<Hash128> now = hash_of_file(path, unpacked_folder(store.folder()));
  // Of several lines, one whose picture was read.
  auto listed = std::ranges::find_if(entries, [&](const LedgerEntry& entry) {
    return entry.path == path && entry.picture_hash != Hash128{};
  });
  if (listed == entries.end()) listed = std::ranges::find(entries, path, &LedgerEntry::path);
  if (!now) {
    if (listed == entries.end()) return "";
    return path +
           ": cannot be read now; the next build leaves it out or, with too many gone, publishes "
           "nothing (--max-removed)\n";
  }
  if (listed != entries.end()) {
    if (listed->picture_hash == Hash128{} || listed->picture_hash == *now) return "";
    return path + ": has other bytes now (hash " + now->hex() +
           "); the next build looks at it anew\n";
  }
  const auto same = std::ranges::find(entries, *now, &LedgerEntry::picture_hash);
  if (same == entries.end()) return "";
  return path + ": not listed under this path, but the same bytes are " + state_name(same->state) +
         " as " + same->path + " (" + same->where + ")\n";
}

nlohmann::ordered_json json_of(const LedgerEntry& entry, const Snapshot& snapshot) {
  nlohmann::ordered_json json{{"path", entry.path},     {"name", entry.name},
                              {"where", entry.where},   {"hash", entry.picture_hash.hex()},
                              {"split", entry.split},   {"state", state_name(entry.state)},
                              {"reason", entry.reason}, {"boxes", entry.boxes},
                              {"width", entry.width},   {"height", entry.height}};
  json["augmented"] = nlohmann::ordered_json::array();
  for (const RowRun& run : entry.rows) {
    const std::string shard = snapshot.shards.at(static_cast<std::size_t>(run.shard)).digest.hex();
    if (snapshot.accounting.tiles) {
      json["tiles"].push_back({{"tile", run.tile},
                               {"shard", shard},
                               {"row", run.row},
                               {"view", run.view},
                               {"n", run.n}});
    } else if (run.view == 0) {
      json["clean"] = {{"shard", shard}, {"row", run.row}};
    } else {
      json["augmented"].push_back(
          {{"shard", shard}, {"row", run.row}, {"view", run.view}, {"n", run.n}});
    }
  }
  json["views"] = entry.views;
  return json;
}

void require_listed(const LedgerFlags& flags, std::int64_t shown, std::int64_t generation) {
  if (shown > 0 || (flags.path.empty() && flags.hash.empty())) return;
  throw Error({.where = flags.path.empty() ? "--hash " + flags.hash : "--path " + flags.path,
               .what = joined("snapshot ", generation,
                              " knows no such picture: no label file that it was built from lists "
                              "it, or its label could not be read (--state rejected)"),
               .fix = "add it to one and build, or try --name"},
              Exit::no_input);
}

int run_ledger(LedgerFlags& flags) {
  normalise(flags);
  const Store store = Store::open(flags.store);
  const Snapshot snapshot = chosen_snapshot(store, flags.snapshot);
  const std::vector<LedgerEntry> entries = store.ledger(snapshot.generation);
  check_split(flags.split, entries, snapshot.generation);
  if (!flags.path.empty()) std::cout << news_of_file(flags.path, store, entries);
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  std::int64_t shown = 0;
  for (const LedgerEntry& entry : entries) {
    if (!is_wanted(entry, flags)) continue;
    std::cout << line(entry, snapshot);
    if (flags.json) json.push_back(json_of(entry, snapshot));
    ++shown;
  }
  std::cout << shown << " of " << snapshot.accounting.pictures_found << " pictures in snapshot "
            << snapshot.generation << '\n';
  if (flags.json) {
    const nlohmann::ordered_json all{{"snapshot", snapshot.generation},
                                     {"pictures", std::move(json)}};
    // Paths may hold any bytes; JSON is UTF-8.
    std::cout << all.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) << '\n';
  }
  require_listed(flags, shown, snapshot.generation);
  return 0;
}

}  // namespace

Command ledger_command() {
  using F = Flag<LedgerFlags>;
  FlagTable<LedgerFlags> table;
  table.add(
      {store_flag<LedgerFlags>(), snapshot_flag<LedgerFlags>(),
       F("name", &LedgerFlags::name, "only pictures whose name, path or label line contains this"),
       F("path", &LedgerFlags::path,
         "only the picture at this path; says too whether the file has changed since"),
       F("hash", &LedgerFlags::hash,
         "only pictures whose hash (XXH3-128 of the file, hexadecimal) begins with this")
           .must_be("the first hexadecimal digits of a picture's hash, at most 32",
                    has_hash_digits),
       F("state", &LedgerFlags::state, "only pictures of this state").choices(kStates),
       F("split", &LedgerFlags::split, "only this split"), json_flag<LedgerFlags>()});
  return command("ledger",
                 "lists what became of each picture: where its rows are, or why it is out", table,
                 run_ledger);
}

}  // namespace letterpress
