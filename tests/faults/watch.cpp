#include "watch.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdlib>
#include <filesystem>

namespace letterpress::faults {
namespace {

std::string setting(const char* name) {
  const char* const text = std::getenv((std::string("LETTERPRESS_FAULTS_") + name).c_str());
  return text ? text : "";
}

// What the environment says, read once. Never destroyed: calls are made until the process ends.
struct Settings {
  std::string below = setting("BELOW"), how = setting("HOW");
  bool all = setting("CALLS") == "all", data = setting("DATA") == "1";
  std::int64_t at = std::atoll(setting("AT").c_str());
  int log = -1;
  std::int64_t count = 0;
  std::mutex mutex;

  Settings() {
    const std::string name = setting("LOG");
    if (below.empty() || name.empty()) return;
    log = static_cast<int>(syscall(SYS_openat, AT_FDCWD, name.c_str(),
                                   O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644));
  }
};

Settings& settings() {
  static Settings* const made = new Settings;
  return *made;
}

thread_local bool inside = false;

std::string hex(const char* bytes, std::int64_t n) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (std::int64_t i = 0; i < n; ++i) {
    const auto byte = static_cast<unsigned char>(bytes[i]);
    text += kDigits[byte >> 4];
    text += kDigits[byte & 15];
  }
  return text;
}

std::uint64_t inode_of(const Call& call) {
  struct stat status {};
  const int failed =
      call.descriptor >= 0
          ? static_cast<int>(syscall(SYS_fstat, call.descriptor, &status))
          : static_cast<int>(syscall(SYS_newfstatat, AT_FDCWD,
                                     (call.other.empty() ? call.path : call.other).c_str(), &status,
                                     AT_SYMLINK_NOFOLLOW));
  return failed ? 0 : status.st_ino;
}

void append_to_log(const Call& call, const std::string& how, std::int64_t done) {
  const Settings& all = settings();
  if (all.log < 0) return;
  const std::string bytes = all.data && call.bytes && done > 0 ? hex(call.bytes, done) : "";
  std::string line =
      std::to_string(all.count) + "\t" + call.operation + "\t" + how + "\t" +
      std::to_string(inode_of(call)) + "\t" + std::to_string(call.bytes ? done : call.size) + "\t" +
      std::to_string(call.offset) + "\t" + bytes + "\t" + call.path + "\t" + call.other + "\n";
  for (std::size_t at = 0; at < line.size();) {
    const long n = syscall(SYS_write, all.log, line.data() + at, line.size() - at);
    if (n <= 0) abort();  // a log that lacks a line proves nothing
    at += static_cast<std::size_t>(n);
  }
}

[[noreturn]] void die() {
  kill(getpid(), SIGKILL);
  for (;;) pause();
}

}  // namespace

std::string path_of(int descriptor) {
  std::array<char, PATH_MAX> target{};
  const std::string link = "/proc/self/fd/" + std::to_string(descriptor);
  const long n = syscall(SYS_readlinkat, AT_FDCWD, link.c_str(), target.data(), target.size() - 1);
  if (n <= 0 || target[0] != '/') return "";
  return {target.data(), static_cast<std::size_t>(n)};
}

std::string absolute(int folder, const char* path) {
  if (!path) return "";
  std::filesystem::path name(path);
  if (name.is_relative()) {
    std::array<char, PATH_MAX> here{};
    if (folder == AT_FDCWD && syscall(SYS_getcwd, here.data(), here.size()) < 0) return "";
    name = (folder == AT_FDCWD ? std::string(here.data()) : path_of(folder)) / name;
  }
  std::string normal = name.lexically_normal().string();
  if (normal.size() > 1 && normal.ends_with('/')) normal.pop_back();
  return normal;
}

bool is_watched(std::string_view path) {
  const std::string& below = settings().below;
  return !below.empty() && path.starts_with(below) &&
         (path.size() == below.size() || path[below.size()] == '/');
}

bool is_active() { return !inside && !settings().below.empty(); }

Watched::Watched(Call call) : lock_(settings().mutex), call_(std::move(call)) {
  inside = true;
  Settings& all = settings();
  counted_ = call_.changes || all.all;
  if (!counted_) return;
  ++all.count;
  const bool many = call_.size > 1;
  if (all.how == "half") {
    if (all.at > 0 && all.count >= all.at && many && call_.bytes) verdict_ = Verdict::halve_and_die;
    return;
  }
  if (all.count != all.at) return;
  if (all.how == "kill") {
    append_to_log(call_, all.how, 0);
    die();
  }
  if (all.how == "hang") {
    append_to_log(call_, all.how, 0);
    lock_.unlock();  // other threads go on
    for (;;) pause();
  }
  if (all.how == "skip") {
    verdict_ = Verdict::skip;
  } else if (all.how == "short") {
    verdict_ = many ? Verdict::halve : Verdict::make;
  } else {
    verdict_ = Verdict::fail;
    errno = std::atoi(all.how.c_str());
  }
}

void Watched::made(std::int64_t result) {
  const int error_number = errno;
  if (counted_) {
    const std::string end = result < 0 ? std::to_string(error_number) : "ok";
    append_to_log(call_, verdict_ == Verdict::make ? end : settings().how, result);
  }
  if (verdict_ == Verdict::halve_and_die) die();
  errno = error_number;
}

Watched::~Watched() { inside = false; }

}  // namespace letterpress::faults
