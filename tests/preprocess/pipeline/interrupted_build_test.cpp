// Builds that are stopped, and pictures, plans and disks that change while one works.
#include <doctest/doctest.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <functional>

#include "letterpress/base/fault_hook.h"
#include "tests/preprocess/drawn_set.h"

namespace letterpress {
namespace {

// Does something at the n-th picture of the stage that makes the shards.
class Interrupter : public BuildListener {
 public:
  Interrupter(int n, std::function<void()> action) : n_(n), action_(std::move(action)) {}
  void stage(const std::string& label, std::int64_t, const std::string&) override {
    active_ = label == "preparing";
  }
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

// A build that gets the signal at its n-th row.
BuildReport build_until(int n, int signal, const BuildOptions& options) {
  StopRequest stop;
  Interrupter interrupter(n, [&] { stop.make(signal); });
  return build(options, interrupter, stop);
}

}  // namespace

TEST_CASE(
    "a signal stops the build soon; finished shards are kept and the next build goes on from "
    "them") {
  DrawnSet set;
  set.pictures(40);
  const BuildOptions options = many_shards(set, "store");
  const BuildReport stopped = build_until(20, SIGTERM, options);
  CHECK(stopped.stopped_by == SIGTERM);
  CHECK_FALSE(stopped.published);
  CHECK_FALSE(Store::open(options.store).latest());
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
  build_until(20, SIGINT, options);
  const std::filesystem::path shard =
      options.store / "shards" / *shard_names(options.store).begin();
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
  const BuildReport report = build(options, interrupter, kNoStop);
  CHECK(report.published);
  CHECK(report.accounting.pictures_stored == 8);
  REQUIRE(interrupter.notes.size() == 1);
  CHECK(interrupter.notes[0].find("p7.png: has other bytes than when the build was planned; is it "
                                  "still being copied?; planning once more") != std::string::npos);
  const std::string hash = hash128(file_text(set.folder / "p7.png")).hex();
  CHECK(row_contents(options.store).contains({"train", hash, 0}));
}

TEST_CASE(
    "the plan that an interrupted build leaves can be read, and says who makes which row; the next "
    "build removes it") {
  DrawnSet set;
  set.pictures(5);
  const BuildOptions options = set.options();
  build_until(1, SIGTERM, options);
  const std::filesystem::path folder =
      std::filesystem::directory_iterator(options.store / "plans")->path();
  const Plan plan = read_plan(folder / "plan.h5");
  CHECK(plan_digest(plan).hex() == folder.filename().string());
  CHECK(plan.pictures.size() == 5);
  CHECK(plan.shards.size() == 2);
  CHECK(plan.shards[1].row_view == std::vector<std::int32_t>{1, 2, 1, 2, 1, 2, 1, 2, 1, 2});
  CHECK(build_quietly(options).published);
  CHECK(std::filesystem::is_empty(options.store / "plans"));
}

TEST_CASE(
    "a build that publishes removes plans older than a week and those that nobody can publish any "
    "more, and keeps the others") {
  DrawnSet set;
  set.pictures(2);
  const BuildOptions options = set.options();
  const Store store = Store::create(options.store);
  const auto now = std::filesystem::file_time_type::clock::now();
  const auto leave_plan = [&](const std::string& name, int generation, int days) {
    set.folder.write("store/plans/" + name + "/plan.h5", "x");
    set.folder.write("store/plans/" + name + "/terms.json",
                     "{\"generation\": " + std::to_string(generation) + "}");
    std::filesystem::last_write_time(options.store / "plans" / name, now - std::chrono::days(days));
  };
  leave_plan("young", 2, 6);
  leave_plan("old", 2, 8);
  leave_plan("published", 1, 0);
  set.folder.write("store/plans/removed in part/0.json", "x");
  CHECK(build_quietly(options).published);
  CHECK(std::filesystem::exists(options.store / "plans" / "young"));
  for (const char* gone : {"old", "published", "removed in part"})
    CHECK_FALSE(std::filesystem::exists(options.store / "plans" / gone));
}

TEST_CASE(
    "a build that finds nothing to do removes the plan of one that was killed after it had "
    "published") {
  DrawnSet set;
  set.pictures(2);
  const BuildOptions options = set.options();
  set_fault_hook([](std::string_view operation, std::string_view path) {
    return operation == "unlink" && path.ends_with("/plan.h5") ? EIO : 0;
  });
  CHECK(build_quietly(options).published);
  set_fault_hook(nullptr);
  CHECK_FALSE(std::filesystem::is_empty(options.store / "plans"));
  CHECK_FALSE(build_quietly(options).published);
  CHECK(std::filesystem::is_empty(options.store / "plans"));
}

TEST_CASE("pictures that keep changing end the build with exit 75 and nothing published") {
  DrawnSet set;
  set.pictures(8);
  BuildOptions options = set.options();
  options.threads = 1;
  class Changer : public BuildListener {
   public:
    explicit Changer(DrawnSet& set) : set_(set) {}
    void stage(const std::string& label, std::int64_t, const std::string&) override {
      preparing_ = label == "preparing";
    }
    void advance(std::int64_t) override {
      if (preparing_) set_.picture("p7.png", 100 + ++n_);
    }

   private:
    DrawnSet& set_;
    int n_ = 0;
    bool preparing_ = false;
  } changer(set);
  const std::string message = message_of([&] { build(options, changer, kNoStop); });
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
  const BuildReport report = build(options, interrupter, kNoStop);
  CHECK(report.accounting.pictures_stored == 7);
  CHECK(report.accounting.pictures_rejected == 1);
  CHECK(interrupter.notes.at(0).find("p7.png: no such file") != std::string::npos);
}

TEST_CASE(
    "a disk that is full while shards are written: exit 74, nothing published, and the next build "
    "succeeds") {
  DrawnSet set;
  set.pictures(12);
  const BuildOptions options = many_shards(set, "store");
  std::atomic<int> writes{0};
  set_fault_hook([&](std::string_view operation, std::string_view) {
    return operation == "write" && ++writes > 30 ? ENOSPC : 0;
  });
  const std::string message = message_of([&] { build_quietly(options); });
  set_fault_hook(nullptr);
  CHECK(message.starts_with("74 "));
  CHECK(message.find("No space left on device") != std::string::npos);
  CHECK_FALSE(Store::open(options.store).latest());
  CHECK(build_quietly(options).published);
  CHECK(row_contents(options.store).size() == 36);
}

}  // namespace letterpress
