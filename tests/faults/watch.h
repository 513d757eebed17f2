#pragma once
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

namespace letterpress::faults {

// A library for LD_PRELOAD that stands between a program and the C library's calls to files
// (calls.cpp). It watches those about files below one folder, numbers them from 1, and at one
// number does what it is told. By environment variables, all with the prefix LETTERPRESS_FAULTS_:
//   BELOW  the folder, absolute; without it nothing is watched
//   CALLS  changes: what creates, writes, syncs, links, renames, removes; all: reads and stats, too
//   AT     the number of the call to disturb; 0 or absent: none
//   HOW    kill: dies by SIGKILL before the call;  half: dies when half of a write is done, of the
//          first one from this number on, as threads take turns in another order in each run;
//          hang: the call never returns;  skip: returns success and does nothing;  short: reads or
//          writes half of the bytes; else an errno as a number: the call fails with it, once
//   LOG    a file; each watched call that was made is appended to it as a line of fields separated
//          by tabs: number, operation, "ok" or errno, inode, size, offset, bytes as hex, path,
//          other path. Bytes only with DATA=1. A disturbed call is logged with HOW in place of
//          "ok".
// And whatever is watched, LETTERPRESS_FAULTS_NO_TYPES makes readdir say DT_UNKNOWN of each entry,
// as some file systems do.

/// One watched call. Numbers that do not apply are -1.
struct Call {
  const char* operation;
  bool changes = false;  ///< of the file system, or makes a change durable
  std::string path;      ///< absolute
  std::string other{};   ///< the second path of link and rename
  int descriptor = -1;
  std::int64_t size = -1, offset = -1;  ///< bytes
  const char* bytes = nullptr;          ///< of a write
};

/// What is to happen instead of the call.
enum class Verdict { make, fail, skip, halve, halve_and_die };

/// `path` as an absolute one, relative to `folder` (a descriptor, or AT_FDCWD).
std::string absolute(int folder, const char* path);
/// Of an open file, "" of what is none (a pipe, a socket).
std::string path_of(int descriptor);
bool is_watched(std::string_view path);
/// Whether the watch is on and this thread is not in a watched call already.
bool is_active();

/// Lives as long as the call is made: calls are made one after the other, so that their order in
/// the log is that of their effects.
class Watched {
 public:
  explicit Watched(Call call);
  ~Watched();
  Watched(const Watched&) = delete;
  Watched& operator=(const Watched&) = delete;
  Verdict verdict() const { return verdict_; }  ///< errno is set for `fail`
  /// After the call: its result in bytes, or -1 with errno set.
  void made(std::int64_t result);
  void found_name(std::string path) { call_.path = std::move(path); }  ///< that the call chose

 private:
  std::unique_lock<std::mutex> lock_;
  Call call_;
  bool counted_ = false;
  Verdict verdict_ = Verdict::make;
};

}  // namespace letterpress::faults
