#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <mutex>
#include <optional>

#include "letterpress/base/fault.h"
#include "preprocess/build/build.h"
#include "tests/preprocess/build/drawn_set.h"

namespace letterpress {
namespace {

namespace fs = std::filesystem;

// "write tmp/*": a call and what it is about, with the names that differ from run to run left out.
std::string call_name(const fs::path& store, std::string_view operation, const fs::path& path) {
  std::string name = path.lexically_relative(store).string();
  if (name.starts_with("tmp/")) name = "tmp/*";
  return std::string(operation) + " " + name;
}

// Every call of the program about files of `store`, counted; the one of number `failing` fails with `error_number`.
class CallCounter {
 public:
  CallCounter(fs::path store, int failing, int error_number) : store_(std::move(store)), failing_(failing), error_number_(error_number) {
    set_fault_hook([this](std::string_view operation, std::string_view path) { return ask(operation, path); });
  }
  ~CallCounter() { set_fault_hook(nullptr); }
  CallCounter(const CallCounter&) = delete;
  CallCounter& operator=(const CallCounter&) = delete;

  const std::set<std::string>& calls() const { return calls_; }
  const std::optional<std::string>& failed() const { return failed_; }

 private:
  int ask(std::string_view operation, std::string_view path) {
    if (!path.starts_with(store_.native())) return 0;
    const std::lock_guard lock(mutex_);  // workers and the finisher ask
    const std::string name = call_name(store_, operation, path);
    calls_.insert(name);
    if (++count_ != failing_) return 0;
    failed_ = name;
    return error_number_;
  }

  const fs::path store_;
  const int failing_, error_number_;
  std::mutex mutex_;
  int count_ = 0;
  std::set<std::string> calls_;
  std::optional<std::string> failed_;
};

// What a build can do without: the cache, and tidying up after itself, which the next build does.
bool is_dispensable(const std::string& call) {
  return call.find(" cache/") != std::string::npos || call.ends_with(" cache") || call == "unlink tmp/*" ||
         call.starts_with("unlink plans/") || call.starts_with("rmdir plans/");
}

// A shard of the last snapshot that cannot be read is a damaged one: its rows are made anew.
bool is_healed(const std::string& call) { return call.starts_with("open shards/") || call.starts_with("read shards/"); }

std::string remedy_of(int error_number) {
  if (error_number == ENOSPC) return "No space left on device; free some space or name another file system";
  if (error_number == EIO) return "Input/output error; is the disk failing? see the system's log (dmesg), then run again";
  return "ermission denied; give this user ";
}

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

std::string build_with(CallCounter&, const BuildOptions& options) {
  return message_of([&] { build_quietly(options); });
}

void check_failure(const std::string& message, const fs::path& store, const std::string& call, int error_number) {
  if (message == "no error") {
    CHECK((is_dispensable(call) || is_healed(call)));
    return;
  }
  CHECK((message.starts_with("74 " + store.string() + "/") || message.starts_with("74 " + store.string() + ": ")));
  CHECK(message.find(remedy_of(error_number)) != std::string::npos);
}

}  // namespace

TEST_CASE("whichever call to the disk fails: exit 74, file and remedy named, the old snapshot stands, the next build succeeds") {
  const GrowingSet set;
  const BuildOptions clean = set.again("clean");
  std::set<std::string> all;
  {
    CallCounter counter(clean.store, 0, 0);
    REQUIRE(build_with(counter, clean) == "no error");
    all = counter.calls();
  }
  const std::set<std::string> wanted = shard_names(clean.store);
  const auto before = row_contents(set.folder / "first"), after = row_contents(clean.store);
  for (const int error_number : {ENOSPC, EIO, EACCES}) {
    std::set<std::string> failed;
    for (int failing = 1;; ++failing) {
      const BuildOptions options = set.again("store");
      std::string message, call;
      {
        CallCounter counter(options.store, failing, error_number);
        message = build_with(counter, options);
        if (!counter.failed()) break;
        call = *counter.failed();
      }
      CAPTURE(message);
      CAPTURE(call);
      failed.insert(call);
      check_failure(message, options.store, call, error_number);
      const auto seen = row_contents(options.store);
      CHECK((seen == before || seen == after));
      CHECK(message_of([&] { build_quietly(options); }) == "no error");
      CHECK(row_contents(options.store) == after);
      if (!is_healed(call)) CHECK(shard_names(options.store) == wanted);
      CHECK(fs::is_empty(options.store / "tmp"));
    }
    CHECK(std::includes(failed.begin(), failed.end(), all.begin(), all.end()));
  }
}

TEST_CASE("shards that were finished before a disk failed are used by the next build") {
  const GrowingSet set;
  BuildOptions options = set.small("new");
  options.recipe = "keras-yolo3";
  options.views = 1;
  int records = 0;
  set_fault_hook([&](std::string_view operation, std::string_view path) {
    return operation == "link" && path.find("/plans/") != std::string_view::npos && path.ends_with(".json") && ++records == 2 ? EIO : 0;
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
    return operation == "sync" && path.starts_with((options.store / "tmp").native()) && ++syncs == 2 ? EIO : 0;
  });
  const std::string message = message_of([&] { build_quietly(options); });
  set_fault_hook(nullptr);
  CHECK(message.find("cannot be made durable (fsync): Input/output error; is the disk failing?") != std::string::npos);
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
      CallCounter counter(options.store, failing, ENOSPC);
      message = build_with(counter, options);
      if (!counter.failed()) break;
      call = *counter.failed();
    }
    CAPTURE(call);
    check_failure(message, options.store, call, ENOSPC);
    if (message == "no error") continue;
    ++made;
    build_quietly(options);  // publishes, or finds nothing to do where only the sync of the new name was refused
    CHECK(Store::open(options.store).latest().value().generation == 1);
  }
  CHECK(made > 20);
}

}  // namespace letterpress
