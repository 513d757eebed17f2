#include "preprocess/build/build.h"

#include <doctest/doctest.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <functional>
#include <nlohmann/json.hpp>
#include <sstream>

#include "letterpress/base/fault.h"
#include "letterpress/commandline/program.h"
#include "tests/preprocess/build/drawn_set.h"

namespace letterpress {
namespace {

// Does something at the n-th picture of the stage that makes the shards.
class Interrupter : public BuildListener {
 public:
  Interrupter(int n, std::function<void()> action) : n_(n), action_(std::move(action)) {}
  void stage(const std::string& label, std::int64_t, const std::string&) override { active_ = label == "preparing"; }
  void advance(std::int64_t) override {
    if (active_ && --n_ == 0) action_();
  }
  void note(const std::string& text) override { notes.push_back(text); }
  std::vector<std::string> notes;

 private:
  std::atomic<int> n_;
  std::function<void()> action_;
  bool active_ = false;
};

struct StopSignal {
  ~StopSignal() { set_stop_signal(0); }
};

BuildOptions many_shards(const DrawnSet& set, const std::string& store) {
  BuildOptions options = set.options(store);
  options.shard_bytes = 4 * 64 * 64 * 3;  // 4 rows
  return options;
}

}  // namespace

TEST_CASE("a build stores every picture with its views, and says so in both identities") {
  DrawnSet set;
  set.pictures(12);
  BuildOptions options = set.options();
  options.val = "0.3";
  const BuildReport report = build_quietly(options);
  CHECK(report.published);
  CHECK(report.generation == 1);
  CHECK(report.accounting.pictures_found == 12);
  CHECK(report.accounting.pictures_stored == 12);
  CHECK(report.accounting.boxes_found == 18);
  CHECK(report.accounting.boxes_stored == 18);
  const std::int64_t train = report.pictures_per_split.at("train"), val = report.pictures_per_split.at("val");
  CHECK(train + val == 12);
  CHECK(row_contents(options.store).size() == static_cast<std::size_t>(3 * train + val));
  CHECK(report.rows_new == 3 * train + val);
}

TEST_CASE("a clean row is the letterboxed picture with its boxes in the frame") {
  DrawnSet set;
  set.folder.write("big.png", drawn_png(3, 64, 32));
  set.list("train.txt", "big.png 8,4,40,20,2\n");
  BuildOptions options = set.options();
  options.recipe = "none";
  options.views = 0;
  build_quietly(options);
  const Store store = Store::open(options.store);
  const SnapshotReader reader(store, store.latest().value());
  const ShardReader& shard = reader.shard(0);
  std::vector<std::uint8_t> image(64 * 64 * 3);
  shard.read_images(0, 1, image.data());
  const std::vector<std::uint8_t> drawn = drawn_pixels(3, 64, 32);
  // 64x32 fits a frame of 64 unscaled, 16 pixels of padding above.
  CHECK(std::equal(drawn.begin(), drawn.end(), image.begin() + 16 * 64 * 3));
  CHECK(image[0] == 114);
  CHECK(std::vector<float>(shard.boxes(0).begin(), shard.boxes(0).begin() + 5) == std::vector<float>{8, 20, 40, 36, 2});
  CHECK(shard.spec().classes == std::vector<std::string>{"cat", "dog", "bird"});
  CHECK(shard.name(0) == "big.png");
  const Statistics statistics = reader.snapshot().statistics;
  CHECK(statistics.max_boxes == 8);
  CHECK(statistics.boxes_per_class == std::map<std::string, std::int64_t>{{"bird", 1}, {"cat", 0}, {"dog", 0}});
  CHECK(statistics.anchors.size() == 9);
  CHECK(statistics.anchors[0] == std::array<double, 2>{32, 16});
  CHECK(statistics.box_side_histogram.at(2) == 1);  // sqrt(32 * 16) = 22.6
  double red = 0;
  for (std::size_t i = 0; i < image.size(); i += 3) red += image[i];
  CHECK(statistics.channel_mean[0] == doctest::Approx(red / (64 * 64)));
}

TEST_CASE("1, 2 and 7 threads write the same bytes") {
  DrawnSet set;
  set.pictures(25);
  std::vector<std::set<std::string>> names;
  std::vector<std::string> digests;
  for (const int threads : {1, 2, 7}) {
    BuildOptions options = many_shards(set, "store" + std::to_string(threads));
    options.threads = threads;
    build_quietly(options);
    names.push_back(shard_names(options.store));
    digests.push_back(Store::open(options.store).latest()->logical_digest.hex());
    for (const std::string& name : names.back()) {
      CHECK(file_text(options.store / "shards" / name) == file_text(set.folder / "store1" / "shards" / name));
    }
  }
  CHECK(names[0].size() == 20);  // 6 groups of 4 pictures in 3 shards each, one of 1 picture in 2
  CHECK(names[0] == names[1]);
  CHECK(names[0] == names[2]);
  CHECK(digests[0] == digests[1]);
  CHECK(digests[0] == digests[2]);
}

TEST_CASE("validation has view 0 only, and one shard holds rows of one split and one kind") {
  DrawnSet set;
  set.pictures(6);
  set.list("train.txt", DrawnSet::line(0) + DrawnSet::line(1) + DrawnSet::line(2));
  set.list("val.txt", DrawnSet::line(3) + DrawnSet::line(4) + DrawnSet::line(5));
  BuildOptions options = set.options();
  options.val = (set.folder / "val.txt").string();
  build_quietly(options);
  std::map<std::string, std::set<int>> views;
  for (const auto& [key, content] : row_contents(options.store)) views[std::get<0>(key)].insert(std::get<2>(key));
  CHECK(views == std::map<std::string, std::set<int>>{{"train", {0, 1, 2}}, {"val", {0}}});
}

TEST_CASE("a dry run reports the same figures and writes nothing, not even the store's folder") {
  DrawnSet set;
  set.pictures(5);
  BuildOptions options = set.options();
  options.dry_run = true;
  const BuildReport dry = build_quietly(options);
  CHECK_FALSE(std::filesystem::exists(options.store));
  CHECK_FALSE(dry.published);
  options.dry_run = false;
  const BuildReport wet = build_quietly(options);
  CHECK(dry.rows_new == wet.rows_new);
  CHECK(dry.shards_new == wet.shards_new);
  CHECK(dry.accounting == wet.accounting);
}

TEST_CASE("a signal stops the build soon; finished shards are kept and the next build goes on from them") {
  DrawnSet set;
  set.pictures(40);
  const BuildOptions options = many_shards(set, "store");
  {
    const StopSignal cleared;
    Interrupter interrupter(20, [] { set_stop_signal(SIGTERM); });
    const BuildReport report = build(options, interrupter);
    CHECK(report.stopped_by == SIGTERM);
    CHECK_FALSE(report.published);
    CHECK_FALSE(Store::open(options.store).latest());
  }
  const std::set<std::string> kept = shard_names(options.store);
  CHECK(kept.size() >= 3);
  const BuildReport report = build_quietly(options);
  CHECK(report.published);
  CHECK(report.rows_resumed >= 12);
  CHECK(report.rows_resumed < report.rows_new);
  const BuildOptions clean = many_shards(set, "clean");
  build_quietly(clean);
  CHECK(shard_names(options.store) == shard_names(clean.store));
}

TEST_CASE("a shard that an interrupted build finished and the disk damaged is made again") {
  DrawnSet set;
  set.pictures(40);
  const BuildOptions options = many_shards(set, "store");
  {
    const StopSignal cleared;
    Interrupter interrupter(20, [] { set_stop_signal(SIGINT); });
    build(options, interrupter);
  }
  const std::filesystem::path shard = options.store / "shards" / *shard_names(options.store).begin();
  std::string bytes = file_text(shard);
  bytes[bytes.size() - 9] = static_cast<char>(bytes[bytes.size() - 9] ^ 1);
  std::filesystem::remove(shard);
  std::ofstream(shard, std::ios::binary) << bytes;
  CHECK(build_quietly(options).published);
  CHECK(row_contents(options.store).size() == 120);
}

TEST_CASE("a picture that changes between plan and map: the build plans once more and succeeds") {
  DrawnSet set;
  set.pictures(8);
  BuildOptions options = set.options();
  options.threads = 1;
  Interrupter interrupter(1, [&] { set.picture("p7.png", 99); });
  const BuildReport report = build(options, interrupter);
  CHECK(report.published);
  CHECK(report.accounting.pictures_stored == 8);
  REQUIRE(interrupter.notes.size() == 1);
  CHECK(interrupter.notes[0].find(
            "p7.png: has other bytes than when the build was planned; is it still being copied?; planning once more") != std::string::npos);
  const std::string hash = hash128(file_text(set.folder / "p7.png")).hex();
  CHECK(row_contents(options.store).contains({"train", hash, 0}));
}

TEST_CASE("the plan that an interrupted build leaves can be read, and says who makes which row; the next build removes it") {
  DrawnSet set;
  set.pictures(5);
  const BuildOptions options = set.options();
  {
    const StopSignal cleared;
    Interrupter interrupter(1, [] { set_stop_signal(SIGTERM); });
    build(options, interrupter);
  }
  const std::filesystem::path folder = std::filesystem::directory_iterator(options.store / "plans")->path();
  const Plan plan = read_plan(folder / "plan.h5");
  CHECK(plan_digest(plan).hex() == folder.filename().string());
  CHECK(plan.pictures.size() == 5);
  CHECK(plan.shards.size() == 2);
  CHECK(plan.shards[1].row_view == std::vector<std::int32_t>{1, 2, 1, 2, 1, 2, 1, 2, 1, 2});
  CHECK(build_quietly(options).published);
  CHECK(std::filesystem::is_empty(options.store / "plans"));
}

TEST_CASE("a build that publishes removes plans older than a week and keeps younger ones") {
  DrawnSet set;
  set.pictures(2);
  const BuildOptions options = set.options();
  const Store store = Store::create(options.store);
  const auto now = std::filesystem::file_time_type::clock::now();
  for (const int days : {6, 8}) {
    const std::filesystem::path plan = options.store / "plans" / std::to_string(days);
    std::filesystem::create_directory(plan);
    std::filesystem::last_write_time(plan, now - std::chrono::days(days));
  }
  CHECK(build_quietly(options).published);
  CHECK(std::filesystem::exists(options.store / "plans" / "6"));
  CHECK_FALSE(std::filesystem::exists(options.store / "plans" / "8"));
}

TEST_CASE("pictures that keep changing end the build with exit 75 and nothing published") {
  DrawnSet set;
  set.pictures(8);
  BuildOptions options = set.options();
  options.threads = 1;
  class Changer : public BuildListener {
   public:
    explicit Changer(DrawnSet& set) : set_(set) {}
    void stage(const std::string& label, std::int64_t, const std::string&) override { preparing_ = label == "preparing"; }
    void advance(std::int64_t) override {
      if (preparing_) set_.picture("p7.png", 100 + ++n_);
    }

   private:
    DrawnSet& set_;
    int n_ = 0;
    bool preparing_ = false;
  } changer(set);
  const std::string message = message_of([&] { build(options, changer); });
  CHECK(message.starts_with("75 "));
  CHECK(message.find("p7.png: has other bytes") != std::string::npos);
  CHECK_FALSE(Store::open(options.store).latest());
}

TEST_CASE("a picture that vanishes between plan and map is planned anew, as missing") {
  DrawnSet set;
  set.pictures(8);
  BuildOptions options = set.options();
  options.threads = 1;
  Interrupter interrupter(1, [&] { std::filesystem::remove(set.folder / "p7.png"); });
  const BuildReport report = build(options, interrupter);
  CHECK(report.accounting.pictures_stored == 7);
  CHECK(report.accounting.pictures_rejected == 1);
  CHECK(interrupter.notes.at(0).find("p7.png: no such file") != std::string::npos);
}

TEST_CASE("a disk that is full while shards are written: exit 74, nothing published, and the next build succeeds") {
  DrawnSet set;
  set.pictures(12);
  const BuildOptions options = many_shards(set, "store");
  std::atomic<int> writes{0};
  set_fault_hook([&](std::string_view operation, std::string_view) { return operation == "write" && ++writes > 30 ? ENOSPC : 0; });
  const std::string message = message_of([&] { build_quietly(options); });
  set_fault_hook(nullptr);
  CHECK(message.starts_with("74 "));
  CHECK(message.find("No space left on device") != std::string::npos);
  CHECK_FALSE(Store::open(options.store).latest());
  CHECK(build_quietly(options).published);
  CHECK(row_contents(options.store).size() == 36);
}

TEST_CASE("a second builder is told that the store is busy") {
  DrawnSet set;
  set.pictures(3);
  const BuildOptions options = set.options();
  build_quietly(options);
  const FileLock lock = Store::open(options.store).lock();
  CHECK(message_of([&] { build_quietly(options); }).starts_with("75 " + (options.store / "lock").string()));
}

TEST_CASE("a folder that holds something else is left alone: exit 73") {
  DrawnSet set;
  set.pictures(2);
  BuildOptions options = set.options();
  set.folder.write("store/thesis.tex", "x");
  CHECK(message_of([&] { build_quietly(options); }) ==
        "73 " + options.store.string() + ": is neither empty nor a Letterpress store; name a new or empty folder");
}

TEST_CASE("a store of a newer format is refused: exit 78") {
  DrawnSet set;
  set.pictures(2);
  const BuildOptions options = set.options();
  set.folder.write("store/FORMAT", "letterpress store 2\n");
  CHECK(message_of([&] { build_quietly(options); }).find("store format 2 is newer than this program's 1; update Letterpress") !=
        std::string::npos);
}

TEST_CASE("the quarantine holds one line per reject, with where, what and how to fix it") {
  DrawnSet set;
  set.pictures(3);
  set.folder.write("bad.png", "hello, this is text");
  set.list("train.txt", DrawnSet::line(0) + DrawnSet::line(1) + "bad.png 1,1,5,5,0\np2.png 1,1,5,5,0 7,7,7,9,0\n");
  const BuildOptions options = set.options();
  const BuildReport report = build_quietly(options);
  CHECK(report.accounting.pictures_rejected == 1);
  CHECK(report.accounting.boxes_rejected == 2);
  std::istringstream lines(file_text(options.store / "quarantine.jsonl"));
  std::vector<nlohmann::json> rejects;
  for (std::string line; std::getline(lines, line);) rejects.push_back(nlohmann::json::parse(line));
  REQUIRE(rejects.size() == 2);
  CHECK(rejects[0].at("generation") == 1);
  CHECK(rejects[0].at("where").get<std::string>().find("train.txt:3: ") != std::string::npos);
  CHECK(rejects[0].at("where").get<std::string>().find("bad.png") != std::string::npos);
  CHECK(rejects[1].at("where").get<std::string>().find("train.txt:4, object 2") != std::string::npos);
  CHECK(rejects[1].at("what") == "box 7,7,7,9 has no area");
  CHECK_FALSE(rejects[1].at("fix").get<std::string>().empty());
}

TEST_CASE("rejects are told before the snapshot that leaves them out is there, and once however many builds meet them") {
  DrawnSet set;
  set.pictures(3);
  set.folder.write("bad.png", "hello, this is text");
  set.list("train.txt", DrawnSet::line(0) + "bad.png 1,1,5,5,0\n");
  const BuildOptions options = set.options();
  {
    // As a kill at this point would.
    set_fault_hook(
        [](std::string_view operation, std::string_view path) { return operation == "link" && path.ends_with("00000001.json") ? EIO : 0; });
    const std::string message = message_of([&] { build_quietly(options); });
    set_fault_hook(nullptr);
    CHECK(message.starts_with("74 "));
  }
  const std::string told = file_text(options.store / "quarantine.jsonl");
  CHECK(std::count(told.begin(), told.end(), '\n') == 1);
  CHECK(build_quietly(options).published);
  set.list("train.txt", DrawnSet::line(0) + "bad.png 1,1,5,5,0\n" + DrawnSet::line(1));
  CHECK(build_quietly(options).generation == 2);
  CHECK(file_text(options.store / "quarantine.jsonl") == told);
}

}  // namespace letterpress
