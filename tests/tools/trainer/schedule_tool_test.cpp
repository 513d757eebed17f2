// scripts/rebuild.sh with both programs, as cron runs it.
#include <doctest/doctest.h>

#include "letterpress/base/file.h"
#include "tests/tools/preprocess/preprocess_tool.h"
#include "tests/tools/trainer/trained_run.h"

using namespace letterpress;
namespace fs = std::filesystem;

namespace {

/// A store of a drawn set, and a folder of runs with a small training's flags.
struct Scheduled {
  DrawnSet set;
  fs::path store = set.folder / "store", runs = set.folder / "runs";

  Scheduled() {
    set.pictures(6);
    set.folder.write("runs/fit.toml", "batch = 3\nepochs = 1\ndevice = \"cpu\"\n");
    REQUIRE(preprocess(build_words(set)).exit_code == 0);
  }
  void rebuild() const {
    const ProgramResult result =
        run({"/usr/bin/env", "LETTERPRESS_PREPROCESS=" + program_path("letterpress-preprocess"),
             "LETTERPRESS_TRAINER=" + program_path("letterpress-trainer"),
             "TMPDIR=" + set.folder.path().string(), LETTERPRESS_SOURCE_DIR "/scripts/rebuild.sh",
             "--store", store.string(), "--train", runs.string()});
    REQUIRE_MESSAGE(result.exit_code == 0, result.out << result.err);
    CHECK(result.out + result.err == "");  // cron mails nothing
  }
  fs::path current() const { return fs::read_symlink(runs / "current"); }
  std::int64_t trained() const {
    std::int64_t n = 0;
    for (const auto& entry : fs::directory_iterator(runs))
      n += !entry.is_symlink() && fs::exists(entry.path() / "best.safetensors");
    return n;
  }
};

}  // namespace

TEST_CASE(
    "cron's rebuild trains if the snapshot changed, from the last run's weights, and only then") {
  Scheduled scheduled;
  scheduled.rebuild();
  const fs::path first = scheduled.current();
  CHECK(scheduled.trained() == 1);
  CHECK_FALSE(fs::exists(scheduled.runs / first / "start_weights.txt"));
  CHECK_FALSE(fs::is_symlink(scheduled.runs / "next"));

  scheduled.rebuild();
  CHECK(scheduled.current() == first);
  CHECK(scheduled.trained() == 1);

  scheduled.set.picture("p9.png", 9);
  scheduled.set.list("train.txt",
                     read_file(scheduled.set.folder / "train.txt") + DrawnSet::line(9));
  scheduled.rebuild();
  CHECK(Store::open(scheduled.store).latest().value().generation == 2);
  const fs::path second = scheduled.current();
  CHECK(second != first);
  CHECK(scheduled.trained() == 2);
  CHECK(fs::exists(scheduled.runs / second / "start_weights.txt"));

  const std::vector<std::string> words{"fit",
                                       "--store",
                                       scheduled.store.string(),
                                       "--out",
                                       (scheduled.runs / "by hand").string(),
                                       "--init",
                                       (scheduled.runs / "current").string(),
                                       "--if-new"};
  const ProgramResult known = trainer(words);
  CHECK(known.exit_code == 0);
  CHECK_MESSAGE(known.out.find("snapshot 2 of " + scheduled.store.string() +
                               " was trained on already, by ") == 0,
                known.out);
  CHECK(known.out.ends_with("; nothing to do\n"));
  CHECK_FALSE(fs::exists(scheduled.runs / "by hand"));
}
