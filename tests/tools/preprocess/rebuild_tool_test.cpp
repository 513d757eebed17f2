// scripts/rebuild.sh as cron runs it, and the samples that schedule it.
#include <doctest/doctest.h>

#include <chrono>
#include <cstdlib>
#include <sstream>
#include <utility>

#include "tests/contains.h"
#include "tests/skip.h"
#include "tests/tools/preprocess/scheduled.h"

namespace letterpress {

TEST_CASE(
    "a rebuild repeats the last build with its inputs and flags, and prints nothing when all is "
    "well") {
  Scheduled scheduled;
  scheduled.build();
  const ProgramResult unchanged = scheduled.rebuild({"--store", scheduled.store});
  CHECK(unchanged.exit_code == 0);
  CHECK(unchanged.out + unchanged.err == "");
  CHECK(Store::open(scheduled.store).generations() == std::vector<std::int64_t>{1});
  scheduled.add_picture();
  const std::string page = (scheduled.set.folder / "report.html").string();
  const ProgramResult published = scheduled.rebuild({"--store", scheduled.store, "--report", page});
  CHECK(published.exit_code == 0);
  CHECK(published.out + published.err == "");
  const Snapshot snapshot = Store::open(scheduled.store).latest().value();
  CHECK(snapshot.generation == 2);
  CHECK(snapshot.identity.side == 64);
  CHECK(snapshot.views == 2);
  CHECK(snapshot.accounting.pictures_stored == 7);
  CHECK(contains(file_text(page), "<h1>Snapshot 2</h1>"));
  CHECK(contains(scheduled.rebuild({"--store", scheduled.store, "--verbose"}).out,
                 "nothing has changed, snapshot 2 stands"));
}

TEST_CASE(
    "an empty mount at night: exit 65 is passed on with a report for the mail, and the store "
    "stands") {
  const Scheduled scheduled;
  scheduled.build();
  scheduled.set.folder.write(
      "sendmail", "#!/bin/sh\ncat > '" + (scheduled.set.folder / "sent").string() + "'\n");
  std::filesystem::permissions(scheduled.set.folder / "sendmail",
                               std::filesystem::perms::owner_all);
  for (int i = 0; i < 6; ++i)
    std::filesystem::remove(scheduled.set.folder / ("p" + std::to_string(i) + ".png"));
  const ProgramResult result =
      scheduled.rebuild({"--store", scheduled.store, "--mail", "a@example.org"});
  CHECK(result.exit_code == 65);
  CHECK(result.out.starts_with("The build of " + scheduled.store + " on "));
  CHECK(contains(result.out,
                 "with exit code 65: the input is not what it must be; nothing was published.\n"));
  CHECK(contains(result.out, "The last snapshot stands; trainings go on with it.\n"));
  CHECK(contains(result.out, "  letterpress-preprocess build: "));
  CHECK(contains(result.out, "build --store " + scheduled.store + " --dry-run\n"));
  const std::string sent = file_text(scheduled.set.folder / "sent");
  CHECK(sent.starts_with("To: a@example.org\nSubject: letterpress: the build of " +
                         scheduled.store + " failed (65)\n\nThe build of "));
  CHECK(Store::open(scheduled.store).generations() == std::vector<std::int64_t>{1});
}

TEST_CASE("exit codes of the build are the script's: no label file 66, another size 78") {
  const Scheduled scheduled;
  scheduled.build();
  const ProgramResult size = scheduled.rebuild({"--store", scheduled.store, "--", "--size", "96"});
  CHECK(size.exit_code == 78);
  CHECK(contains(size.out, "exit code 78: options conflict with the store."));
  CHECK(contains(size.out, "--dry-run --size 96\n"));
  std::filesystem::remove(scheduled.set.folder / "train.txt");
  const ProgramResult absent = scheduled.rebuild({"--store", scheduled.store});
  CHECK(absent.exit_code == 66);
  CHECK(contains(absent.out, "exit code 66: there is no input: is a disk not mounted?"));
}

TEST_CASE("while one run holds the lock the next exits with 75; wrong flags are 64") {
  const Scheduled scheduled;
  scheduled.build();
  scheduled.set.folder.write(
      "hold", "exec 9>>\"" + scheduled.set.folder.path().string() +
                  "/letterpress-rebuild-$(id -u)-$(realpath -m -- '" + scheduled.store +
                  "' | cksum | cut -d' ' -f1).lock\"\nflock 9\necho held\nread line < '" +
                  (scheduled.set.folder / "pipe").string() + "'\n");
  REQUIRE(run({"/usr/bin/mkfifo", (scheduled.set.folder / "pipe").string()}).exit_code == 0);
  RunningProgram holder({"/bin/bash", (scheduled.set.folder / "hold").string()});
  REQUIRE(holder.wait_for_output("held"));
  const ProgramResult second = scheduled.rebuild({"--store", scheduled.store});
  CHECK(second.exit_code == 75);
  CHECK(second.err == "rebuild.sh: " + scheduled.store +
                          ": another run of this script holds the lock; nothing was done\n");
  CHECK(scheduled.rebuild().err == "rebuild.sh: no --store given; name the folder of the shards\n");
  const ProgramResult unknown = scheduled.rebuild({"--stroe", "x"});
  CHECK(unknown.exit_code == 64);
  CHECK(contains(unknown.err,
                 "unknown flag '--stroe'; known: --store, --report, --train, --mail, --verbose, "
                 "and build's own after --"));
  CHECK(contains(scheduled.rebuild({"--store"}).err, "--store needs a value"));
  const std::string help = scheduled.rebuild({"--help"}).out;
  CHECK(help.starts_with("For cron and timers: "));
  CHECK(help.ends_with(" beside this script.\n"));
}

TEST_CASE(
    "the samples state the gates in every run, which then publishes no set that has drifted") {
  const std::string folder = std::string(LETTERPRESS_SOURCE_DIR) + "/samples/schedule/";
  for (const char* const name : {"letterpress.cron", "letterpress-rebuild@.service"}) {
    CAPTURE(name);
    const std::string text = file_text(folder + name),
                      program = "/opt/letterpress/scripts/rebuild.sh --store ";
    REQUIRE(contains(text, program));
    std::string line = text.substr(text.find(program));
    line = line.substr(0, line.find('\n'));
    REQUIRE(contains(line, " -- "));
    std::istringstream gates(line.substr(line.find(" -- ") + 1));
    Scheduled scheduled;
    scheduled.build();
    std::string lines = file_text(scheduled.set.folder / "train.txt");
    for (int i = 10; i < 19; ++i) {
      scheduled.set.picture("p" + std::to_string(i) + ".png", i);
      lines += "p" + std::to_string(i) + ".png 10,10,40,30,2\n";
    }
    scheduled.set.list("train.txt", lines);
    std::vector<std::string> words{"--store", scheduled.store};
    for (std::string word; gates >> word;) words.push_back(word);
    // Of 9 boxes 2, 5 and 2 were of the classes, of 18 they are 2, 5 and 11.
    const ProgramResult result = scheduled.rebuild(words);
    CHECK(result.exit_code == 65);
    CHECK(contains(result.out, "the pictures have moved from snapshot 1's: classes 38.9%"));
    CHECK(contains(result.out, "--max-drift allows 20%; nothing was published"));
    CHECK(Store::open(scheduled.store).generations() == std::vector<std::int64_t>{1});
    // cron makes a new line of %, systemd a specifier.
    CHECK(line.find('%') == (contains(line, "%f") ? line.find("%f") : std::string::npos));
    CHECK(line.rfind('%') == line.find('%'));
  }
}

TEST_CASE("systemd accepts the sample units" * doctest::test_suite("needs systemd-analyze")) {
  if (!std::filesystem::exists("/usr/bin/systemd-analyze")) return skip("no systemd-analyze here");
  // The programs lie elsewhere here: a copy with a path that is there.
  const TempDir dir;
  for (const std::string name : {"letterpress-rebuild@.service", "letterpress-rebuild@.timer"}) {
    std::string text = file_text(std::string(LETTERPRESS_SOURCE_DIR) + "/samples/schedule/" + name);
    const std::string program = "/opt/letterpress/scripts/rebuild.sh";
    if (const std::size_t at = text.find(program); at != std::string::npos) {
      text.replace(at, program.size(), std::string(LETTERPRESS_SOURCE_DIR) + "/scripts/rebuild.sh");
    }
    dir.write(name, text);
  }
  const ProgramResult result = run({"/usr/bin/systemd-analyze", "verify",
                                    (dir / "letterpress-rebuild@data-store.service").string(),
                                    (dir / "letterpress-rebuild@data-store.timer").string()});
  if (contains(result.err, "Failed to initialize manager") ||
      contains(result.err, "Failed to setup"))
    return skip("systemd-analyze does not run here: " + result.err);
  CHECK_MESSAGE(result.exit_code == 0, result.err);
  CHECK_MESSAGE(!contains(result.err, "letterpress"), result.err);
}

TEST_CASE(
    "a report that cannot be written is reported as such: the build has published; the next run "
    "writes it") {
  Scheduled scheduled;
  scheduled.build();
  scheduled.add_picture();
  const std::string folder = scheduled.set.folder.path().string();
  const ProgramResult result = scheduled.rebuild({"--store", scheduled.store, "--report", folder});
  CHECK(result.exit_code == 73);
  CHECK(result.out.starts_with("The report of " + scheduled.store + " on "));
  CHECK(contains(result.out,
                 "with exit code 73: an output cannot be created.\nThe build before it published a "
                 "new snapshot; only the page " +
                     folder + " was not written. The next run of this script tries again.\n"));
  CHECK(contains(result.out, "is a folder; give the name of an HTML file"));
  CHECK(contains(result.out, " report --store " + scheduled.store + " --out " + folder + "\n"));
  CHECK(Store::open(scheduled.store).generations() == std::vector<std::int64_t>{1, 2});
  const ProgramResult still = scheduled.rebuild({"--store", scheduled.store, "--report", folder});
  CHECK(contains(still.out, "The build before it succeeded; only the page " + folder + " was not"));
  const std::string page = folder + "/page.html";
  const ProgramResult next = scheduled.rebuild({"--store", scheduled.store, "--report", page});
  CHECK(next.exit_code == 0);
  CHECK(next.out + next.err == "");
  CHECK(contains(file_text(page), "<h1>Snapshot 2</h1>"));
}

TEST_CASE("a page is written again when it is older than the newest snapshot, and only then") {
  Scheduled scheduled;
  scheduled.build();
  const std::filesystem::path page = scheduled.set.folder / "page.html";
  const std::vector<std::string> words{"--store", scheduled.store, "--report", page.string()};
  REQUIRE(scheduled.rebuild(words).exit_code == 0);
  const auto written = std::filesystem::last_write_time(page);
  REQUIRE(scheduled.rebuild(words).exit_code == 0);
  CHECK(std::filesystem::last_write_time(page) == written);
  // Of the night before a run that published and was stopped.
  const auto before = written - std::chrono::hours(24);
  scheduled.add_picture();
  REQUIRE(preprocess({"build", "--store", scheduled.store}).exit_code == 0);
  std::filesystem::last_write_time(page, before);
  REQUIRE(scheduled.rebuild(words).exit_code == 0);
  CHECK(contains(file_text(page), "<h1>Snapshot 2</h1>"));
}

TEST_CASE(
    "a build that published and could not say so: the mail is true, the next run writes the page") {
  Scheduled scheduled;
  scheduled.build();
  scheduled.add_picture();
  const std::string folder = scheduled.set.folder.path().string(), page = folder + "/page.html";
  scheduled.set.folder.write("full",
                             "#!/bin/sh\nexec " + scheduled.program + " \"$@\" >/dev/full 2>&1\n");
  std::filesystem::permissions(scheduled.set.folder / "full", std::filesystem::perms::owner_all);
  const std::string whole = std::exchange(scheduled.program, folder + "/full");
  const ProgramResult failed = scheduled.rebuild({"--store", scheduled.store, "--report", page});
  CHECK(failed.exit_code == 74);
  CHECK(contains(failed.out,
                 "exit code 74: what it printed could not be written to " + folder +
                     ": is that disk full?\nIt published snapshot 2 all the same; trainings go on "
                     "with that one.\nThe next run whose build succeeds writes the page " +
                     page + ".\n\nTo see it again:\n"));
  CHECK(Store::open(scheduled.store).generations() == std::vector<std::int64_t>{1, 2});
  CHECK_FALSE(std::filesystem::exists(page));
  const ProgramResult unchanged = scheduled.rebuild({"--store", scheduled.store});
  CHECK(unchanged.exit_code == 74);
  CHECK(contains(unchanged.out, "The last snapshot stands; trainings go on with it.\n"));

  scheduled.program = whole;
  const ProgramResult next = scheduled.rebuild({"--store", scheduled.store, "--report", page});
  CHECK(next.exit_code == 0);
  CHECK(next.out + next.err == "");
  CHECK(contains(file_text(page), "<h1>Snapshot 2</h1>"));
}

TEST_CASE("what is to be typed to see a failure again is quoted for the shell") {
  Scheduled scheduled;
  const std::string folder = scheduled.set.folder.path().string();
  scheduled.build();
  std::filesystem::rename(scheduled.store, folder + "/c d");
  scheduled.store = folder + "/c d";
  const ProgramResult build =
      scheduled.rebuild({"--store", scheduled.store, "--", "--classes", "it's", "--size", "96"});
  CHECK(build.exit_code == 78);
  CHECK(contains(build.out,
                 "build --store " + folder + "/c\\ d --dry-run --classes it\\'s --size 96\n"));
  std::filesystem::create_directory(folder + "/e f");
  const ProgramResult report =
      scheduled.rebuild({"--store", scheduled.store, "--report", folder + "/e f"});
  CHECK(report.exit_code == 73);
  CHECK(contains(report.out, "report --store " + folder + "/c\\ d --out " + folder + "/e\\ f\n"));
}

}  // namespace letterpress
