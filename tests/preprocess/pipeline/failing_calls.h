#pragma once
#include <doctest/doctest.h>

#include <cerrno>
#include <filesystem>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "letterpress/base/fault_hook.h"
#include "tests/message_of.h"

namespace letterpress {

/// "write tmp/*": a call and what it is about, with the names that differ from run to run left out.
inline std::string call_name(const std::filesystem::path& root, std::string_view operation,
                             const std::filesystem::path& path) {
  const std::filesystem::path below = path.lexically_relative(root);
  std::filesystem::path name;
  for (const std::filesystem::path& part : below) {
    const std::string text = part.string();
    const bool is_unique =
        text != "." && text.find_first_not_of("0123456789.-") == std::string::npos;
    if (text.starts_with("making-") || text.starts_with("new-")) {
      name /= text.substr(0, text.find('-') + 1) + "*";
    } else {
      name /= is_unique || name.filename() == "tmp" ? "*" : text;
    }
  }
  return std::string(operation) + " " + name.string();
}

/// Which call is to fail, and how.
struct Failure {
  std::string call{};    ///< as call_name() has it; empty: any
  int number = 0;        ///< of these, from 1; 0: none fails
  int error_number = 0;  ///< errno
};

/// Counts every call of the program about files below `root` while it lives, and makes one of them
/// fail.
class CallCounter {
 public:
  CallCounter(std::filesystem::path root, Failure failure)
      : root_(std::move(root)), failure_(std::move(failure)) {
    set_fault_hook(
        [this](std::string_view operation, std::string_view path) { return ask(operation, path); });
  }
  ~CallCounter() { set_fault_hook(nullptr); }
  CallCounter(const CallCounter&) = delete;
  CallCounter& operator=(const CallCounter&) = delete;

  const std::map<std::string, int>& calls() const { return calls_; }  ///< name -> how often
  const std::optional<std::string>& failed() const { return failed_; }

 private:
  int ask(std::string_view operation, std::string_view path) {
    if (!path.starts_with(root_.native())) return 0;
    const std::lock_guard lock(mutex_);  // workers and the finisher ask
    const std::string name = call_name(root_, operation, path);
    const int of_name = ++calls_[name];
    const int number = ++count_;
    const bool fails = failure_.call.empty() ? number == failure_.number
                                             : name == failure_.call && of_name == failure_.number;
    if (!fails) return 0;
    failed_ = name;
    return failure_.error_number;
  }

  const std::filesystem::path root_;
  const Failure failure_;
  std::mutex mutex_;
  int count_ = 0;
  std::map<std::string, int> calls_;
  std::optional<std::string> failed_;
};

/// "sync plans/<digest>": a published plan is removed after it, or by the next build.
inline bool is_of_plan_folder(const std::string& call) {
  constexpr std::string_view kOpen = "open plans/", kSync = "sync plans/";
  return (call.starts_with(kOpen) || call.starts_with(kSync)) &&
         call.find('/', kOpen.size()) == std::string::npos;
}

/// What a build can do without: the cache, and tidying up after itself, which the next build does.
inline bool is_dispensable(const std::string& call) {
  return call.find(" cache/") != std::string::npos || call.ends_with(" cache") ||
         call == "unlink tmp/*" || call.starts_with("unlink plans/") ||
         call.starts_with("rmdir plans/") || call.ends_with("/terms.json") ||
         is_of_plan_folder(call);
}

/// A shard of the last snapshot that cannot be read is a damaged one: its rows are made anew.
inline bool is_healed(const std::string& call) {
  return call.starts_with("open shards/") || call.starts_with("read shards/");
}

inline std::string remedy_of(int error_number) {
  if (error_number == ENOSPC)
    return "No space left on device; free some space or inodes (df, df -i), or name another file "
           "system";
  if (error_number == EIO)
    return "Input/output error; is the disk failing? see the system's log (dmesg), then run again";
  return "ermission denied; give this user ";
}

/// A failure names a file below `root` and the remedy, with exit 74.
inline void check_told(const std::string& message, const std::filesystem::path& root,
                       int error_number) {
  CHECK((message.starts_with("74 " + root.string() + "/") ||
         message.starts_with("74 " + root.string() + ": ")));
  CHECK(message.find(remedy_of(error_number)) != std::string::npos);
}

/// Work on files below `root`.
struct DiskWork {
  std::filesystem::path root;
  std::function<void()> prepare;      ///< the state before, whatever was there
  std::function<void()> run;          ///< also what is run again after a failure
  std::function<std::string()> seen;  ///< by a reader, who checks all of it
  std::function<bool(const std::string& call)>
      goes_on{};  ///< calls whose failure need not stop the work; empty: none
  std::function<void(const std::string& call)>
      check_done{};  ///< of what a reader does not see, after that call had failed
};

/// One of the calls of `work` fails: exit 74 tells the file and the remedy, what is seen is the
/// state `before` or the one `after`, and the next run succeeds. False when there was no such call
/// this time.
inline bool check_failing(const DiskWork& work, const Failure& failure, const std::string& before,
                          const std::string& after) {
  work.prepare();
  std::string message;
  {
    CallCounter counter(work.root, failure);
    message = message_of(work.run);
    if (!counter.failed()) return false;
  }
  CAPTURE(message);
  CAPTURE(failure.call);
  CAPTURE(failure.number);
  if (message != "no error") {
    check_told(message, work.root, failure.error_number);
  } else {
    CHECK((work.goes_on && work.goes_on(failure.call)));
  }
  const std::string now = work.seen();
  CHECK((now == before || now == after));
  CHECK(message_of(work.run) == "no error");
  CHECK(work.seen() == after);
  if (work.check_done) work.check_done(failure.call);
  return true;
}

/// Makes each call of `work` fail, with one error or another, and returns their names. By name and
/// number, as a thread of its own that publishes what is finished changes the order of all of them.
inline std::set<std::string> fail_each_call(const DiskWork& work) {
  work.prepare();
  const std::string before = work.seen();
  std::map<std::string, int> calls;
  {
    CallCounter counter(work.root, {});
    REQUIRE(message_of(work.run) == "no error");
    calls = counter.calls();
  }
  const std::string after = work.seen();
  const std::vector<int> error_numbers{ENOSPC, EIO, EACCES};
  std::size_t next = 0;
  std::set<std::string> names;
  for (const auto& [name, n] : calls) {
    int failed = 0;
    for (int number = 1; number <= n; ++number) {
      failed += check_failing(work, {name, number, error_numbers[next++ % error_numbers.size()]},
                              before, after)
                    ? 1
                    : 0;
    }
    CAPTURE(name);
    CHECK(failed > 0);
    names.insert(name);
  }
  return names;
}

}  // namespace letterpress
