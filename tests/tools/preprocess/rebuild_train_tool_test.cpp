// scripts/rebuild.sh --train, with a stand-in for letterpress-trainer.
#include <doctest/doctest.h>

#include "tests/contains.h"
#include "tests/tools/preprocess/scheduled.h"

namespace letterpress {
namespace {

// A store and a stand-in for letterpress-trainer: it notes its words, makes what a run makes,
// prints what is in the file `says`, and fails while there is a file `failing` (74) or `refusing`
// (the code in it), or trains until it is told to stop while there is a file
// `long`. Its inspect finds every checkpoint damaged while there is a file `damaged`. Its dry runs
// note their words elsewhere and end with the code in the file `resuming` or `beginning`.
struct Trained {
  Scheduled scheduled;
  std::filesystem::path folder = scheduled.set.folder.path(), runs = folder / "runs";
  std::string fit = "fit --store " + scheduled.store + " --out " + runs.string() + "/";

  Trained() {
    scheduled.build();
    write(
        "trainer",
        "#!/bin/sh\nhere='" + folder.string() +
            "'\n"
            "if [ $1 = inspect ]; then echo \"$3\" >> \"$here/inspected\"; "
            "[ ! -e \"$here/damaged\" ] || exit 65; exit 0; fi\n"
            "case \"$*\" in *--dry-run*--resume) echo \"$@\" >> \"$here/dry\"; "
            "exit $(cat \"$here/resuming\") ;; *--dry-run*) echo \"$@\" >> \"$here/dry\"; "
            "echo tried; exit $(cat \"$here/beginning\") ;; esac\n"
            "echo \"$@\" >> \"$here/calls\"\n"
            "[ ! -e \"$here/failing\" ] || { echo no disk; exit 74; }\n"
            "if [ -e \"$here/long\" ]; then trap 'sleep 0.3; echo whole > \"'\"$here\"'/kept\"; "
            "exit 143' TERM; touch \"$here/begun\"; while :; do sleep 0.1; done; fi\n"
            "mkdir -p \"$5\"; touch \"$5/best.safetensors\" \"$5/last.safetensors\"\n"
            "cat \"$here/says\"; [ ! -e \"$here/refusing\" ] || exit $(cat \"$here/refusing\")\n");
    std::filesystem::permissions(folder / "trainer", std::filesystem::perms::owner_all);
    write("says", "{\"ending\":\"complete\"}\n");
  }
  void write(const std::string& name, const std::string& text) const {
    scheduled.set.folder.write(name, text);
  }
  /// The run "half" was begun, and fit refuses with this code to go on with it.
  void refuse(const std::string& code) const {
    write("runs/half/last.safetensors", "");
    std::filesystem::create_symlink("half", runs / "next");
    write("refusing", code);
    write("says", "half/last.safetensors: --batch is 4, was 2\n");
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
                               "/current --pretrained=\n");
  CHECK(trained.link("current") == "second");
  // Out of time: not the current one yet, and resumed.
  std::filesystem::create_symlink("third", trained.runs / "next");
  trained.write("says", "{\"ending\":\"out of time\",\"epochs\":1}\n");
  CHECK(trained.rebuild().exit_code == 0);
  CHECK(trained.link("next") == "third");
  CHECK(trained.link("current") == "second");
}

TEST_CASE(
    "--train: a run whose JSON says that it diverged is set aside, and the next begins anew from "
    "the last good one") {
  const Trained trained;
  const std::string runs = trained.runs.string();
  std::filesystem::create_directory(trained.runs);
  std::filesystem::create_symlink("first", trained.runs / "next");
  trained.write("refusing", "65");
  trained.write("says",
                "{\"ending\":\"diverged\",\"out\":\"first\"}\nstep 17: the loss is not finite\n");
  const ProgramResult diverged = trained.rebuild();
  CHECK(diverged.exit_code == 65);
  CHECK(contains(diverged.out, " with exit code 65: the training diverged.\n"));
  CHECK(contains(diverged.out, "This run was set aside as " + runs +
                                   "/first.failed. The next run of this script begins anew, from "
                                   "random weights.\nRuns that were set aside, to be deleted by "
                                   "you: " +
                                   runs + "/first.failed\n"));
  CHECK(contains(diverged.out, "\n  step 17: the loss is not finite\n"));
  CHECK(std::filesystem::exists(trained.runs / "first.failed/best.safetensors"));
  CHECK_FALSE(std::filesystem::exists(trained.runs / "first"));
  CHECK_FALSE(std::filesystem::is_symlink(trained.runs / "next"));
  CHECK_FALSE(std::filesystem::is_symlink(trained.runs / "current"));

  const std::string says_diverged = file_text(trained.folder / "says");
  std::filesystem::remove(trained.folder / "refusing");
  trained.write("says", "{\"ending\":\"complete\"}\n");
  CHECK(trained.rebuild().exit_code == 0);
  const std::string good = trained.link("current");
  CHECK(good != "first");
  std::filesystem::create_symlink("third", trained.runs / "next");
  trained.write("refusing", "65");
  trained.write("says", says_diverged);
  const ProgramResult again = trained.rebuild();
  CHECK(contains(again.out, "begins anew, from the weights of " + runs +
                                "/current.\nRuns that were set aside, to be deleted by you: " +
                                runs + "/first.failed " + runs + "/third.failed\n"));
  CHECK(trained.link("current") == good);
  CHECK_FALSE(std::filesystem::is_symlink(trained.runs / "next"));
  std::filesystem::remove(trained.folder / "refusing");
  trained.write("says", "{\"ending\":\"complete\"}\n");
  (void)trained.calls();
  std::filesystem::create_symlink("fourth", trained.runs / "next");
  CHECK(trained.rebuild().exit_code == 0);
  CHECK(trained.calls() == trained.fit + "fourth --if-new --resume --json --init " + runs +
                               "/current --pretrained=\n");
  CHECK(trained.link("current") == "fourth");
}

TEST_CASE(
    "a script that is stopped stops what it runs, waits for its checkpoint and says nothing") {
  const Trained trained;
  trained.write("long", "");
  const std::string here = trained.folder.string();
  std::vector<std::string> words{
      "/bin/sh", "-c",
      "cd '" + here +
          "' && { \"$@\" & until [ -e begun ] || ! kill -0 $!; do sleep 0.05; done; "
          "kill $!; wait $!; code=$?; cat kept; exit $code; }",
      "sh"};
  const auto script = trained.scheduled.words(
      {"--store", trained.scheduled.store, "--train", trained.runs.string()});
  words.insert(words.end(), script.begin(), script.end());
  const ProgramResult stopped = run(words);
  CHECK(stopped.exit_code == 143);
  CHECK(stopped.out == "whole\n");
  CHECK(stopped.err == "");
  CHECK(std::filesystem::is_symlink(trained.runs / "next"));
}

TEST_CASE(
    "--train: a run that met a damaged store is kept and resumed, whatever its texts say; one "
    "whose "
    "own checkpoint is damaged is set aside") {
  const Trained trained;
  const std::string runs = trained.runs.string();
  std::filesystem::create_directory(trained.runs);
  std::filesystem::create_symlink("half", trained.runs / "next");
  trained.write("refusing", "65");
  trained.write("says", "a.h5: missing, snapshot 1 needs it; the training diverged\n");
  const ProgramResult damaged = trained.rebuild();
  CHECK(damaged.exit_code == 65);
  CHECK(contains(damaged.out, ": the store, or what the run starts from, is damaged.\n"));
  CHECK(contains(damaged.out, "The next run of this script resumes " + runs + "/half.\n"));
  CHECK(contains(damaged.out, "\n  a.h5: missing, snapshot 1 needs it; the training diverged\n"));
  CHECK_FALSE(contains(damaged.out, "set aside"));
  CHECK(trained.link("next") == "half");
  CHECK(std::filesystem::exists(trained.runs / "half/last.safetensors"));
  CHECK(file_text(trained.folder / "inspected") == runs + "/half/last.safetensors\n");

  trained.write("damaged", "");
  trained.write("says", "half/last.safetensors: damaged\n");
  const ProgramResult unreadable = trained.rebuild();
  CHECK(unreadable.exit_code == 65);
  CHECK(contains(unreadable.out,
                 ": the run's checkpoint " + runs + "/half/last.safetensors is damaged.\n"));
  CHECK(contains(unreadable.out, "This run was set aside as " + runs + "/half.failed. "));
  CHECK_FALSE(std::filesystem::is_symlink(trained.runs / "next"));
  CHECK(std::filesystem::exists(trained.runs / "half.failed/last.safetensors"));
  // A second one of the same name: nothing is overwritten.
  std::filesystem::create_symlink("half", trained.runs / "next");
  CHECK(contains(trained.rebuild().out,
                 "to be deleted by you: " + runs + "/half.failed " + runs + "/half.failed.~1~\n"));
}

TEST_CASE("--train: a run is kept if a new one could not be begun either, or it could be resumed") {
  const Trained trained;
  const std::string runs = trained.runs.string();
  trained.write("runs/fit.toml", "device = \"cuda\"\n");
  trained.refuse("78");
  struct Case {
    std::string code, resuming, beginning, why;
  };
  const std::string
      first = "its flags conflict with the store, with what it starts from or with this machine.\n",
      both =
          "with these flags, this store and this machine it cannot be resumed, nor can a new one "
          "be begun.\n";
  for (const Case& kept : {Case{"78", "0", "0", first},
                           {"78", "74", "0", first},
                           {"78", "78", "78", both},
                           {"66", "66", "66", both},
                           {"66", "0", "0", "there is no input: is a disk not mounted?\n"}}) {
    CAPTURE(kept.code + " " + kept.resuming + " " + kept.beginning);
    trained.write("refusing", kept.code);
    trained.write("resuming", kept.resuming);
    trained.write("beginning", kept.beginning);
    const ProgramResult result = trained.rebuild();
    CHECK(result.exit_code == std::stoi(kept.code));
    CHECK(contains(result.out, "exit code " + kept.code + ": " + kept.why));
    CHECK(contains(result.out, "The next run of this script resumes " + runs + "/half.\n"));
    CHECK(contains(result.out, "Its flags are in " + runs + "/fit.toml.\n") == (kept.code == "78"));
    CHECK(contains(result.out, "\n  half/last.safetensors: --batch is 4, was 2\n"));
    CHECK(contains(result.out, "\n  tried\n") == (kept.why == both));
    CHECK(trained.link("next") == "half");
  }
}

TEST_CASE("--train: a run that cannot be resumed is set aside if a new one can be begun") {
  const Trained trained;
  const std::string runs = trained.runs.string(),
                    dry = "fit --store " + trained.scheduled.store + " --dry-run --out " + runs;
  for (const std::string code : {"66", "78"}) {
    CAPTURE(code);
    trained.refuse(code);
    trained.write("resuming", code);
    trained.write("beginning", "0");
    const ProgramResult aside = trained.rebuild();
    CHECK(aside.exit_code == std::stoi(code));
    CHECK(contains(aside.out,
                   ": it cannot be resumed, but a new one can be begun; were its flags changed, or "
                   "was the store made anew?\n"));
    CHECK(contains(
        aside.out,
        "This run was set aside as " + runs +
            "/half.failed. The next run of this script begins anew, from random weights.\n"));
    CHECK(file_text(trained.folder / "dry") == dry + "/half --resume\n" + dry + "/half.new\n");
    CHECK_FALSE(std::filesystem::is_symlink(trained.runs / "next"));
    CHECK(std::filesystem::exists(trained.runs / "half.failed/last.safetensors"));
    CHECK_FALSE(std::filesystem::exists(trained.runs / "half"));
    std::filesystem::remove(trained.folder / "dry");
  }
}

}  // namespace letterpress
