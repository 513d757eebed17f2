// scripts/rebuild.sh --train, with a stand-in for letterpress-trainer.
#include <doctest/doctest.h>

#include "tests/contains.h"
#include "tests/tools/preprocess/scheduled.h"

namespace letterpress {
namespace {

// A store and a stand-in for letterpress-trainer: it notes its words, makes what a run makes,
// prints what is in the file `says`, and fails while there is a file `failing` or `diverging`.
struct Trained {
  Scheduled scheduled;
  std::filesystem::path folder = scheduled.set.folder.path(), runs = folder / "runs";
  std::string fit = "fit --store " + scheduled.store + " --out " + runs.string() + "/";

  Trained() {
    scheduled.build();
    write("trainer", "#!/bin/sh\necho \"$@\" >> '" + (folder / "calls").string() + "'\n[ ! -e '" +
                         (folder / "failing").string() +
                         "' ] || { echo no disk; exit 74; }\nmkdir -p \"$5\"; touch "
                         "\"$5/best.safetensors\"\ncd '" +
                         folder.string() + "'; cat says; [ ! -e diverging ] || exit 65\n");
    std::filesystem::permissions(folder / "trainer", std::filesystem::perms::owner_all);
    write("says", "{\"ending\":\"complete\"}\n");
  }
  void write(const std::string& name, const std::string& text) const {
    scheduled.set.folder.write(name, text);
  }
  ProgramResult rebuild() const {
    return scheduled.rebuild({"--store", scheduled.store, "--train", runs.string()});
  }
  std::string link(const std::string& name) const {
    return std::filesystem::read_symlink(runs / name).string();
  }
  /// Since it was last asked.
  std::string calls() const {
    const std::string text = file_text(folder / "calls");
    std::filesystem::remove(folder / "calls");
    return text;
  }
};

}  // namespace

TEST_CASE(
    "--train: a run after each rebuild from the last one's weights; one that was stopped is "
    "resumed") {
  const Trained trained;
  CHECK(trained.rebuild().exit_code == 0);
  const std::string first = trained.link("current");
  CHECK(trained.calls() == trained.fit + first + " --if-new --resume --json\n");
  CHECK_FALSE(std::filesystem::is_symlink(trained.runs / "next"));
  trained.write("failing", "");
  trained.write("runs/fit.toml", "epochs = 3\n");
  std::filesystem::create_symlink("second", trained.runs / "next");
  const ProgramResult stopped = trained.rebuild();
  CHECK(stopped.exit_code == 74);
  CHECK(stopped.out.starts_with("The training of " + trained.scheduled.store + " on "));
  CHECK(contains(stopped.out, "The next run of this script resumes " + trained.runs.string() +
                                  "/second.\n\nThe last lines of the training:\n  no disk\n"));
  CHECK(trained.link("current") == first);
  std::filesystem::remove(trained.folder / "failing");
  (void)trained.calls();
  CHECK(trained.rebuild().exit_code == 0);
  CHECK(trained.calls() == trained.fit + "second --if-new --resume --json --config " +
                               trained.runs.string() + "/fit.toml --init " + trained.runs.string() +
                               "/current\n");
  CHECK(trained.link("current") == "second");
  // Out of time: not the current one yet, and resumed.
  std::filesystem::create_symlink("third", trained.runs / "next");
  trained.write("says", "{\"ending\":\"out of time\",\"epochs\":1}\n");
  CHECK(trained.rebuild().exit_code == 0);
  CHECK(trained.link("next") == "third");
  CHECK(trained.link("current") == "second");
}

TEST_CASE(
    "--train: a run that ends with 65, whatever it prints, is set aside, and the next begins anew "
    "from the last good one") {
  const Trained trained;
  const std::string runs = trained.runs.string();
  std::filesystem::create_directory(trained.runs);
  std::filesystem::create_symlink("first", trained.runs / "next");
  trained.write("diverging", "");
  trained.write("says", "step 17: the loss is nan\n{\"ending\":\"complete\"}\n");
  const ProgramResult diverged = trained.rebuild();
  CHECK(diverged.exit_code == 65);
  CHECK(contains(diverged.out, "the training diverged, or the store or a checkpoint is damaged"));
  CHECK(contains(diverged.out, "This run was set aside as " + runs +
                                   "/first.failed. The next run of this script begins anew, from "
                                   "random weights.\n"));
  CHECK(contains(diverged.out, "\n  step 17: the loss is nan\n"));
  CHECK(std::filesystem::exists(trained.runs / "first.failed/best.safetensors"));
  CHECK_FALSE(std::filesystem::exists(trained.runs / "first"));
  CHECK_FALSE(std::filesystem::is_symlink(trained.runs / "next"));
  CHECK_FALSE(std::filesystem::is_symlink(trained.runs / "current"));

  std::filesystem::remove(trained.folder / "diverging");
  CHECK(trained.rebuild().exit_code == 0);
  const std::string good = trained.link("current");
  CHECK(good != "first");
  std::filesystem::create_symlink("third", trained.runs / "next");
  trained.write("diverging", "");
  CHECK(
      contains(trained.rebuild().out, "begins anew, from the weights of " + runs + "/current.\n"));
  CHECK(trained.link("current") == good);
  CHECK_FALSE(std::filesystem::is_symlink(trained.runs / "next"));
  std::filesystem::remove(trained.folder / "diverging");
  (void)trained.calls();
  std::filesystem::create_symlink("fourth", trained.runs / "next");
  CHECK(trained.rebuild().exit_code == 0);
  CHECK(trained.calls() ==
        trained.fit + "fourth --if-new --resume --json --init " + runs + "/current\n");
  CHECK(trained.link("current") == "fourth");
}

}  // namespace letterpress
