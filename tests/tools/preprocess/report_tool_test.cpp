#include <doctest/doctest.h>

#include <algorithm>
#include <array>

#include "tests/contains.h"
#include "tests/skip.h"
#include "tests/tools/preprocess/reported.h"

namespace letterpress {

TEST_CASE(
    "the report's numbers are those that Python counts in the label files, and the page reaches "
    "nowhere outside itself" *
    doctest::test_suite("needs Python")) {
  const std::string python = LETTERPRESS_TEST_PYTHON, sources = LETTERPRESS_SOURCE_DIR;
  if (!std::filesystem::exists(python)) return skip("no python3 here; scripts/setup.sh --tests");
  const TempDir dir;
  const std::string sample = (dir / "sample").string(), store = (dir / "store").string(),
                    out = (dir / "report.html").string();
  REQUIRE(run({python, sources + "/samples/draw.py", sample, "--pictures", "40"}).exit_code == 0);
  REQUIRE(preprocess({"build", "--store", store, "--input", sample + "/train.txt", "--val",
                      sample + "/val.txt", "--classes", sample + "/classes.txt", "--size", "128",
                      "--recipe", "none"})
              .exit_code == 0);
  const ProgramResult result = preprocess({"report", "--store", store, "--out", out});
  CHECK(result.exit_code == 0);
  CHECK(result.out.starts_with(out + ": snapshot 1 of " + store + ", "));
  const ProgramResult checked =
      run({python, sources + "/tests/tools/preprocess/check_report.py", out, sample, "128"});
  CHECK_MESSAGE(checked.exit_code == 0, checked.err);
}

TEST_CASE("boxes that augmentation cuts and loses are those that h5py counts in the rows" *
          doctest::test_suite("needs Python")) {
  const std::string python = LETTERPRESS_TEST_PYTHON, sources = LETTERPRESS_SOURCE_DIR;
  if (!std::filesystem::exists(python)) return skip("no python3 here; scripts/setup.sh --tests");
  Reported reported;
  std::string lines;
  for (int i = 0; i < 12; ++i) {
    const std::string name = "p" + std::to_string(i) + ".png";
    reported.set.picture(name, i);
    lines += name + " 0,0,12,60,0 40,30,80,60,1 2,2,8,8," + std::to_string(i % 3) + "\n";
  }
  reported.set.list("train.txt", lines);
  REQUIRE(preprocess(build_words(reported.set)).exit_code == 0);
  (void)reported.page();
  const ProgramResult checked = run({python, sources + "/tests/tools/preprocess/check_cut_boxes.py",
                                     reported.out, reported.store, "3"});
  if (checked.exit_code == 77) return skip("no h5py here; scripts/setup.sh --tests");
  CHECK_MESSAGE(checked.exit_code == 0, checked.err);
}

TEST_CASE("class names, paths and reasons are text on the page, whatever they hold") {
  Reported reported;
  const std::string nasty = "<script>alert(1)</script>\"'&";
  reported.set.folder.write("classes.txt", "cat\n" + nasty + "\nbird\n");
  reported.set.pictures(3);
  reported.set.picture("<img src=x onerror=alert(2)>.png", 7);
  reported.set.folder.write("bad<i>.png", "no picture");
  reported.set.list("train.txt", file_text(reported.set.folder / "train.txt") +
                                     "<img src=x onerror=alert(2)>.png 10,10,40,30,1\nbad<i>.png "
                                     "1,1,5,5,0\np0.png 5,5,5,9,0\n");
  REQUIRE(preprocess(build_words(reported.set, {"--max-rejects", "1", "--max-rejected-boxes", "1"}))
              .exit_code == 0);
  const std::string page = reported.page();
  for (const std::string part : {"<script", "<img", "<i>"}) CHECK(!contains(page, part));
  CHECK(contains(page, "&lt;script&gt;alert(1)&lt;/script&gt;&quot;&#39;&amp;"));
  CHECK(contains(page, "&lt;img src=x onerror=alert(2)&gt;.png"));
  CHECK(contains(page, "bad&lt;i&gt;.png"));
}

TEST_CASE(
    "rejects stand in the report with where, what and what to do: pictures and boxes, of this "
    "snapshot only") {
  Reported reported;
  reported.set.pictures(4);
  reported.set.list("train.txt", file_text(reported.set.folder / "train.txt") +
                                     "gone.png 1,1,5,5,0\np0.png 5,5,5,9,0\n");
  REQUIRE(preprocess(build_words(reported.set, {"--max-rejects", "1", "--max-rejected-boxes", "1"}))
              .exit_code == 0);
  const std::string page = reported.page();
  CHECK(contains(page, "there is no picture &#39;gone.png&#39;"));
  CHECK(contains(page, "has no area"));
  const auto rejects = [](const std::string& text) {
    std::size_t n = 0;
    for (std::size_t at = text.find("<tr data-reject>"); at != std::string::npos;
         at = text.find("<tr data-reject>", at + 1))
      ++n;
    return n;
  };
  CHECK(rejects(page) == 2);
  reported.set.picture("p9.png", 9);
  reported.set.list("train.txt",
                    DrawnSet::line(0) + DrawnSet::line(1) + DrawnSet::line(2) + DrawnSet::line(9));
  REQUIRE(preprocess(build_words(reported.set, {"--max-removed", "1"})).exit_code == 0);
  CHECK(rejects(reported.page()) == 0);
  CHECK(contains(reported.page(), "Nothing was rejected."));
  const auto quarantine = reported.set.folder / "store" / "quarantine.jsonl";
  std::ofstream(quarantine, std::ios::app)
      << R"({"generation":1,"where":5,"what":["x"],"fix":null})"
      << "\n"
      << R"({"generation":"1"})"
      << "\n";
  CHECK(reported.report({"--snapshot", "1"}).exit_code == 0);
  std::filesystem::remove(quarantine);
  REQUIRE(reported.report({"--snapshot", "1"}).exit_code == 0);
  CHECK(contains(file_text(reported.out), "there is no picture &#39;gone.png&#39;"));
}

TEST_CASE("what changed since the snapshot before is named and counted") {
  Reported reported;
  reported.set.pictures(6);
  REQUIRE(preprocess(build_words(reported.set)).exit_code == 0);
  CHECK(contains(reported.page(), "This is the store's first snapshot."));
  std::string lines = file_text(reported.set.folder / "train.txt");
  lines = lines.substr(lines.find('\n') + 1);  // p0.png is gone
  reported.set.picture("new.png", 50);
  reported.set.list("train.txt", lines + "new.png 10,10,30,30,2\nnew.png 31,31,50,50,2\n");
  REQUIRE(preprocess(build_words(reported.set, {"--max-removed", "1"})).exit_code == 0);
  const std::string page = reported.page();
  CHECK(contains(page, "<h2>Since snapshot 1</h2>"));
  CHECK(contains(
      page,
      "<span data-figure=\"changes.added\">1</span></td><td class=\"wrap soft\">new.png</td>"));
  CHECK(contains(
      page,
      "<span data-figure=\"changes.removed\">1</span></td><td class=\"wrap soft\">p0.png</td>"));
  CHECK(contains(page, "<span data-figure=\"changes.relabelled\">0</span>"));
  CHECK(contains(
      page, "<td>bird</td><td class=\"n\">2</td><td class=\"n\">4</td><td class=\"n\">+2</td>"));
  CHECK(contains(
      page, "<td>cat</td><td class=\"n\">2</td><td class=\"n\">1</td><td class=\"n\">-1</td>"));
  for (const char* const file : {"snapshots/00000001.json", "snapshots/00000001.ledger.h5"}) {
    std::filesystem::remove(std::filesystem::path(reported.store) / file);
  }
  CHECK(contains(reported.page(), "Snapshot 1 is no longer in the store."));
}

TEST_CASE("box sizes and brightness stand old against new, as counted by hand") {
  Reported reported;
  // Of the frame's own size, in one colour each.
  const auto plain = [&](const std::string& name, std::array<std::uint8_t, 3> colour) {
    std::vector<std::uint8_t> rgb(64 * 64 * 3);
    for (std::size_t i = 0; i < rgb.size(); ++i) rgb[i] = colour[i % 3];
    const std::vector<std::byte> png = encode_png(rgb, 64, 64);
    reported.set.folder.write(name, {reinterpret_cast<const char*>(png.data()), png.size()});
  };
  plain("a.png", {40, 40, 40});
  plain("b.png", {100, 100, 100});
  plain("c.png", {200, 0, 0});
  const std::string lines = "a.png 5,5,33,33,0\nb.png 5,5,33,33,0\n";
  reported.set.list("train.txt", lines);
  REQUIRE(preprocess(build_words(reported.set)).exit_code == 0);
  reported.set.list("train.txt", lines + "c.png 5,5,17,17,1\n");
  REQUIRE(preprocess(build_words(reported.set)).exit_code == 0);
  const std::string page = reported.page();
  CHECK(contains(page, "<title>24 to 32 pixels: 100.0 % of the boxes before, 66.7 % now</title>"));
  CHECK(contains(page, "<title>8 to 16 pixels: 0.0 % of the boxes before, 33.3 % now</title>"));
  const auto row = [](const std::string& name, const std::string& before, const std::string& now,
                      const std::string& change) {
    return "<tr><td>" + name + "</td><td class=\"n\">" + before + "</td><td class=\"n\">" + now +
           "</td><td class=\"n\">" + change + "</td></tr>";
  };
  CHECK(contains(page, row("red", "70.0", "113.3", "+43.3")));  // 340 / 3
  CHECK(contains(page, row("green", "70.0", "46.7", "-23.3")));
  CHECK(contains(page, row("luma", "70.0", "66.6", "-3.4")));  // 0.299 * 113.33 + 0.701 * 46.67
  REQUIRE(preprocess({"build", "--store", reported.store, "--rebuild", "--size", "96"}).exit_code ==
          0);
  CHECK(contains(
      reported.page(),
      "The frames had a side of 64 pixels and now have one of 96: box sizes are not compared."));
}

TEST_CASE("the same snapshot gives the same page; light, dark and print have their styles") {
  Reported reported;
  reported.set.pictures(3);
  REQUIRE(preprocess(build_words(reported.set)).exit_code == 0);
  const std::string page = reported.page();
  CHECK(page == reported.page());
  CHECK(contains(page, "prefers-color-scheme: dark"));
  CHECK(contains(page, "@media print"));
  REQUIRE(reported.report({"--samples", "0"}).exit_code == 0);
  CHECK(!contains(file_text(reported.out), "<image"));
}

TEST_CASE("report refuses what it cannot write or read, and says so") {
  Reported reported;
  reported.set.pictures(2);
  REQUIRE(preprocess(build_words(reported.set)).exit_code == 0);
  const ProgramResult samples = reported.report({"--samples", "101"});
  CHECK(samples.exit_code == 64);
  CHECK(contains(samples.err, "--samples is 101, must be 0 to 100"));
  const ProgramResult folder =
      preprocess({"report", "--store", reported.store, "--out", reported.store});
  CHECK(folder.exit_code == 73);
  CHECK(contains(folder.err, "is a folder; give the name of an HTML file"));
  std::filesystem::remove(std::filesystem::path(reported.store) / "shards" /
                          *shard_names(reported.store).begin());
  const ProgramResult damaged = reported.report();
  CHECK(damaged.exit_code == 65);
  CHECK(contains(damaged.err, ": missing, snapshot 1 needs it"));
}

TEST_CASE(
    "rejects stay in the report of each snapshot in which they are, not only where they were met "
    "first") {
  Reported reported;
  reported.set.pictures(4);
  reported.set.list("train.txt", file_text(reported.set.folder / "train.txt") +
                                     "gone.png 1,1,5,5,0\np0.png 5,5,5,9,0\n");
  REQUIRE(preprocess(build_words(reported.set, {"--max-rejects", "1", "--max-rejected-boxes", "1"}))
              .exit_code == 0);
  reported.set.picture("p9.png", 9);
  reported.set.list("train.txt", file_text(reported.set.folder / "train.txt") + DrawnSet::line(9));
  REQUIRE(preprocess(build_words(reported.set, {"--max-rejects", "1", "--max-rejected-boxes", "1"}))
              .exit_code == 0);
  const std::string page = reported.page();
  CHECK(contains(page, "<h1>Snapshot 2</h1>"));
  CHECK(contains(page, "there is no picture &#39;gone.png&#39;"));
  CHECK(contains(page, "has no area"));
}

TEST_CASE("a store of labelled pictures shows pictures per class, and no boxes") {
  Reported reported;
  for (int i = 0; i < 5; ++i) {
    reported.set.picture(std::string(i < 3 ? "set/train/" : "set/val/") +
                             (i % 2 ? "dog/" : "cat/") + std::to_string(i) + ".png",
                         i);
  }
  REQUIRE(preprocess({"build", "--store", reported.store, "--input",
                      (reported.set.folder / "set").string(), "--size", "64"})
              .exit_code == 0);
  const std::string page = reported.page();
  CHECK(contains(page, "<h2>Pictures per class</h2>"));
  CHECK(contains(page,
                 "data-class=\"cat\" data-split=\"train\" data-n=\"2\"><title>cat, train: 2 "
                 "pictures</title>"));
  CHECK(contains(page, "data-class=\"cat\" data-split=\"val\" data-n=\"1\""));
  CHECK(!contains(page, "boxes stored</small>"));
  CHECK(!contains(page, "Box sizes in the"));
  reported.set.picture("set/train/dog/9.png", 9);
  REQUIRE(preprocess({"build", "--store", reported.store}).exit_code == 0);
  const std::string next = reported.page();
  CHECK(contains(next, "<h3>Pictures per class</h3>"));
  CHECK(contains(
      next, "<td>dog</td><td class=\"n\">2</td><td class=\"n\">3</td><td class=\"n\">+1</td>"));
  CHECK(!contains(next, "boxes than before"));
  CHECK(!contains(next, "<h3>Box sizes</h3>"));
  CHECK(contains(next, "<h3>Brightness</h3>"));
}

TEST_CASE(
    "report and preview never replace a file of the store, a label file, a picture or anything "
    "that is not theirs") {
  Reported reported;
  reported.set.pictures(2);
  REQUIRE(preprocess(build_words(reported.set)).exit_code == 0);
  const std::string folder = reported.set.folder.path().string();
  const auto before = listing(folder);
  const auto refused = [&](const std::string& command, const std::string& out,
                           const std::string& why) {
    CAPTURE(out);
    const ProgramResult result = preprocess({command, "--store", reported.store, "--out", out});
    CHECK(result.exit_code == 73);
    CHECK_MESSAGE(contains(result.err, why), result.err);
  };
  refused("report", reported.store + "/FORMAT", "is there and is not an HTML file");
  refused("report", reported.store + "/page.html", "lies in the store; name another file");
  refused("report", folder + "/train.txt", "is there and is not an HTML file");
  refused("preview", folder + "/classes.txt", "is there and is not a PNG file");
  refused("preview", folder + "/p1.png", "is a picture of the store; name another file");
  refused("preview", reported.store + "/new.png", "lies in the store; name another file");
  CHECK(listing(folder) == before);
  CHECK(reported.report().exit_code == 0);
  CHECK(reported.report().exit_code == 0);
}

}  // namespace letterpress
