#include "letterpress/shards/plan.h"

#include <doctest/doctest.h>

#include <fstream>
#include <functional>

#include "flip.h"
#include "letterpress/base/error.h"
#include "letterpress/base/file.h"
#include "letterpress/hdf5/hdf5.h"
#include "sample_snapshot.h"
#include "tests/temp_dir.h"

using namespace letterpress;
namespace fs = std::filesystem;

namespace {

void check_equal(const Plan& got, const Plan& wanted) {
  CHECK(to_json(got.snapshot) == to_json(wanted.snapshot));
  CHECK(got.ledger == wanted.ledger);
  REQUIRE(got.pictures.size() == wanted.pictures.size());
  for (std::size_t i = 0; i < got.pictures.size(); ++i) {
    CHECK(got.pictures[i].entry == wanted.pictures[i].entry);
    CHECK(got.pictures[i].offset == wanted.pictures[i].offset);
    CHECK(got.pictures[i].length == wanted.pictures[i].length);
    CHECK(got.pictures[i].label == wanted.pictures[i].label);
    CHECK(got.pictures[i].boxes == wanted.pictures[i].boxes);
  }
  CHECK(got.sources == wanted.sources);
  REQUIRE(got.shards.size() == wanted.shards.size());
  for (std::size_t i = 0; i < got.shards.size(); ++i) {
    CHECK(got.shards[i].index == wanted.shards[i].index);
    CHECK(got.shards[i].group == wanted.shards[i].group);
    CHECK(got.shards[i].row_picture == wanted.shards[i].row_picture);
    CHECK(got.shards[i].row_view == wanted.shards[i].row_view);
    REQUIRE(got.shards[i].copies.size() == wanted.shards[i].copies.size());
    for (std::size_t copy = 0; copy < got.shards[i].copies.size(); ++copy) {
      CHECK(got.shards[i].copies[copy].source == wanted.shards[i].copies[copy].source);
      CHECK(got.shards[i].copies[copy].row == wanted.shards[i].copies[copy].row);
      CHECK(got.shards[i].copies[copy].entry == wanted.shards[i].copies[copy].entry);
    }
  }
}

// Every changed byte of the file is refused, or the content is what it was.
template <class IsSame>
void check_flips(const fs::path& file, IsSame is_same) {
  const auto size = static_cast<std::int64_t>(fs::file_size(file));
  for (std::int64_t at = 0; at < size; at += 37) {
    CAPTURE(at);
    const Flip flip(file, at, 1 << at % 8);
    try {
      const bool same = is_same();
      CHECK(same);
    } catch (const Error& error) {
      CHECK(std::string(error.what()).starts_with(file.string() + ": "));
    }
  }
}

template <class Read>
void check_cuts(const fs::path& file, Read read) {
  const std::string whole = read_file(file);
  for (std::size_t step = 0; step < 50; ++step) {
    CAPTURE(step);
    std::ofstream(file, std::ios::binary) << whole.substr(0, step * whole.size() / 50);
    CHECK_THROWS_WITH_AS(read(file), doctest::Contains((file.string() + ": ").c_str()), Error);
  }
}

}  // namespace

TEST_CASE("a ledger goes to its file and back, names of any bytes included") {
  TempDir dir;
  write_ledger(dir / "l.h5", sample_ledger());
  CHECK(read_ledger(dir / "l.h5") == sample_ledger());
  write_ledger(dir / "empty.h5", {});
  CHECK(read_ledger(dir / "empty.h5").empty());
}

TEST_CASE("a cut ledger is refused, a changed byte is found") {
  TempDir dir;
  write_ledger(dir / "l.h5", sample_ledger());
  check_flips(dir / "l.h5", [&] { return read_ledger(dir / "l.h5") == sample_ledger(); });
  write_ledger(dir / "cut.h5", sample_ledger());
  check_cuts(dir / "cut.h5", [](const fs::path& file) { return read_ledger(file); });
}

TEST_CASE("a changed number in a ledger is told as damage") {
  TempDir dir;
  write_ledger(dir / "l.h5", sample_ledger());
  const std::int64_t offset = hdf5::find_dataset(hdf5::open_file(dir / "l.h5"), "width").offset;
  const std::int32_t width = 641;
  File::open_to_write(dir / "l.h5").write_at(offset, std::as_bytes(std::span(&width, 1)));
  CHECK_THROWS_WITH_AS(read_ledger(dir / "l.h5"),
                       doctest::Contains("l.h5: damaged: its content has checksum "), Error);
}

TEST_CASE("a plan goes to its file and back") {
  TempDir dir;
  write_plan(dir / "plan.h5", sample_plan());
  const Plan plan = read_plan(dir / "plan.h5");
  check_equal(plan, sample_plan());
  CHECK(plan_digest(plan) == plan_digest(sample_plan()));
  write_plan(dir / "empty.h5", Plan{});
  check_equal(read_plan(dir / "empty.h5"), Plan{});
}

TEST_CASE("outlines go with their boxes; only a plan with one has format 4 and its columns") {
  TempDir dir;
  write_plan(dir / "plan.h5", outlined_plan());
  check_equal(read_plan(dir / "plan.h5"), outlined_plan());
  write_plan(dir / "without.h5", sample_plan());
  for (const auto& [name, format] : {std::pair{"plan.h5", 4}, {"without.h5", 2}}) {
    const hdf5::File file = hdf5::open_file(dir / name);
    CHECK(hdf5::read_integer_attribute(file, "format") == format);
    for (const char* column : {"box.outline", "outline.x", "outline.y"})
      CHECK(hdf5::has_dataset(file, column) == (format == 4));
  }
  CHECK(plan_digest(outlined_plan()) != plan_digest(sample_plan()));
  for (const auto change :
       {+[](LabelBox& box) { box.outline[1].x = 1; }, +[](LabelBox& box) { box.outline[1].y = 1; },
        +[](LabelBox& box) { box.outline.pop_back(); }}) {
    Plan plan = outlined_plan();
    change(plan.pictures[0].boxes[1]);
    CHECK(plan_digest(plan) != plan_digest(outlined_plan()));
  }
}

TEST_CASE("a cut plan with outlines is refused, a changed byte is found") {
  TempDir dir;
  write_plan(dir / "plan.h5", outlined_plan());
  check_flips(dir / "plan.h5", [&] {
    return plan_digest(read_plan(dir / "plan.h5")) == plan_digest(outlined_plan());
  });
  write_plan(dir / "cut.h5", outlined_plan());
  check_cuts(dir / "cut.h5", [](const fs::path& file) { return read_plan(file); });
}

TEST_CASE("equal plans have equal bytes") {
  TempDir dir;
  write_plan(dir / "a.h5", sample_plan());
  write_plan(dir / "b.h5", sample_plan());
  CHECK(read_file(dir / "a.h5") == read_file(dir / "b.h5"));
}

TEST_CASE("the digest of a plan changes with everything in it") {
  const std::vector<std::function<void(Plan&)>> changes{
      [](Plan& plan) { plan.snapshot.identity.seed = 2; },
      [](Plan& plan) { plan.snapshot.shards[0].dead.push_back(99); },
      [](Plan& plan) { plan.ledger[0].path += "x"; },
      [](Plan& plan) { plan.ledger[0].labels_hash = hash128("other"); },
      [](Plan& plan) { plan.ledger[1].state = InputState::duplicate; },
      [](Plan& plan) { plan.ledger[0].rows[1].row = 21; },
      [](Plan& plan) { plan.ledger[0].rows[1].n = 4; },
      [](Plan& plan) { plan.shards[1].copies[0].source = 0; },
      [](Plan& plan) { plan.shards[1].copies[0].row = 9; },
      [](Plan& plan) { plan.shards[1].copies[0].entry = 1; },
      [](Plan& plan) { plan.sources[0] = hash128("five"); },
      [](Plan& plan) { plan.pictures[0].offset = 0; },
      [](Plan& plan) { plan.pictures[0].boxes[0].flags = 0; },
      [](Plan& plan) { plan.pictures[0].boxes[1].area = 1; },
      [](Plan& plan) {
        plan.pictures[1].boxes.push_back(plan.pictures[0].boxes.back()),
            plan.pictures[0].boxes.pop_back();
      },
      [](Plan& plan) { plan.shards[0].group = 2; },
      [](Plan& plan) { plan.shards[0].row_view[2] = 3; },
      [](Plan& plan) {
        plan.shards[1].row_picture = {0}, plan.shards[1].row_view = {2},
        plan.shards[0].row_picture.pop_back(), plan.shards[0].row_view.pop_back();
      }};
  const Hash128 original = plan_digest(sample_plan());
  for (std::size_t i = 0; i < changes.size(); ++i) {
    CAPTURE(i);
    Plan plan = sample_plan();
    changes[i](plan);
    CHECK(plan_digest(plan) != original);
  }
}

TEST_CASE("a cut plan is refused, a changed byte is found") {
  TempDir dir;
  write_plan(dir / "plan.h5", sample_plan());
  check_flips(dir / "plan.h5", [&] {
    return plan_digest(read_plan(dir / "plan.h5")) == plan_digest(sample_plan());
  });
  write_plan(dir / "cut.h5", sample_plan());
  check_cuts(dir / "cut.h5", [](const fs::path& file) { return read_plan(file); });
}

TEST_CASE("a plan of another kind or a newer format is refused with both") {
  TempDir dir;
  write_ledger(dir / "l.h5", {});
  CHECK_THROWS_WITH_AS(read_plan(dir / "l.h5"),
                       doctest::Contains("l.h5: is a ledger, must be a plan"), Error);
  hdf5::File file = hdf5::create_file(dir / "new.h5");
  hdf5::write_attribute(file, "kind", std::string("plan"));
  hdf5::write_attribute(file, "format", 5);
  hdf5::close_file(std::move(file));
  CHECK_THROWS_WITH_AS(
      read_plan(dir / "new.h5"),
      doctest::Contains("new.h5: plan format 5 is newer than this program's 4; update Letterpress"),
      Error);
}

TEST_CASE("a plan that points outside itself is refused: it would crash whoever follows it") {
  const std::vector<std::pair<std::function<void(Plan&)>, std::string>> cases{
      {[](Plan& plan) { plan.pictures[0].entry = 3; },
       "column picture.entry holds 3, must be 0..3 (exclusive)"},
      {[](Plan& plan) { plan.shards[0].index = 2; },
       "column shard.index holds 2, must be 0..2 (exclusive)"},
      {[](Plan& plan) { plan.shards[0].row_picture[0] = -1; },
       "column row.picture holds -1, must be 0..2 (exclusive)"},
      {[](Plan& plan) { plan.shards[1].copies[1].source = 2; },
       "column copy.source holds 2, must be 0..2 (exclusive)"},
      {[](Plan& plan) { plan.shards[1].copies[1].entry = 3; },
       "column copy.entry holds 3, must be 0..3 (exclusive)"},
      {[](Plan& plan) { plan.shards[0].row_view.pop_back(); },
       "column row.view has 2 elements, must be 3"},
      {[](Plan& plan) { plan.pictures[0].boxes[0].outline.resize(kMaxOutlinePoints + 1); },
       "column box.outline holds 33, must be 0..32"},
      {[](Plan& plan) { plan.ledger[0].state = static_cast<InputState>(9); },
       "column state holds 9, must be 0 stored"}};
  TempDir dir;
  for (const auto& [change, message] : cases) {
    Plan plan = sample_plan();
    change(plan);
    write_plan(dir / "bad.h5", plan);
    CHECK_THROWS_WITH_AS(read_plan(dir / "bad.h5"), doctest::Contains(message.c_str()), Error);
  }
}

TEST_CASE("a plan of 100,000 pictures is columns: a few bytes for each") {
  TempDir dir;
  Plan plan{.snapshot = sample_snapshot()};
  plan.ledger.assign(100'000, sample_ledger()[0]);
  plan.pictures.resize(100'000);
  for (std::size_t i = 0; i < plan.pictures.size(); ++i)
    plan.pictures[i].entry = static_cast<std::int32_t>(i);
  write_plan(dir / "plan.h5", plan);
  CHECK(fs::file_size(dir / "plan.h5") < 100'000 * 250);
  CHECK(plan_digest(read_plan(dir / "plan.h5")) == plan_digest(plan));
}
