#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <vector>

#include "tests/trainer/fit/hanging_read.h"
#include "tests/trainer/fit/run_bench.h"
#include "trainer/loader/batch_sequence.h"
#include "trainer/loader/sample_stream.h"

using namespace letterpress;

namespace {

SnapshotReader reader_of(const RunBench& bench) {
  const Store store = Store::open(bench.dir / "store");
  return {store, *store.latest()};
}

/// Flips a bit of the first train picture, as a bad disk would.
void damage(const RunBench& bench) {
  const SnapshotReader reader = reader_of(bench);
  const ShardReader& shard = reader.shard(0);
  const std::int64_t position = shard.stored_pixels(0).offset + 100;
  std::filesystem::permissions(shard.path(), std::filesystem::perms::owner_write,
                               std::filesystem::perm_options::add);
  std::fstream file(shard.path(), std::ios::in | std::ios::out | std::ios::binary);
  file.seekg(position);
  const int byte = file.get();
  file.seekp(position);
  file.put(static_cast<char>(byte ^ 4));
}

/// The rows that the first epoch reads, in their order.
std::vector<std::int64_t> rows_read(FitOptions options) {
  // Owners: this function and the run's reader thread, which may still be ahead of the last step.
  auto rows = std::make_shared<std::vector<std::int64_t>>();
  options.readers = 1;
  options.hooks.before_read = [rows](const RowPlace& place) {
    if (rows->size() < 8) rows->push_back(place.row);
  };
  Trainer(options).run();
  return *rows;
}

std::vector<std::int64_t> rows_wanted(const RunBench& bench, const FitOptions& options,
                                      const std::string& order) {
  const SnapshotReader reader = reader_of(bench);
  std::vector<PictureRows> pictures = reader.pictures("train");
  if (order == "window") put_in_disk_order(pictures);
  const auto sequence = training_sequence(
      pictures,
      {.seed = options.seed, .global_batch = 8, .first_clean_epoch = 0, .window = window_of(order)},
      0, 1);
  std::vector<std::int64_t> rows;
  for (const auto& want : sequence(0)) rows.push_back(want.row.row);
  return rows;
}

}  // namespace

TEST_CASE("--read of fit decides how its rows are read, and the run says so") {
  for (const std::string by : {"pread", "mmap"}) {
    RunBench bench({.train = 8, .val = 0});
    FitOptions options = bench.options("run", 1);
    options.read = by;
    Trainer(options).run();
    CHECK(bench.noted("rows are read by " + by + ": as asked for"));
  }
}

TEST_CASE("--verify of fit: a damaged row ends the run unless rows are never checked") {
  for (const std::string verify : {"first", "always", "never"}) {
    CAPTURE(verify);
    RunBench bench({.train = 8, .val = 0});
    damage(bench);
    FitOptions options = bench.options("run", 1);
    options.verify = verify;
    if (verify == "never") {
      CHECK(Trainer(options).run().done.step == 2);
    } else {
      check_error(Exit::data, "row 0 (", [&] { Trainer(options).run(); });
    }
  }
}

TEST_CASE("--order of fit is the order in which it reads") {
  RunBench bench({.train = 8, .val = 0});
  FitOptions options = bench.options("shuffled", 1);
  const auto shuffled = rows_wanted(bench, options, "shuffle"),
             windowed = rows_wanted(bench, options, "window");
  REQUIRE(shuffled != windowed);
  CHECK(rows_read(options) == shuffled);
  options = bench.options("windowed", 1);
  options.order = "window";
  CHECK(rows_read(options) == windowed);
}

TEST_CASE("--read-deadline of fit ends a run whose read hangs, with the row's name") {
  check_ended_by_read_deadline([](const FitOptions& options) { Trainer(options).run(); });
}

TEST_CASE("--snapshot latest: a run that goes on stays with what was the latest, and says so") {
  RunBench bench({.train = 8, .val = 0});
  FitOptions options = bench.options("run", 2);
  options.snapshot = "latest";
  train_until(options, 1);
  options.resume = true;
  train_until(options, 2);
  CHECK_FALSE(bench.noted("not with the latest"));
  DrawnStore{.train = 12}.publish(bench.dir / "store");
  CHECK(Trainer(options).run().ending == Ending::complete);
  CHECK(
      bench.noted("resumed: the run goes on with snapshot 1, not with the latest, 2, which "
                  "--snapshot follow takes up"));
  const auto last = read_checkpoint(options.out / "last.safetensors", true).info;
  CHECK(last.snapshot_generation == 1);
}

TEST_CASE("resumed with another --val-split: metrics of before do not count for the best epoch") {
  RunBench bench({.train = 8, .val = 2});
  FitOptions options = bench.options("run", 1);
  options.clean_epochs = 0;
  Trainer(options).run();
  options.resume = true;
  options.epochs = 2;
  options.val_split = "train";
  const FitResult result = Trainer(options).run();
  CHECK(
      bench.noted("resumed: metrics from here on are of split 'train': the next epoch is the best "
                  "so far"));
  CHECK(result.done.best_epoch == 2);
  CHECK(result.done.last_metrics.size() == 1);
}
