// scripts/rebuild.sh with both programs, as cron runs it.
#include <doctest/doctest.h>

#include "letterpress/base/file.h"
#include "tests/contains.h"
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
    configure("epochs = 1\n");
    REQUIRE(preprocess(build_words(set)).exit_code == 0);
  }
  void configure(const std::string& more) const {
    set.folder.write("runs/fit.toml", "batch = 3\ndevice = \"cpu\"\n" + more);
  }
  /// A mail is kept as the file "sent".
  ProgramResult run_script() const {
    set.folder.write("sendmail", "#!/bin/sh\ncat > '" + (set.folder / "sent").string() + "'\n");
    fs::permissions(set.folder / "sendmail", fs::perms::owner_all);
    return run({"/usr/bin/env", "LETTERPRESS_PREPROCESS=" + program_path("letterpress-preprocess"),
                "LETTERPRESS_TRAINER=" + program_path("letterpress-trainer"),
                "TMPDIR=" + set.folder.path().string(),
                "PATH=" + set.folder.path().string() + ":/usr/bin:/bin",
                LETTERPRESS_SOURCE_DIR "/scripts/rebuild.sh", "--store", store.string(), "--train",
                runs.string(), "--mail", "a@example.org"});
  }
  void rebuild() const {
    const ProgramResult result = run_script();
    CHECK_FALSE(fs::exists(set.folder / "sent"));
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

TEST_CASE("a training that diverges is set aside and mailed, and the next run begins anew") {
  const Scheduled scheduled;
  scheduled.configure("lr = 1e5\nwarmup = 0\nepochs = 3\n");
  const ProgramResult result = scheduled.run_script();
  CHECK(result.exit_code == 65);
  CHECK_MESSAGE(result.out.starts_with("The training of "), result.out << result.err);
  const std::string sent = read_file(scheduled.set.folder / "sent");
  CHECK(sent.starts_with("To: a@example.org\nSubject: letterpress: the training of " +
                         scheduled.store.string() + " failed (65)\n\nThe training of "));
  CHECK_CONTAINS(sent, "This run was set aside as " + scheduled.runs.string() + "/");
  CHECK_CONTAINS(sent, ".failed. The next run of this script begins anew, from random weights.\n");
  CHECK_CONTAINS(sent, "The last lines of the training:\n");
  CHECK_FALSE(fs::exists(scheduled.runs / "current"));
  CHECK_FALSE(fs::is_symlink(scheduled.runs / "next"));

  scheduled.configure("epochs = 1\n");
  fs::remove(scheduled.set.folder / "sent");
  scheduled.rebuild();
  CHECK(fs::exists(scheduled.runs / scheduled.current() / "best.safetensors"));
}

TEST_CASE("a run that its new flags conflict with is set aside; what stops any run keeps it") {
  const Scheduled scheduled;
  const std::string unfinished = "epochs = 400\ntime-budget = 0.02\n";
  scheduled.configure(unfinished);
  scheduled.rebuild();
  const fs::path begun = fs::read_symlink(scheduled.runs / "next");
  REQUIRE(fs::exists(scheduled.runs / begun / "last.safetensors"));

  scheduled.configure(unfinished + "model = \"minigooglenet\"\n");
  const ProgramResult kept = scheduled.run_script();
  CHECK(kept.exit_code == 78);
  CHECK_CONTAINS(kept.out, "it cannot be resumed, nor can a new one be begun.\n");
  CHECK_CONTAINS(kept.out, "The next run of this script resumes " +
                               (scheduled.runs / begun).string() + ".\nIts flags are in " +
                               (scheduled.runs / "fit.toml").string() + ".\n");
  CHECK_CONTAINS(kept.out, "--model is \"minigooglenet\", was \"yolov3-tiny\" when the run was");
  CHECK_CONTAINS(kept.out,
                 "its labels are boxes, model minigooglenet gives whole pictures a class");
  CHECK(fs::read_symlink(scheduled.runs / "next") == begun);

  scheduled.configure(unfinished + "seed = 2\n");
  const ProgramResult aside = scheduled.run_script();
  CHECK(aside.exit_code == 78);
  CHECK_CONTAINS(aside.out, "it cannot be resumed, but a new one can be begun; were its flags");
  CHECK_CONTAINS(aside.out, "This run was set aside as " + (scheduled.runs / begun).string() +
                                ".failed. The next run of this script begins anew, from random");
  CHECK_CONTAINS(aside.out, "--seed is 2, was 1 when the run was begun");
  CHECK(fs::exists(scheduled.runs / (begun.string() + ".failed") / "last.safetensors"));
  CHECK_FALSE(fs::is_symlink(scheduled.runs / "next"));
  fs::remove(scheduled.set.folder / "sent");
  scheduled.rebuild();
  CHECK(fs::is_symlink(scheduled.runs / "next"));
}

TEST_CASE("a run whose store was made anew is set aside, and the next begins on the new store") {
  Scheduled scheduled;
  scheduled.set.picture("p9.png", 9);
  scheduled.set.list("train.txt",
                     read_file(scheduled.set.folder / "train.txt") + DrawnSet::line(9));
  scheduled.configure("epochs = 400\ntime-budget = 0.02\n");
  scheduled.rebuild();  // on snapshot 2
  fs::remove_all(scheduled.store);
  REQUIRE(preprocess(build_words(scheduled.set)).exit_code == 0);
  const ProgramResult aside = scheduled.run_script();
  CHECK(aside.exit_code == 66);
  CHECK_CONTAINS(aside.out, "or was the store made anew?\n");
  CHECK_CONTAINS(aside.out, "has no snapshot 2 any more, on which the run was begun");
  scheduled.configure("epochs = 1\n");
  fs::remove(scheduled.set.folder / "sent");
  scheduled.rebuild();
  CHECK(fs::exists(scheduled.runs / scheduled.current() / "best.safetensors"));
}

TEST_CASE("fit --init knows a class by the name that the store gave it since") {
  const Scheduled scheduled;
  const auto fit = [&](const std::string& out, std::vector<std::string> more) {
    more.insert(more.begin(), {"fit", "--store", scheduled.store.string(), "--out",
                               (scheduled.runs / out).string(), "--epochs", "1", "--batch", "3",
                               "--device", "cpu"});
    const ProgramResult result = trainer(more);
    CHECK_MESSAGE(result.exit_code == 0, result.err);
    return result.out + result.err;
  };
  const std::string renamed =
      "class dog of the start weights is hound in the store (build --rename-class)";
  const std::string init = (scheduled.runs / "first").string();
  fit("first", {});
  CHECK(!contains(fit("second", {"--init", init}), renamed));
  REQUIRE(preprocess({"build", "--store", scheduled.store.string(), "--rename-class", "dog=hound"})
              .exit_code == 0);
  CHECK_CONTAINS(fit("third", {"--init", init}), renamed);
}
