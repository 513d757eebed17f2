#include "letterpress/shards/ledger.h"

#include <algorithm>

#include "ledger_columns.h"
#include "letterpress/base/error.h"
#include "letterpress/shards/snapshot.h"

namespace letterpress {
namespace {

constexpr int kLedgerFormat = 3;  // 2 where no picture has several tiles
using Entry = LedgerEntry;

// Every column, once: visit.text, .number<T> and .hash get name and member.
template <class Visitor>
void for_each_field(Visitor& visit) {
  visit.text("path", &Entry::path);
  visit.text("name", &Entry::name);
  visit.text("where", &Entry::where);
  visit.hash("picture_hash", &Entry::picture_hash);
  visit.hash("labels_hash", &Entry::labels_hash);
  visit.text("split", &Entry::split);
  visit.text("reason", &Entry::reason);
  visit.number("image_id", &Entry::image_id);
  visit.number("boxes", &Entry::boxes);
  visit.number("views", &Entry::views);
  visit.number("width", &Entry::width);
  visit.number("height", &Entry::height);
}

template <class Sink>
struct FieldWriter {
  Sink& sink;
  const std::vector<Entry>& entries;

  void text(const std::string& name, std::string Entry::*member) {
    write_texts(sink, name, entries,
                [&](const Entry& entry) -> const std::string& { return entry.*member; });
  }
  template <class T>
  void number(const std::string& name, T Entry::*member) {
    write_field<T>(sink, name, entries, [&](const Entry& entry) { return entry.*member; });
  }
  void hash(const std::string& name, Hash128 Entry::*member) {
    std::vector<std::uint8_t> bytes;
    for (const Entry& entry : entries)
      bytes.insert(bytes.end(), (entry.*member).bytes.begin(), (entry.*member).bytes.end());
    sink.write(name, std::span<const std::uint8_t>(bytes));
  }
};

struct FieldReader {
  hdf5::ColumnReader& reader;
  std::vector<Entry>& entries;

  void text(const std::string& name, std::string Entry::*member) {
    read_texts(reader, name, entries,
               [&](Entry& entry, std::string value) { entry.*member = std::move(value); });
  }
  template <class T>
  void number(const std::string& name, T Entry::*member) {
    read_field<T>(reader, name, entries, [&](Entry& entry, T value) { entry.*member = value; });
  }
  void hash(const std::string& name, Hash128 Entry::*member) {
    const std::vector<std::uint8_t> bytes = reader.read<std::uint8_t>(name);
    check_length(name, bytes.size(), 16 * entries.size());
    for (std::size_t i = 0; i < entries.size(); ++i)
      std::copy_n(bytes.begin() + static_cast<std::ptrdiff_t>(16 * i), 16,
                  (entries[i].*member).bytes.begin());
  }
};

template <class Sink>
void write_runs(Sink& sink, const std::vector<Entry>& entries) {
  write_field<std::int64_t>(sink, "runs", entries,
                            [](const Entry& entry) { return entry.rows.size(); });
  const auto runs = elements_of(entries, &Entry::rows);
  write_field<std::int32_t>(sink, "run.shard", runs, [](const RowRun& run) { return run.shard; });
  write_field<std::int64_t>(sink, "run.row", runs, [](const RowRun& run) { return run.row; });
  write_field<std::int32_t>(sink, "run.view", runs, [](const RowRun& run) { return run.view; });
  write_field<std::int32_t>(sink, "run.n", runs, [](const RowRun& run) { return run.n; });
  if (has_tiles(entries))
    write_field<std::int32_t>(sink, "run.tile", runs, [](const RowRun& run) { return run.tile; });
}

void read_runs(hdf5::ColumnReader& reader, std::vector<Entry>& entries) {
  const std::vector<std::int64_t> counts = reader.read<std::int64_t>("runs");
  check_length("runs", counts.size(), entries.size());
  const std::vector<std::int32_t> shards = reader.read<std::int32_t>("run.shard");
  std::vector<RowRun> runs(shards.size());
  for (std::size_t i = 0; i < runs.size(); ++i) runs[i].shard = shards[i];
  read_field<std::int64_t>(reader, "run.row", runs,
                           [](RowRun& run, std::int64_t value) { run.row = value; });
  read_field<std::int32_t>(reader, "run.view", runs,
                           [](RowRun& run, std::int32_t value) { run.view = value; });
  read_field<std::int32_t>(reader, "run.n", runs,
                           [](RowRun& run, std::int32_t value) { run.n = value; });
  if (reader.has("run.tile"))
    read_field<std::int32_t>(reader, "run.tile", runs,
                             [](RowRun& run, std::int32_t value) { run.tile = value; });
  check_counts("runs", counts, runs.size());
  auto next = runs.begin();
  for (std::size_t i = 0; i < entries.size(); ++i) {
    entries[i].rows.assign(next, next + counts[i]);
    next += counts[i];
  }
}

InputState state_of(std::uint8_t number) {
  if (number <= static_cast<std::uint8_t>(InputState::rejected))
    return static_cast<InputState>(number);
  throw Error("column state holds " + std::to_string(number) +
              ", must be 0 stored, 1 duplicate or 2 rejected");
}

}  // namespace

bool has_tiles(const std::vector<LedgerEntry>& entries) {
  return std::ranges::any_of(entries, [](const Entry& entry) {
    return std::ranges::any_of(entry.rows, [](const RowRun& run) { return run.tile > 0; });
  });
}

template <class Sink>
void write_ledger_columns(Sink& sink, const std::vector<LedgerEntry>& entries) {
  write_field<std::uint8_t>(sink, "state", entries, [](const Entry& entry) { return entry.state; });
  FieldWriter<Sink> writer{sink, entries};
  for_each_field(writer);
  write_runs(sink, entries);
}
template void write_ledger_columns(hdf5::ColumnWriter&, const std::vector<LedgerEntry>&);
template void write_ledger_columns(hdf5::ColumnHasher&, const std::vector<LedgerEntry>&);

std::vector<LedgerEntry> read_ledger_columns(hdf5::ColumnReader& columns) {
  const std::vector<std::uint8_t> states = columns.read<std::uint8_t>("state");
  std::vector<LedgerEntry> entries(states.size());
  for (std::size_t i = 0; i < states.size(); ++i) entries[i].state = state_of(states[i]);
  FieldReader reader{columns, entries};
  for_each_field(reader);
  read_runs(columns, entries);
  return entries;
}

void write_ledger(const std::filesystem::path& file, const std::vector<LedgerEntry>& entries) {
  hdf5::ColumnWriter writer(file, "ledger", kLedgerFormat - (has_tiles(entries) ? 0 : 1));
  write_ledger_columns(writer, entries);
  writer.finish();
}

std::vector<LedgerEntry> read_ledger(const std::filesystem::path& file) {
  hdf5::ColumnReader reader(file, "ledger", kLedgerFormat);
  return reader.checked([&] { return read_ledger_columns(reader); });
}

void check_rows(const std::vector<LedgerEntry>& entries, const Snapshot& snapshot,
                const std::filesystem::path& file) {
  const auto is_there = [&](const RowRun& run) {
    const auto shard = static_cast<std::size_t>(run.shard);
    return run.shard >= 0 && shard < snapshot.shards.size() && run.row >= 0 && run.n >= 1 &&
           run.row <= snapshot.shards[shard].rows - run.n;
  };
  for (const LedgerEntry& entry : entries) {
    if (std::ranges::all_of(entry.rows, is_there)) continue;
    throw Error({.where = file.string(),
                 .what = "has " + entry.name + " in rows that snapshot " +
                         std::to_string(snapshot.generation) + " does not have",
                 .fix = "restore both from the same copy"});
  }
}

}  // namespace letterpress
