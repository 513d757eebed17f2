// scripts/rebuild.sh where the store is not there.
#include <doctest/doctest.h>

#include <filesystem>

#include "tests/contains.h"
#include "tests/tools/preprocess/scheduled.h"

namespace letterpress {

TEST_CASE("a store that is not there is a disk that is not mounted: 66, and no snapshot stands") {
  const Scheduled scheduled;
  const std::string absent = scheduled.set.folder.path().string() + "/absent",
                    empty = scheduled.set.folder.path().string() + "/empty";
  std::filesystem::create_directory(empty);
  for (const std::string& store : {absent, empty}) {
    CAPTURE(store);
    const ProgramResult result = scheduled.rebuild({"--store", store, "--", "--max-drift", "20%"});
    CHECK(result.exit_code == 66);
    CHECK(contains(result.out, "with exit code 66: there is no store at " + store +
                                   ": is a disk not mounted?\n\nThe last lines"));
    CHECK_FALSE(contains(result.out, "snapshot stands"));
    CHECK_FALSE(contains(result.out, "the flags are wrong"));
  }
  CHECK_FALSE(std::filesystem::exists(absent));
  CHECK(std::filesystem::is_empty(empty));
  // With --input it is a first build.
  const ProgramResult first =
      scheduled.rebuild({"--store", empty, "--", "--input", "a", "--size", "x"});
  CHECK(first.exit_code == 64);
  CHECK(contains(first.out, "exit code 64: the flags are wrong.\n"));

  scheduled.build();
  std::filesystem::remove(scheduled.store + "/FORMAT");
  const ProgramResult unmarked = scheduled.rebuild({"--store", scheduled.store});
  CHECK(unmarked.exit_code == 64);
  CHECK(contains(unmarked.out, "exit code 64: the store's file FORMAT is missing.\n\nThe last"));
}

TEST_CASE(
    "no new store is begun, with --input either, where a page or a training shows an old one") {
  const Scheduled scheduled;
  const std::string page = (scheduled.set.folder / "page.html").string(),
                    runs = (scheduled.set.folder / "runs").string();
  std::vector<std::string> words{"--store", scheduled.store, "--report", page, "--"};
  const std::vector<std::string> build = build_words(scheduled.set);
  words.insert(words.end(), build.begin() + 3, build.end());  // without "build --store STORE"
  CHECK(scheduled.rebuild(words).exit_code == 0);             // the first, with --input
  std::filesystem::remove_all(scheduled.store);
  const auto refused = [&](const std::string& left) {
    const ProgramResult result = scheduled.rebuild(words);
    CHECK(result.exit_code == 66);
    CHECK_MESSAGE(contains(result.out, "with exit code 66: there is no store at " +
                                           scheduled.store + ", though " + left +
                                           " is there: is a disk not mounted?\nIf it is gone for "
                                           "good, build it once by hand: " +
                                           scheduled.program + " build --store "),
                  result.out);
    CHECK_FALSE(std::filesystem::exists(scheduled.store));
  };
  refused(page);
  std::filesystem::permissions(scheduled.set.folder.write("trainer", "#!/bin/sh\nexit 70\n"),
                               std::filesystem::perms::owner_all);
  std::filesystem::create_directory(runs);
  std::filesystem::create_symlink("20261128-120000", runs + "/next");
  words[2] = "--train";
  words[3] = runs;
  refused(runs + "/next");
}

}  // namespace letterpress
