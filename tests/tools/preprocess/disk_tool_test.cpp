// What a user may not write or read, and a store that lies elsewhere than its pictures.
#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <optional>

#include "tests/bound_user.h"
#include "tests/preprocess/published_files.h"
#include "tests/skip.h"
#include "tests/tools/preprocess/preprocess_tool.h"

namespace letterpress {
namespace {

namespace fs = std::filesystem;

// letterpress-preprocess as a user whom modes bind: the superuser becomes nobody first. None where
// that cannot be.
std::optional<std::vector<std::string>> bound_program() {
  std::vector<std::string> words{program_path("letterpress-preprocess")};
  if (geteuid() != 0) return words;
  const std::string setpriv = "/usr/bin/setpriv";
  if (!fs::exists(setpriv)) return std::nullopt;
  words.insert(words.begin(), {setpriv, "--reuid=65534", "--regid=65534", "--clear-groups"});
  std::vector<std::string> trial = words;
  trial.push_back("--version");
  if (run(trial).exit_code != 0) return std::nullopt;  // it may not reach the program, for instance
  return words;
}

// Three pictures in a folder that may only be read, and a place for the store where that user may
// write.
struct BoundUser {
  BoundUser() : program(bound_program()) {
    if (!program)
      skip("no user here whom modes bind; install setpriv or do not test as the superuser");
    set.pictures(3);
    fs::permissions(set.folder.path(), fs::perms(0755));
    fs::permissions(place.path(), fs::perms(0777));
  }
  fs::path store() const { return place / "store"; }
  ProgramResult build(const std::vector<std::string>& more = {}) const {
    std::vector<std::string> words = *program;
    std::vector<std::string> flags = build_words(set, more);
    flags[2] = store().string();
    words.insert(words.end(), flags.begin(), flags.end());
    return run(words);
  }
  std::string info() const {
    return preprocess({"info", "--store", store().string(), "--json"}).last_line();
  }

  DrawnSet set;
  TempDir place;
  std::optional<std::vector<std::string>> program;
};

}  // namespace

TEST_CASE("a folder of pictures that may only be read is built from, and nothing is written there" *
          doctest::test_suite("needs setpriv")) {
  const BoundUser user;
  if (!user.program) return;
  const Mode only_read(user.set.folder.path(), fs::perms(0555));
  const auto before = listing(user.set.folder.path());
  const ProgramResult result = user.build();
  CAPTURE(result.err);
  CHECK(result.exit_code == 0);
  CHECK(result.out.find("pictures found 3 = stored 3") != std::string::npos);
  CHECK(listing(user.set.folder.path()) == before);
}

TEST_CASE("refresh --follow of a store that may only be read does not wait for runs" *
          doctest::test_suite("needs setpriv")) {
  BoundUser user;
  if (!user.program) return;
  REQUIRE(user.build().exit_code == 0);
  const Mode only_read(user.store() / "tmp", fs::perms(0555));
  std::vector<std::string> words = *user.program;
  words.insert(words.end(), {"refresh", "--store", user.store().string(), "--follow"});
  const ProgramResult result = run(words);
  CAPTURE(result.err);
  CHECK(result.exit_code == 74);
  CHECK(result.err.find((user.store() / "tmp").string() +
                        ": no file can be created in it: Permission denied") != std::string::npos);
}

TEST_CASE("where no thread may be started, that is told, and nothing is published" *
          doctest::test_suite("needs setpriv")) {
  BoundUser user;
  if (!user.program) return;
  // A sanitizer's look for leaks takes a thread, too.
  const std::vector<std::string> bound{"/usr/bin/env", "ASAN_OPTIONS=detect_leaks=0",
                                       "/usr/bin/prlimit", "--nproc=1"};
  user.program->insert(user.program->end() - 1, bound.begin(), bound.end());
  const ProgramResult result = user.build({"--threads", "2"});
  CAPTURE(result.err);
  CHECK(result.exit_code == 74);
  CHECK(result.err.find("a thread: cannot be started: Resource temporarily unavailable; raise the "
                        "limit of processes") != std::string::npos);
  CHECK(!fs::exists(user.store() / "snapshots/00000001.json"));
}

TEST_CASE(
    "a store whose folders may not be written to: exit 74, the folder and what to do, the old "
    "snapshot stands" *
    doctest::test_suite("needs setpriv")) {
  BoundUser user;
  if (!user.program) return;
  REQUIRE(user.build().exit_code == 0);
  const std::string before = user.info();
  user.set.pictures(5);
  // In the order in which a build comes to them: what one run has finished the next one does not
  // write again.
  for (const char* folder : {"plans", "tmp", "shards", "snapshots"}) {
    CAPTURE(folder);
    const Mode only_read(user.store() / folder, fs::perms(0555));
    const ProgramResult result = user.build();
    CAPTURE(result.err);
    CHECK(result.exit_code == 74);
    CHECK(result.err.find("letterpress-preprocess build: " + (user.store() / folder).string()) !=
          std::string::npos);
    CHECK(
        result.err.find("Permission denied; give this user write access or name another folder") !=
        std::string::npos);
    CHECK(user.info() == before);
    CHECK(preprocess({"verify", "--deep", "--store", user.store().string()}).exit_code == 0);
  }
  CHECK(user.build().exit_code == 0);
  CHECK(Store::open(user.store()).generations() == std::vector<std::int64_t>{1, 2});
}

TEST_CASE("a store may not be made where this user may not write: exit 74, nothing is left" *
          doctest::test_suite("needs setpriv")) {
  const BoundUser user;
  if (!user.program) return;
  const Mode only_read(user.place.path(), fs::perms(0555));
  const ProgramResult result = user.build();
  CHECK(result.exit_code == 74);
  CHECK(result.err.find(
            user.store().string() +
            ": folder cannot be created: Permission denied; give this user write access") !=
        std::string::npos);
  CHECK(fs::is_empty(user.place.path()));
}

TEST_CASE("a picture that this user may not read is a reject that says so; the others are stored" *
          doctest::test_suite("needs setpriv")) {
  const BoundUser user;
  if (!user.program) return;
  const Mode closed(user.set.folder / "p1.png", fs::perms::none);
  CHECK(user.build().exit_code == 65);
  const ProgramResult result = user.build({"--max-rejects", "100%"});
  CAPTURE(result.err);
  CHECK(result.exit_code == 0);
  CHECK(result.out.find("pictures found 3 = stored 2") != std::string::npos);
  CHECK(file_text(user.store() / "quarantine.jsonl")
            .find("p1.png: cannot be read: permission denied; give this user access to it") !=
        std::string::npos);
}

TEST_CASE("a store on another file system than its pictures is the same store" *
          doctest::test_suite("needs shared memory")) {
  DrawnSet set;
  set.pictures(4);
  struct stat here {
  }, there{};
  const fs::path shared_memory = "/dev/shm";
  const bool other = ::stat(set.folder.path().c_str(), &here) == 0 &&
                     ::stat(shared_memory.c_str(), &there) == 0 && here.st_dev != there.st_dev &&
                     ::access(shared_memory.c_str(), W_OK) == 0;
  if (!other) return skip("no writable /dev/shm beside the temporary folder's file system");
  std::string name = (shared_memory / "letterpress-test-XXXXXX").string();
  REQUIRE(mkdtemp(name.data()));
  const fs::path store = fs::path(name) / "store";
  std::vector<std::string> words = build_words(set);
  CHECK(preprocess(words).exit_code == 0);
  words[2] = store.string();
  const ProgramResult result = preprocess(words);
  CAPTURE(result.err);
  CHECK(result.exit_code == 0);
  set.pictures(6);
  CHECK(preprocess(words).exit_code == 0);  // a second one beside the first
  words[2] = (set.folder / "store").string();
  CHECK(preprocess(words).exit_code == 0);
  CHECK(preprocess({"verify", "--deep", "--store", store.string()}).exit_code == 0);
  CHECK(published_files(store) == published_files(set.folder / "store"));
  fs::remove_all(name);
}

}  // namespace letterpress
