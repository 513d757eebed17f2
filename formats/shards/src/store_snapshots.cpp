// The snapshots of a store.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "letterpress/base/error.h"
#include "letterpress/base/folder.h"
#include "letterpress/base/own_file.h"
#include "letterpress/base/parse_as.h"
#include "letterpress/shards/store.h"

namespace letterpress {
namespace fs = std::filesystem;
namespace {

std::string name_of(std::int64_t generation) { return fmt::format("{:08}", generation); }

// The generation of "00000042.json", as name_of() has it; 0 for any other name.
std::int64_t generation_of(std::string_view file) {
  constexpr std::size_t kDigits = 8;
  const std::string_view digits = file.substr(0, file.find_first_not_of("0123456789"));
  const bool is_longer = digits.size() > kDigits && digits.front() != '0';
  if ((digits.size() != kDigits && !is_longer) || file.substr(digits.size()) != ".json") return 0;
  return parse_as<std::int64_t>(digits).value_or(0);
}

std::string joined(const std::vector<std::int64_t>& numbers) {
  return fmt::format("{}", fmt::join(numbers, ", "));
}

// None where the folder cannot be read again: what the newest one has is to be told.
std::vector<std::int64_t> others_than(std::int64_t generation, const Store& store) {
  try {
    std::vector<std::int64_t> others = store.generations();
    std::erase(others, generation);
    return others;
  } catch (const Error&) {
    return {};
  }
}

}  // namespace

fs::path Store::snapshot_path(std::int64_t generation) const {
  return folder_ / "snapshots" / (name_of(generation) + ".json");
}

std::vector<std::int64_t> Store::generations() const {
  std::vector<std::int64_t> generations;
  visit_names(folder_ / "snapshots", [&](std::string_view file) {
    if (const std::int64_t generation = generation_of(file)) generations.push_back(generation);
  });
  std::sort(generations.begin(), generations.end());
  return generations;
}

Snapshot Store::snapshot(std::int64_t generation) const {
  const fs::path file = snapshot_path(generation);
  if (!fs::exists(file)) {
    const std::string known = joined(generations());
    throw Error(
        {.where = folder_.string(),
         .what = "has no snapshot " + std::to_string(generation),
         .fix = known.empty() ? "nothing was published yet, run `letterpress-preprocess build`"
                              : "there are: " + known},
        Exit::no_input);
  }
  Snapshot snapshot = snapshot_from_json(read_own_file(file, kMostJsonBytes), file.string());
  if (snapshot.generation == generation) return snapshot;
  throw Error({.where = file.string(),
               .what = "holds generation " + std::to_string(snapshot.generation),
               .fix = "was it renamed?"});
}

std::int64_t Store::newest() const {
  std::int64_t newest = 0;
  visit_names(folder_ / "snapshots",
              [&](std::string_view file) { newest = std::max(newest, generation_of(file)); });
  return newest;
}

std::optional<Snapshot> Store::latest() const {
  constexpr int kAttempts = 8;
  for (int attempt = 1;; ++attempt) {
    const std::int64_t generation = newest();
    if (generation == 0) return std::nullopt;
    try {
      return snapshot(generation);
    } catch (const Error& error) {
      // Another process has published the next one and removed this.
      const Error removed = unless_removed(generation, error);
      if (removed.exit() == Exit::busy && attempt < kAttempts) continue;
      if (removed.exit() == Exit::busy) throw removed;
      // Never silently the one before: a training would go on with old data, and nobody would know.
      Message message = error.message();
      if (const std::string others = joined(others_than(generation, *this)); !others.empty())
        message = with_fix(message, "or name another snapshot with --snapshot: " + others);
      if (error.exit() != Exit::configuration)  // not of a newer program
        message = with_fix(message,
                           "without a copy, move it and its .ledger.h5 elsewhere and build again");
      throw Error(std::move(message), error.exit());
    }
  }
}

std::vector<LedgerEntry> Store::ledger(std::int64_t generation) const {
  const fs::path file = folder_ / "snapshots" / (name_of(generation) + ".ledger.h5");
  try {
    std::vector<LedgerEntry> entries = read_ledger(file);
    const Snapshot described = snapshot(generation);
    check_rows(entries, described, file);
    const Hash128 wanted = described.ledger_digest;
    if (wanted == Hash128{}) return entries;
    const Hash128 found = hash_file(file);
    if (found == wanted) return entries;
    throw Error({.where = file.string(),
                 .what = "damaged: its bytes have the hash " + found.hex() + ", " +
                         name_of(generation) + ".json names " + wanted.hex(),
                 .fix = "restore it from a copy"});
  } catch (const Error& found) {
    const Error error = unless_removed(generation, found);
    if (error.exit() == Exit::configuration || error.exit() == Exit::io ||
        error.exit() == Exit::busy)
      throw error;
    throw Error(with_fix(error.message(),
                         "without a copy, move it and " + name_of(generation) +
                             ".json elsewhere and build again (with --input if no older snapshot "
                             "is left)"),
                error.exit());
  }
}

Error Store::unless_removed(std::int64_t generation, const Error& error) const {
  std::error_code ignored;
  const fs::file_type type = fs::status(snapshot_path(generation), ignored).type();
  if (type != fs::file_type::not_found || !is_at(folder_)) return error;
  const std::string others = joined(others_than(generation, *this));
  return Error({.where = folder_.string(),
                .what = "snapshot " + std::to_string(generation) + " was removed while it was read",
                .fix = "gc and refresh remove old ones; run it again" +
                       (others.empty() ? "" : ", with --snapshot if it named this one: " + others)},
               Exit::busy);
}

bool Store::publish(Snapshot snapshot, const std::vector<LedgerEntry>& ledger) const {
  const std::string name = (folder_ / "snapshots" / name_of(snapshot.generation)).string();
  const fs::path snapshot_file = name + ".json", ledger_file = name + ".ledger.h5";
  if (fs::exists(snapshot_file)) return false;
  TemporaryFile temporary(temporary_folder());
  snapshot.ledger_digest = temporary.under_name(ledger_file, [&](const fs::path& path) {
    return write_ledger(path, ledger), hash_file(path);
  });
  // A ledger without its snapshot is of a builder that died between the two: this process holds the
  // lock.
  if (!temporary.link_as(ledger_file)) temporary.replace(ledger_file);
  return write_new_file(snapshot_file, to_json(snapshot), temporary_folder());
}

void Store::remove_snapshot(std::int64_t generation) const {
  const std::string name = (folder_ / "snapshots" / name_of(generation)).string();
  remove_file(name + ".json");
  // Or a power loss could bring it back without its ledger, and without shards that go next.
  sync_folder(folder_ / "snapshots");
  remove_file(name + ".ledger.h5");
}

std::int64_t Store::age_s(std::int64_t generation) const {
  const auto written = fs::last_write_time(snapshot_path(generation));
  return std::chrono::duration_cast<std::chrono::seconds>(fs::file_time_type::clock::now() -
                                                          written)
      .count();
}

}  // namespace letterpress
