#include <doctest/doctest.h>

#include <cerrno>
#include <map>

#include "letterpress/base/fault_hook.h"
#include "preprocess/pipeline/build.h"
#include "tests/preprocess/drawn_set.h"
#include "tests/preprocess/pipeline/failing_calls.h"

namespace letterpress {
namespace {

namespace fs = std::filesystem;

// A picture in snapshot 1, then another one.
struct GrowingSet : DrawnSet {
  GrowingSet() {
    pictures(2);
    const std::string all = file_text(folder / "train.txt");
    list("train.txt", line(0));
    build_quietly(small("first"));
    list("train.txt", all);
  }
  BuildOptions small(const std::string& store) const {
    BuildOptions small = options(store);
    small.side = 32;
    small.recipe = "none";
    small.views = 0;
    small.threads = 1;
    return small;
  }
  // `store` as it was after the first build.
  BuildOptions again(const std::string& store) const {
    fs::remove_all(folder / store);
    fs::copy(folder / "first", folder / store, fs::copy_options::recursive);
    return small(store);
  }
};

void check_failure(const std::string& message, const fs::path& store, const std::string& call,
                   int error_number) {
  if (message != "no error") return check_told(message, store, error_number);
  CHECK((is_dispensable(call) || is_healed(call)));
}

std::string build_with(CallCounter&, const BuildOptions& options) {
  return message_of([&] { build_quietly(options); });
}

}  // namespace

TEST_CASE(
    "whichever call to the disk fails: exit 74, file and remedy named, the old snapshot stands, "
    "the next build succeeds") {
  const GrowingSet set;
  const BuildOptions clean = set.again("clean");
  std::map<std::string, int> calls;
  {
    CallCounter counter(clean.store, {});
    REQUIRE(build_with(counter, clean) == "no error");
    calls = counter.calls();
  }
  const std::set<std::string> wanted = shard_names(clean.store);
  const std::string before = row_text(set.folder / "first"), after = row_text(clean.store);
  const BuildOptions options = set.small("store");
  const DiskWork work{
      .root = options.store,
      .prepare = [&] { set.again("store"); },
      .run = [&] { build_quietly(options); },
      .seen = [&] { return row_text(options.store); },
      .goes_on = [](const std::string& call) { return is_dispensable(call) || is_healed(call); },
      .check_done =
          [&](const std::string& call) {
            if (!is_healed(call)) CHECK(shard_names(options.store) == wanted);
            CHECK(fs::is_empty(options.store / "tmp"));
          }};
  // By name and number: threads of their own look for damaged shards and publish what is finished.
  for (const int error_number : {ENOSPC, EIO, EACCES}) {
    for (const auto& [call, n] : calls) {
      int failed = 0;
      for (int number = 1; number <= n; ++number)
        failed += check_failing(work, {call, number, error_number}, before, after) ? 1 : 0;
      CAPTURE(call);
      CHECK(failed > 0);
    }
  }
}

TEST_CASE("shards that were finished before a disk failed are used by the next build") {
  const GrowingSet set;
  BuildOptions options = set.small("new");
  options.recipe = "keras-yolo3";
  options.views = 1;
  int records = 0;
  set_fault_hook([&](std::string_view operation, std::string_view path) {
    return operation == "link" && path.find("/plans/") != std::string_view::npos &&
                   path.ends_with(".json") && ++records == 2
               ? EIO
               : 0;
  });
  CHECK(message_of([&] { build_quietly(options); }).starts_with("74 "));
  set_fault_hook(nullptr);
  const BuildReport report = build_quietly(options);
  CHECK(report.rows_new == 4);
  CHECK(report.rows_resumed == 2);
}

TEST_CASE("a failed fsync ends the build and is not tried again") {
  const GrowingSet set;
  const BuildOptions options = set.again("store");
  int syncs = 0;
  set_fault_hook([&](std::string_view operation, std::string_view path) {
    return operation == "sync" && path.starts_with((options.store / "tmp").native()) && ++syncs == 2
               ? EIO
               : 0;
  });
  const std::string message = message_of([&] { build_quietly(options); });
  set_fault_hook(nullptr);
  CHECK(message.find("cannot be made durable (fsync): Input/output error; is the disk failing?") !=
        std::string::npos);
  CHECK(syncs == 2);
}

TEST_CASE("a store that cannot be made says so") {
  const GrowingSet set;
  const BuildOptions options = set.small("new");
  int made = 0;
  for (int failing = 1;; ++failing) {
    CAPTURE(failing);
    fs::remove_all(options.store);
    std::string message, call;
    {
      CallCounter counter(options.store, {.number = failing, .error_number = ENOSPC});
      message = build_with(counter, options);
      if (!counter.failed()) break;
      call = *counter.failed();
    }
    CAPTURE(call);
    check_failure(message, options.store, call, ENOSPC);
    if (message == "no error") continue;
    ++made;
    build_quietly(options);  // publishes, or finds nothing to do where only the sync of the new
                             // name was refused
    CHECK(Store::open(options.store).latest().value().generation == 1);
  }
  CHECK(made > 20);
}

}  // namespace letterpress
