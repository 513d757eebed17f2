#include "trainer/parity/golden_pictures.h"

#include <doctest/doctest.h>

#include <set>

#include "letterpress/base/file.h"
#include "letterpress/shards/store.h"
#include "tests/message_of.h"
#include "tests/temp_dir.h"

namespace letterpress {
namespace {

// A snapshot of nothing but a ledger: n pictures of val with files, as many of train, a rejected
// one and one that is gone.
void publish(const TempDir& dir, int n) {
  std::vector<LedgerEntry> ledger;
  const auto add = [&](const std::string& name, const std::string& split, InputState state) {
    ledger.push_back({.path = (dir / name).string(), .name = name, .split = split, .state = state});
  };
  for (int i = 0; i < n; ++i) {
    for (const std::string split : {"val", "train"}) {
      const std::string name = split + std::to_string(1000 + i) + ".jpg";
      replace_file(dir / name, "picture");
      add(name, split, InputState::stored);
    }
  }
  add("val1000.jpg", "val", InputState::rejected);
  add("gone.jpg", "val", InputState::stored);
  REQUIRE(Store::create(dir / "store").publish({.generation = 1}, ledger));
}

}  // namespace

TEST_CASE("64 pictures of val are taken evenly, those that are still there") {
  for (const int n : {0, 3, 64, 130}) {
    CAPTURE(n);
    TempDir dir;
    publish(dir, n);
    const GoldenPictures golden = golden_pictures(dir / "store");
    CHECK(golden.generation == 1);
    CHECK(golden.store == dir / "store");
    const std::set<std::filesystem::path> different(golden.files.begin(), golden.files.end());
    CHECK(different.size() == golden.files.size());
    REQUIRE(golden.files.size() == static_cast<std::size_t>(std::min(n, 64)));
    for (const std::filesystem::path& file : golden.files)
      CHECK(file.filename().string().starts_with("val"));
    if (n == 130) {  // i * 130 / 64
      CHECK(golden.files[1] == dir / "val1002.jpg");
      CHECK(golden.files[63] == dir / "val1127.jpg");
    }
  }
}

TEST_CASE("of a network of tiles as many pictures are taken as have 512 tiles at most, or one") {
  for (const auto& [size, n] : {std::pair{100, 64}, {400, 32}, {700, 8}, {10000, 1}}) {
    CAPTURE(size);  // 1, 16, 49 and 10,000 tiles; 64 are halved until they fit
    TempDir dir;
    std::vector<LedgerEntry> ledger;
    for (int i = 0; i < 100; ++i) {
      const std::string name = std::to_string(i) + ".jpg";
      replace_file(dir / name, "picture");
      ledger.push_back({.path = (dir / name).string(),
                        .name = name,
                        .split = "val",
                        .width = size,
                        .height = size});
    }
    REQUIRE(Store::create(dir / "store").publish({.generation = 1}, ledger));
    const Tiling tiling{.side = 100, .rule = {.overlap = 0}};
    CHECK(golden_pictures(dir / "store", tiling).files.size() == static_cast<std::size_t>(n));
    CHECK(golden_pictures(dir / "store").files.size() == 64);
  }
}

TEST_CASE("a named store must have pictures; of a guessed one that has none they are drawn") {
  TempDir dir;
  publish(dir, 0);
  std::string note;
  const std::filesystem::path store = dir / "store";
  CHECK(message_of([&] { choose_golden_pictures({.named = store}, dir.path(), note); }) ==
        "66 --store " + store.string() +
            ": has no picture of split val whose file is still where it was; name another store, "
            "or leave it out");
  CHECK(choose_golden_pictures({.guessed = store}, dir.path(), note).store.empty());
  CHECK(note.empty());
  CHECK(choose_golden_pictures({.guessed = dir / "none"}, dir.path(), note).store.empty());
  CHECK(note.starts_with("pictures are drawn, the training's store cannot be opened: "));
  CHECK(note.find((dir / "none").string()) != std::string::npos);
}

TEST_CASE("the depth is the recipe's; a name that cannot be a line of a list is left out") {
  TempDir dir;
  std::vector<LedgerEntry> ledger;
  for (const std::string name : {"a.png", "b\nc.png"}) {
    replace_file(dir / name, "picture");
    ledger.push_back({.path = (dir / name).string(), .name = name, .split = "val"});
  }
  Snapshot snapshot{.generation = 1};
  snapshot.identity.recipe_json = R"({"depth":"12"})";
  REQUIRE(Store::create(dir / "store").publish(snapshot, ledger));
  const GoldenPictures golden = golden_pictures(dir / "store");
  CHECK(golden.depth == "12");
  CHECK(golden.files == std::vector<std::filesystem::path>{dir / "a.png"});
}

TEST_CASE("drawn pictures are 64 PNGs, the same at every call") {
  TempDir first, second;
  const GoldenPictures golden = draw_golden_pictures(first.path()),
                       again = draw_golden_pictures(second.path());
  CHECK(golden.store.empty());
  REQUIRE(golden.files.size() == 64);
  std::set<std::string> contents;
  for (std::size_t i = 0; i < golden.files.size(); ++i) {
    const std::string png = read_file(golden.files[i]);
    CHECK(png.starts_with("\x89PNG"));
    CHECK(png == read_file(again.files[i]));
    contents.insert(png);
  }
  CHECK(contents.size() == 64);
}

}  // namespace letterpress
