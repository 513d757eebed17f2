#include <doctest/doctest.h>

#include <algorithm>
#include <set>

#include "tests/contains.h"
#include "tests/preprocess/likeness/drawn_scene.h"
#include "tests/tools/preprocess/linted.h"

namespace letterpress {
namespace {

// Photographs of scenes: s0_0.png, s0_1.png, ... s1_0.png, ...
struct Series {
  Linted linted{};

  void photograph_scenes(int first, int scenes, int photographs) {
    for (int scene = first; scene < first + scenes; ++scene) {
      const DrawnPicture drawn = drawn_scene(static_cast<std::uint64_t>(scene) + 1000);
      std::mt19937_64 engine(static_cast<std::uint64_t>(scene));
      for (int i = 0; i < photographs; ++i) {
        const DrawnPicture seen = photograph(drawn, engine);
        const std::vector<std::byte> bytes = encode_png(seen.rgb, seen.width, seen.height);
        const std::string name = "s" + std::to_string(scene) + "_" + std::to_string(i) + ".png";
        linted.set.folder.write(name, {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
        lines += name + " 10,10,60,60,0\n";
      }
    }
    linted.set.list("train.txt", lines);
  }
  ProgramResult build(const std::vector<std::string>& more) const {
    std::vector<std::string> words{"build",
                                   "--store",
                                   linted.store,
                                   "--input",
                                   (linted.set.folder / "train.txt").string(),
                                   "--classes",
                                   (linted.set.folder / "classes.txt").string(),
                                   "--size",
                                   "320",
                                   "--recipe",
                                   "none"};
    words.insert(words.end(), more.begin(), more.end());
    return preprocess(words);
  }
  // "train" or "val", by the picture's name.
  std::map<std::string, std::string> splits() const {
    std::map<std::string, std::string> found;
    const Store store = Store::open(linted.store);
    for (const LedgerEntry& entry : store.ledger(store.latest()->generation))
      found[entry.name] = entry.split;
    return found;
  }

  std::string lines{};
};

}  // namespace

TEST_CASE("--val SHARE keeps the pictures of a scene in one split, and says so in one line") {
  Series series;
  series.photograph_scenes(0, 8, 4);
  const ProgramResult built = series.build({"--val", "25%"});
  CHECK(built.exit_code == 0);
  CHECK(contains(built.err,
                 "32 of 32 pictures show a scene that others show too: 8 scenes of up to 4 "
                 "pictures, each kept in one split; those that do not look alike are not found, "
                 "--group with a regular expression on the name is surer; --group none turns this "
                 "off\n"));
  CHECK(!contains(built.out, "not looked at"));
  const auto splits = series.splits();
  int in_val = 0;
  for (const auto& [name, split] : splits) {
    CAPTURE(name);
    CHECK(split == splits.at(name.substr(0, name.find('_')) + "_0.png"));
    in_val += split == "val" ? 1 : 0;
  }
  CHECK(in_val == 8);
  CHECK(series.linted.of("same-scene").empty());
  CHECK(!contains(series.linted.lint().out, "leak: "));
  // A new picture follows its scene, and none moves; a no-op build does not look again.
  series.photograph_scenes(0, 0, 0);
  CHECK(!contains(series.build({}).err, "show a scene"));
  series.lines.clear();
  series.photograph_scenes(0, 9, 5);
  CHECK(series.build({}).exit_code == 0);
  const auto later = series.splits();
  CHECK(later.size() == 45);
  for (const auto& [name, split] : splits) CHECK(later.at(name) == split);
  for (int scene = 0; scene < 8; ++scene) {
    const std::string start = "s" + std::to_string(scene);
    CHECK(later.at(start + "_4.png") == splits.at(start + "_0.png"));
  }
}

TEST_CASE("--group none takes each picture alone, and lint tells what leaks, with examples") {
  Series series;
  series.photograph_scenes(0, 8, 4);
  CHECK(!contains(series.build({"--val", "25%", "--group", "none"}).err, "scene"));
  const auto found = series.linted.of("same-scene");
  REQUIRE(!found.empty());
  CHECK(found[0].at("split") == "val");
  CHECK((contains(found[0].at("what"), " of split train shows: ") ||
         contains(found[0].at("what"), "is of one series with ")));
  CHECK(contains(found[0].at("fix"), "look at both; `build --val SHARE` keeps a scene in one"));
  const auto json = nlohmann::json::parse(series.linted.lint({"--json"}).last_line());
  CHECK(json.at("leaks").at("val").at("pictures") == 8);
  // A near-duplicate leaks, too.
  const std::size_t near = series.linted.of("near-duplicate").size();
  CHECK(json.at("leaks").at("val").at("leaking") == found.size() + near);
  CHECK(contains(series.linted.lint().out,
                 "leak: " + std::to_string(found.size() + near) + " of 8 pictures of val ("));
}

TEST_CASE("pictures that all look like one scene are not kept together, and a line says so") {
  Series series;
  series.photograph_scenes(3, 1, 10);
  const ProgramResult built = series.build({"--val", "0.2"});
  CHECK(built.exit_code == 0);
  CHECK(contains(built.err,
                 "10 of 10 pictures look like one scene, as those of a standing camera do, and are "
                 "not kept together; --group folder, or --group with a regular expression on the "
                 "name, tells which belong together\n"));
  const auto splits = series.splits();
  CHECK(std::ranges::count(splits, std::string("val"),
                           [](const auto& one) { return one.second; }) == 2);
}

TEST_CASE("of a standing camera's pictures lint tells each of val that shows what train shows") {
  Series series;
  series.photograph_scenes(3, 1, 40);
  // The last eight are val, as a list states.
  std::size_t at = series.lines.size();
  for (int i = 0; i < 8; ++i) at = series.lines.rfind('\n', at - 2) + 1;
  series.linted.set.list("val.txt", series.lines.substr(at));
  series.linted.set.list("train.txt", series.lines.substr(0, at));
  const std::string val = (series.linted.set.folder / "val.txt").string();
  CHECK(series.build({"--val", val}).exit_code == 0);
  std::set<std::string> told;
  for (const char* kind : {"same-scene", "near-duplicate"}) {
    for (const auto& finding : series.linted.of(kind)) told.insert(finding.at("picture"));
  }
  CHECK(told.size() == 8);
}

}  // namespace letterpress
