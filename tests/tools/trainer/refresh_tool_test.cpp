// fit --refresh starts the program that draws new views, and ends it. What that does is tested with
// the other program; here a script is in its place.
#include "letterpress/base/file.h"
#include "tests/contains.h"
#include "tests/tools/trainer/trained_run.h"

using namespace letterpress;
namespace fs = std::filesystem;

namespace {

/// The trainer alone in a folder, beside it a script in place of letterpress-preprocess, if any.
struct Installed {
  TrainerBench bench{{.train = 8, .val = 2, .views = 2}};
  fs::path trainer = bench.folder / "bin/letterpress-trainer", told = bench.folder / "told";

  Installed() {
    fs::create_directory(bench.folder / "bin");
    fs::copy_file(program_path("letterpress-trainer"), trainer);
  }
  void add_script(const std::string& lines) const {
    const fs::path program = bench.folder / "bin/letterpress-preprocess";
    replace_file(program, "#!/bin/sh\n" + lines);
    fs::permissions(program, fs::perms::owner_all);
  }
  ProgramResult fit() const {
    std::vector<std::string> words =
        bench.fit_words("run", {"--snapshot", "follow", "--refresh", "2"});
    words.insert(words.begin(), {"/usr/bin/env", "PATH=/usr/bin:/bin", trainer.string()});
    return run(words);
  }
};

}  // namespace

TEST_CASE("fit --refresh runs letterpress-preprocess refresh beside it and ends it") {
  const Installed installed;
  const std::string told = installed.told.string();
  installed.add_script("echo \"$@\" >" + told + "\ntrap 'kill $!; echo ended >>" + told +
                       "; exit' TERM\ntail -f /dev/null &\nwait\n");
  const ProgramResult result = installed.fit();
  CHECK_MESSAGE(result.exit_code == 0, result.err);
  CHECK(read_file(installed.told) ==
        "refresh --store " + installed.bench.path("store") + " --follow --threads 2\nended\n");
}

TEST_CASE("where the program that draws views fails, the training goes on and says so") {
  const Installed installed;
  installed.add_script("echo broken >&2\nexit 74\n");
  const ProgramResult result = installed.fit();
  CHECK(result.exit_code == 0);
  CHECK_CONTAINS(result.err, "broken\n");
  CHECK_CONTAINS(result.err,
                 "the process of --refresh ended early: no view was drawn anew from then on");
}

TEST_CASE("--refresh of a store without views is refused before anything begins") {
  const TrainerBench bench{{.train = 8, .val = 2, .views = 0}};
  const ProgramResult result =
      trainer(bench.fit_words("run", {"--snapshot", "follow", "--refresh", "1"}));
  CHECK(result.exit_code == 78);
  CHECK_CONTAINS(result.err,
                 "--refresh 1: the store has no augmented views to draw anew; build it");
}

TEST_CASE("where there is no such program, nothing is begun") {
  const ProgramResult result = Installed().fit();
  CHECK(result.exit_code == 78);
  CHECK_CONTAINS(result.err,
                 "--refresh 2: letterpress-preprocess is neither beside this program nor in PATH; "
                 "install it, or leave --refresh out");
}
