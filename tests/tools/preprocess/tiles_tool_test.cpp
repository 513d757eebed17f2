#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "tests/contains.h"
#include "tests/preprocess/pipeline/tiled_set.h"
#include "tests/tools/preprocess/preprocess_tool.h"

namespace letterpress {
namespace {

// 3 pictures of 6 tiles each.
struct BuiltTiles {
  TiledSet set;
  std::string store = (set.folder / "store").string();
  ProgramResult built;

  BuiltTiles() {
    set.pictures(3);
    built = build({"--tile", "64", "--overlap", "25%", "--views", "2"});
    REQUIRE(built.exit_code == 0);
  }
  ProgramResult build(const std::vector<std::string>& more) const {
    std::vector<std::string> words{"build",
                                   "--store",
                                   store,
                                   "--input",
                                   (set.folder / "train.txt").string(),
                                   "--classes",
                                   (set.folder / "classes.txt").string()};
    words.insert(words.end(), more.begin(), more.end());
    return preprocess(words);
  }
  ProgramResult about(const std::string& command, const std::vector<std::string>& more = {}) const {
    std::vector<std::string> words{command, "--store", store};
    words.insert(words.end(), more.begin(), more.end());
    return preprocess(words);
  }
};

}  // namespace

TEST_CASE("build, info, ledger, report and verify speak of tiles, in lines that add up") {
  const BuiltTiles tiles;
  CHECK_CONTAINS(tiles.built.out, "tiles laid 18 = stored 18 (of which background ");
  CHECK_CONTAINS(tiles.built.out, ") + left out 0 + rejected 0\n");
  CHECK_CONTAINS(tiles.built.out, "= whole in a tile ");
  const std::string info = tiles.about("info").out;
  CHECK_CONTAINS(info, "tiles of 64, overlap 25%, scale 1, 100% of the train tiles without a box");
  CHECK_CONTAINS(info, "split train: 18 tiles, 36 augmented rows, 0 dead rows");
  const ProgramResult ledger = tiles.about("ledger", {"--json"});
  CHECK_CONTAINS(ledger.out, "150x100, 1 boxes, 6 tiles in 18 rows (--json has their places)");
  const auto last = ledger.out.substr(ledger.out.rfind('\n', ledger.out.size() - 2) + 1);
  CHECK_CONTAINS(last, "\"tile\":5");
  const std::string page = (tiles.set.folder / "report.html").string();
  CHECK(tiles.about("report", {"--out", page}).exit_code == 0);
  CHECK_CONTAINS(file_text(page), " tiles laid = ");
  CHECK_CONTAINS(file_text(page), " tile 0 at 0,0");
  CHECK(tiles.about("verify", {"--deep"}).exit_code == 0);
}

TEST_CASE("preview shows tiles, and draws one again to the byte") {
  const BuiltTiles tiles;
  const std::string out = (tiles.set.folder / "sheet.png").string();
  CHECK_CONTAINS(tiles.about("preview", {"--out", out, "--rows", "4"}).out,
                 ": 4 tiles of split train, ");
  for (const char* view : {"0", "2"}) {
    const ProgramResult again = tiles.about(
        "preview", {"--out", out, "--explain", "p1.png", "--of-tile", "4", "--view", view});
    CHECK(again.exit_code == 0);
    CHECK_CONTAINS(again.out, "p1.png tile 4 at 43,36 view ");
    CHECK_CONTAINS(again.out, "drawn again: the same 12288 bytes");
  }
  CHECK_CONTAINS(
      tiles.about("preview", {"--out", out, "--explain", "p1.png", "--of-tile", "6"}).err,
      "--of-tile 6: p1.png has no such tile; its last is 5");
}

TEST_CASE("a build of tiles says that what lint finds was not looked for") {
  const BuiltTiles tiles;
  CHECK_CONTAINS(tiles.built.out,
                 "not looked at: what `letterpress-preprocess lint` finds; it needs a store of "
                 "whole pictures, and this one holds tiles\n");
  CHECK_FALSE(contains(tiles.built.out, "worth a look"));
  CHECK_FALSE(contains(tiles.build({}).out, "not looked at"));  // nothing has changed
}

TEST_CASE("lint and unpack need whole pictures: exit 78, with the flag") {
  const BuiltTiles tiles;
  const ProgramResult lint = tiles.about("lint");
  CHECK(lint.exit_code == 78);
  CHECK_CONTAINS(lint.err, tiles.store +
                               ": holds tiles, lint needs whole pictures; run it on a store that "
                               "is built with --tile 0");
  const ProgramResult unpack =
      tiles.about("unpack", {"--to", "coco", "--out", (tiles.set.folder / "unpacked").string()});
  CHECK(unpack.exit_code == 78);
  CHECK_CONTAINS(unpack.err, "holds tiles, unpack needs whole pictures");
}

TEST_CASE("a later build repeats the tiles; others are exit 78, an overlap of 1 is exit 64") {
  const BuiltTiles tiles;
  CHECK_CONTAINS(tiles.build({}).out, "nothing has changed");
  const ProgramResult other = tiles.build({"--tile", "0"});
  CHECK(other.exit_code == 78);
  CHECK_CONTAINS(other.err, ": holds tiles of 64, --tile 0 asks for whole pictures");
  const ProgramResult overlap = tiles.build({"--overlap", "1"});
  CHECK(overlap.exit_code == 64);
  CHECK_CONTAINS(overlap.err, "--overlap is 100%, must be ");
}

TEST_CASE("what is of tiles is refused where pictures are whole, not passed over") {
  BuiltTiles tiles;
  tiles.store = (tiles.set.folder / "whole").string();
  for (const char* flag : {"--overlap", "--scale", "--background-tiles"}) {
    const ProgramResult refused = tiles.build({flag, "0.5"});
    CHECK(refused.exit_code == 64);
    CHECK_CONTAINS(refused.err, std::string(flag) +
                                    ": is of tiles, and this build has none; add --tile 640, or "
                                    "leave it out");
  }
  CHECK_FALSE(std::filesystem::exists(tiles.store));
}

TEST_CASE("--size beside --tile is refused, the default too, unless both are one side") {
  BuiltTiles tiles;
  tiles.store = (tiles.set.folder / "both").string();
  for (const char* size : {"416", "640"}) {
    const ProgramResult refused = tiles.build({"--tile", "64", "--size", size});
    CHECK(refused.exit_code == 64);
    CHECK_CONTAINS(refused.err, "--size " + std::string(size) +
                                    ": with --tile 64, which is the frame's side; leave --size "
                                    "out");
  }
  CHECK_FALSE(std::filesystem::exists(tiles.store));
  CHECK(tiles.build({"--tile", "64", "--size", "64", "--dry-run"}).exit_code == 0);
}

TEST_CASE("a dry run of tiles measures them and writes nothing") {
  BuiltTiles tiles;
  tiles.store = (tiles.set.folder / "other").string();
  const ProgramResult dry = tiles.build({"--tile", "64", "--dry-run"});
  CHECK(dry.exit_code == 0);
  CHECK_CONTAINS(dry.out, "3 pictures tried");
  CHECK_FALSE(std::filesystem::exists(tiles.store));
}

}  // namespace letterpress
