// Whatever happens to a set from build to build, the store is what a clean build of the same inputs
// would have made.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <random>

#include "preprocess/plan/logical_digest.h"
#include "preprocess/plan/make_plan.h"
#include "preprocess/upkeep/garbage.h"
#include "tests/preprocess/drawn_set.h"

namespace letterpress {
namespace {

constexpr int kHistories = 200, kSteps = 10;

// A set that changes at random.
class RandomSet {
 public:
  explicit RandomSet(unsigned seed) : engine_(seed) {
    set_.list("train.txt", "");
    for (int i = 0; i < 4; ++i) add();
    options_ = set_.options();
    options_.format = "keras";  // a list of pictures without boxes could be another's
    options_.side = 32;
    options_.views = below(3);
    options_.threads = 1;
    options_.shard_bytes = 5 * 32 * 32 * 3;
  }

  void change() {
    options_.refresh_views = false;
    const int what = below(16);
    if (what < 3) add();
    if (what == 3) edit_pixels();
    if (what == 4) any().boxes = below(4);
    if (what == 5) rename();
    if (what == 6 || what == 7) remove();
    if (what == 8) any().in_val ^= true;
    if (what == 9) options_.views = below(4);
    if (what == 10) lose_shard();
    if (what == 11) damage_picture();
    if (what == 12) copy();
    if (what == 13) options_.refresh_views = true;
    if (what == 14) rename_class();
    if (what == 15) collect();
  }

  // The label files as they are now.
  const BuildOptions& write() {
    std::string train, val;
    for (const Listed& picture : pictures_) (picture.in_val ? val : train) += line(picture);
    set_.list("train.txt", train);
    set_.list("val.txt", val);
    options_.val = val.empty() ? "" : (set_.folder / "val.txt").string();
    return options_;
  }

  // A store that is built at once, its views drawn as often as those of the set's.
  std::filesystem::path build_clean() const {
    BuildOptions clean = options_;
    clean.store = set_.folder / "clean";
    clean.refresh_views = false;
    std::filesystem::remove_all(clean.store);
    build_quietly(clean);
    clean.refresh_views = true;
    const int draw = static_cast<int>(Store::open(options_.store).latest()->identity.draw);
    for (int drawn = 0; drawn < draw; ++drawn) build_quietly(clean);
    return clean.store;
  }

 private:
  struct Listed {
    std::string name;
    int boxes = 0;
    int first_class = 0;
    bool in_val = false;
  };

  int below(int n) { return static_cast<int>(engine_() % static_cast<unsigned>(n)); }
  // The first one stays, in train and whole: a set of nothing is another test's.
  Listed& any() {
    return pictures_[1 + static_cast<std::size_t>(below(static_cast<int>(pictures_.size()) - 1))];
  }

  void draw(const std::string& name) {
    set_.folder.write(name, drawn_png(static_cast<int>(engine_() % 100000), 40, 30));
  }

  void add() {
    const std::string name = "p" + std::to_string(made_++) + ".png";
    draw(name);
    pictures_.push_back({name, below(4), below(3), !pictures_.empty() && below(4) == 0});
  }
  void edit_pixels() { draw(any().name); }
  void rename() {
    Listed& picture = any();
    const std::string name = "renamed" + std::to_string(made_++) + ".png";
    std::filesystem::rename(set_.folder / picture.name, set_.folder / name);
    picture.name = name;
  }
  void remove() {
    if (pictures_.size() > 3)
      pictures_.erase(pictures_.begin() + 1 + below(static_cast<int>(pictures_.size()) - 1));
  }
  void lose_shard() {
    if (!std::filesystem::exists(options_.store / "FORMAT")) return;
    const Store store = Store::open(options_.store);
    const std::vector<SnapshotShard> shards = store.latest().value().shards;
    std::filesystem::remove(store.shard_path(
        shards[static_cast<std::size_t>(below(static_cast<int>(shards.size())))].digest));
  }
  void damage_picture() {
    const std::string name = any().name;
    set_.folder.write(name, file_text(set_.folder / name).substr(0, 60));
  }
  void copy() {
    const Listed from = any();  // pictures_ grows below
    const std::string name = "copy" + std::to_string(made_++) + ".png";
    set_.folder.write(name, file_text(set_.folder / from.name));
    pictures_.push_back({name, below(3), below(3), below(2) == 0});
  }

  // To a new name, or to another class's, which then holds the boxes of both.
  void rename_class() {
    static const std::array<std::string, 3> names{"cat", "dog", "bird"};
    const std::string& from = names[static_cast<std::size_t>(below(3))];
    const std::string& other = names[static_cast<std::size_t>(below(3))];
    const std::string to = other == from ? from + "s" : other;
    const auto meets = [&](const ClassRename& rename) {
      return rename.from == from || rename.to == from || rename.from == to;
    };
    if (std::ranges::none_of(options_.renames, meets)) options_.renames.push_back({from, to});
  }
  void collect() {
    if (!std::filesystem::exists(options_.store / "FORMAT")) return;
    const auto old = std::filesystem::file_time_type::clock::now() - std::chrono::days(30);
    for (const auto& entry : std::filesystem::directory_iterator(options_.store / "snapshots")) {
      std::filesystem::last_write_time(entry.path(), old);
    }
    const Store store = Store::open(options_.store);
    collect_garbage(store, {.keep = 1, .older_than = std::chrono::days(1)});
    CHECK(store.generations().size() == 1);
  }

  static std::string line(const Listed& picture) {
    std::string text = picture.name;
    for (int i = 0; i < picture.boxes; ++i) {
      text += " " + std::to_string(2 + i) + ",3,2" + std::to_string(i) + ",2" + std::to_string(i) +
              "," + std::to_string((picture.first_class + i) % 3);
    }
    return text + "\n";
  }

  std::mt19937 engine_;
  DrawnSet set_;
  BuildOptions options_;
  std::vector<Listed> pictures_;
  int made_ = 0;
};

// What a clean build would say that has drawn its views as often, without building.
Hash128 clean_digest(BuildOptions options, const Snapshot& snapshot) {
  options.refresh_views = false;  // there is nothing to draw anew
  BuildListener silent;
  std::optional<Previous> none;
  Recipe recipe = Recipe::load(options.recipe);
  const Plan plan = make_plan({options, recipe, none, StatCache(), kNoStop}, silent).plan;
  BuildIdentity identity = plan.snapshot.identity;
  identity.draw = snapshot.identity.draw;
  return logical_digest(identity, plan.ledger);
}

// Pictures that only decoding shows to be bad: a plan does not know them.
bool has_undecodable(const Store& store) {
  return std::ranges::any_of(store.ledger(store.latest()->generation),
                             [](const LedgerEntry& entry) {
                               return entry.state == InputState::rejected && entry.width > 0;
                             });
}

// The mean that the snapshot states is that of the pixels that are there: whole numbers, so equal
// to the last bit.
void check_mean(const SnapshotReader& reader) {
  std::array<double, 3> sum{};
  double pixels = 0;
  for (const PictureRows& picture : reader.pictures("train")) {
    const ShardReader& shard = reader.shard(picture.clean.shard);
    std::vector<std::uint8_t> image(static_cast<std::size_t>(shard.image_bytes()));
    shard.read_images(picture.clean.row, 1, image.data());
    for (std::size_t i = 0; i < image.size(); ++i) sum[i % 3] += image[i];
    pixels += static_cast<double>(image.size() / 3);
  }
  for (std::size_t c = 0; c < 3; ++c)
    CHECK(reader.snapshot().statistics.channel_mean[c] == sum[c] / pixels);
}

// Every stored row that the ledger promises is there, alive and of that picture and view.
void check_ledger(const Store& store) {
  const SnapshotReader reader(store, store.latest().value());
  check_mean(reader);
  for (const LedgerEntry& entry : store.ledger(reader.snapshot().generation)) {
    std::int32_t next = 0;
    for (const RowRun& run : entry.rows) {
      const ShardReader& shard = reader.shard(run.shard);
      const auto& dead = reader.snapshot().shards[static_cast<std::size_t>(run.shard)].dead;
      CHECK(run.view == next);
      for (std::int32_t i = 0; i < run.n; ++i, ++next) {
        CHECK(shard.source_hash(run.row + i) == entry.picture_hash);
        CHECK(shard.view(run.row + i) == next);
        CHECK_FALSE(std::binary_search(dead.begin(), dead.end(), run.row + i));
      }
    }
    CHECK(next == (entry.state == InputState::stored ? entry.views + 1 : 0));
  }
}

}  // namespace

TEST_CASE("an incremental build is a clean one: 200 random histories of 10 steps") {
  int undecodable = 0, redrawn = 0, renamed = 0;
  for (unsigned seed = 0; seed < kHistories; ++seed) {
    CAPTURE(seed);
    RandomSet set(seed);
    for (int step = 0; step < kSteps; ++step) {
      CAPTURE(step);
      if (step > 0) set.change();
      const BuildOptions& options = set.write();
      build_quietly(options);
      const Store store = Store::open(options.store);
      const Snapshot snapshot = store.latest().value();
      if (has_undecodable(store)) {
        ++undecodable;
        CHECK(snapshot.logical_digest == Store::open(set.build_clean()).latest()->logical_digest);
      } else {
        CHECK(snapshot.logical_digest == clean_digest(options, snapshot));
      }
      check_ledger(store);
    }
    const Store store = Store::open(set.write().store);
    redrawn += store.latest()->identity.draw > 0;
    renamed += !set.write().renames.empty();
    if (seed % 10 != 0) continue;
    const Store clean = Store::open(set.build_clean());
    CHECK(row_contents(store.folder()) == row_contents(clean.folder()));
    const Snapshot grown = store.latest().value(), fresh = clean.latest().value();
    CHECK(grown.logical_digest == fresh.logical_digest);
    CHECK(grown.statistics.channel_mean == fresh.statistics.channel_mean);
  }
  // Each kind of history was among them.
  for (const int histories : {undecodable, redrawn, renamed}) CHECK(histories > 20);
}

}  // namespace letterpress
