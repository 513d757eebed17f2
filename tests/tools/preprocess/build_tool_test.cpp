#include <doctest/doctest.h>

#include <algorithm>
#include <csignal>
#include <nlohmann/json.hpp>

#include "letterpress/base/file.h"
#include "tests/contains.h"
#include "tests/tools/preprocess/preprocess_tool.h"

namespace letterpress {

TEST_CASE(
    "build prints formats, both identities and the outcome on stdout, progress on "
    "stderr") {
  DrawnSet set;
  set.pictures(5);
  const ProgramResult result = preprocess(build_words(set));
  CHECK(result.exit_code == 0);
  CHECK(result.out.starts_with((set.folder / "train.txt").string() + ": keras ("));
  CHECK(result.out.find(
            "pictures found 5 = stored 5 (of which background 0) + duplicates 0 + rejected 0\n") !=
        std::string::npos);
  CHECK(result.out.find("boxes found 7 = stored 7 + merged 0 + rejected 0; clipped 0\n") !=
        std::string::npos);
  CHECK(result.out.find("splits: train 5\nnew: 5 pictures, 15 rows in 2 shards, 180 KiB; removed: "
                        "0 pictures\n") != std::string::npos);
  CHECK(result.last_line() == (set.folder / "store").string() + ": snapshot 1 published");
  CHECK(result.err.find("preparing 5/5 pictures") != std::string::npos);
}

TEST_CASE("--json puts one object last on stdout") {
  DrawnSet set;
  set.pictures(3);
  const auto json = nlohmann::json::parse(preprocess(build_words(set, {"--json"})).last_line());
  CHECK(json.at("outcome") == "published");
  CHECK(json.at("generation") == 1);
  CHECK(json.at("accounting").at("pictures_stored") == 3);
  CHECK(json.at("pictures_per_split").at("train") == 3);
  CHECK(json.at("configuration").at("size") == 64);
}

TEST_CASE(
    "build without --input repeats the last build; a flag that is given changes only itself") {
  DrawnSet set;
  set.pictures(6);
  const std::string store = (set.folder / "store").string();
  REQUIRE(preprocess(build_words(set)).exit_code == 0);
  const auto before = listing(store);
  const ProgramResult same = preprocess({"build", "--store", store});
  CHECK(same.exit_code == 0);
  CHECK(same.last_line() == store + ": nothing has changed, snapshot 1 stands");
  CHECK(listing(store) == before);
  const auto json = nlohmann::json::parse(
      preprocess({"build", "--store", store, "--views", "1", "--json"}).last_line());
  CHECK(json.at("configuration").at("views") == 1);
  CHECK(json.at("configuration").at("size") == 64);
  CHECK(json.at("generation") == 2);
}

TEST_CASE("--max-removed and --max-rejects hold for one build: the next one is guarded again") {
  DrawnSet set;
  set.pictures(20);
  const std::string all = file_text(set.folder / "train.txt"),
                    store = (set.folder / "store").string();
  set.list("train.txt", all + "gone.png 1,1,5,5,0\ngone.jpg 1,1,5,5,0\n");
  REQUIRE(
      preprocess(build_words(set, {"--max-removed", "100%", "--max-rejects", "100%"})).exit_code ==
      0);
  const ProgramResult rejects = preprocess({"build", "--store", store});
  CHECK(rejects.exit_code == 65);
  CHECK(rejects.err.find("2 of 22 pictures (9.09%) cannot be used, --max-rejects allows 1%; "
                         "nothing was published") != std::string::npos);
  set.list("train.txt", DrawnSet::line(0));
  const ProgramResult removed = preprocess({"build", "--store", store});
  CHECK(removed.exit_code == 65);
  CHECK(removed.err.find("19 of the 20 pictures of snapshot 1 are gone (95%)") !=
        std::string::npos);
  CHECK(removed.err.find("--max-removed allows 5%; nothing was published") != std::string::npos);
}

TEST_CASE("a missing shard: build says which, and makes it anew; then verify is content") {
  DrawnSet set;
  set.pictures(3);
  const std::string store = (set.folder / "store").string();
  REQUIRE(preprocess(build_words(set)).exit_code == 0);
  const std::string shard = store + "/shards/" + *shard_names(store).begin();
  std::filesystem::remove(shard);
  const ProgramResult result = preprocess({"build", "--store", store, "--json"});
  CHECK(result.exit_code == 0);
  CHECK(result.out.find(
            "1 shards of the last snapshot are missing or damaged, their rows are made anew:\n  " +
            shard + "\n") != std::string::npos);
  CHECK(nlohmann::json::parse(result.last_line()).at("shards_damaged") == 1);
  CHECK(preprocess({"verify", "--deep", "--store", store}).last_line() ==
        store + ": snapshot 2 is whole: 2 shards, every row");
}

TEST_CASE("the same input named from another folder changes nothing") {
  DrawnSet set;
  set.pictures(3);
  set.folder.write("train.txt", read_file(set.folder / "train.txt") + "missing.png 1,2,30,40,0\n");
  std::vector<std::string> words = build_words(set, {"--max-rejects", "50%"});
  std::replace(words.begin(), words.end(), (set.folder / "train.txt").string(),
               std::filesystem::relative(set.folder / "train.txt").string());
  REQUIRE(preprocess(words).exit_code == 0);
  const std::string store = (set.folder / "store").string();
  CHECK(preprocess({"build", "--store", store, "--max-rejects", "50%"}).last_line() ==
        store + ": nothing has changed, snapshot 1 stands");
}

TEST_CASE("an unreadable label file: exit 65, and the store's snapshot stands") {
  DrawnSet set;
  set.pictures(4);
  REQUIRE(preprocess(build_words(set)).exit_code == 0);
  const auto before = listing(set.folder / "store");
  set.folder.write("half.json", "{\"images\":[{\"id\":1,\"file_na");
  const ProgramResult result =
      preprocess({"build", "--store", (set.folder / "store").string(), "--input",
                  (set.folder / "half.json").string(), "--format", "coco"});
  CHECK(result.exit_code == 65);
  CHECK(result.err.find("half.json") != std::string::npos);
  CHECK(listing(set.folder / "store") == before);
}

TEST_CASE("rejects are listed with file, line and fix, the first ten of them") {
  DrawnSet set;
  set.pictures(1);
  std::string lines = DrawnSet::line(0);
  for (int i = 0; i < 12; ++i) lines += "odd" + std::to_string(i) + ".png 1,1,5,x,0\n";
  set.list("train.txt", lines);
  const ProgramResult result = preprocess(build_words(set, {"--max-rejects", "100%"}));
  CHECK(result.exit_code == 0);
  CHECK(result.out.find("  picture rejected: " + (set.folder / "train.txt").string() +
                        ":2: object 1 '1,1,5,x,0': 'x' is not a number") != std::string::npos);
  CHECK(result.out.find("train.txt:11: ") != std::string::npos);
  CHECK(result.out.find("train.txt:12: ") == std::string::npos);
  CHECK(result.out.find("  and 2 more; all are in " +
                        (set.folder / "store" / "quarantine.jsonl").string()) != std::string::npos);

  const auto tried = nlohmann::json::parse(
      preprocess(build_words(set, {"--max-rejects", "100%", "--rebuild", "--dry-run", "--json"}))
          .last_line());
  REQUIRE(tried.at("rejects").size() == 12);
  CHECK(tried.at("rejects").at(11).at("where") == (set.folder / "train.txt").string() + ":13");
  CHECK(tried.at("rejects").at(11).at("what") == "object 1 '1,1,5,x,0': 'x' is not a number");
  CHECK(tried.at("rejects").at(11).at("scope") == "picture");
}

TEST_CASE("missing pictures are one line, whether the build is refused or not") {
  DrawnSet set;
  set.pictures(1);
  std::string lines = DrawnSet::line(0);
  for (int i = 0; i < 12; ++i) lines += "gone" + std::to_string(i) + ".png 1,1,5,5,0\n";
  set.list("train.txt", lines);
  const std::string told =
      "12 pictures not found; the first, 'gone0.png', is nowhere near: restore it, correct the "
      "path, or give --root with the folder that paths start from\n";
  const ProgramResult refused = preprocess(build_words(set, {}));
  CHECK(refused.exit_code == 65);
  CHECK_CONTAINS(refused.err, told);
  CHECK(refused.err.find("there is no picture") == std::string::npos);
  const ProgramResult result = preprocess(build_words(set, {"--max-rejects", "100%"}));
  CHECK(result.exit_code == 0);
  CHECK_CONTAINS(result.out, told);
  CHECK(result.out.find("there is no picture") == std::string::npos);
  CHECK_CONTAINS(read_file(set.folder / "store" / "quarantine.jsonl"),
                 "there is no picture 'gone11.png'");
}

TEST_CASE(
    "SIGTERM ends a build soon with 143, SIGINT with 130; the next run goes on and publishes") {
  for (const auto& [signal, exit_code] : {std::pair{SIGTERM, 143}, std::pair{SIGINT, 130}}) {
    DrawnSet set;
    set.pictures(30);
    std::vector<std::string> words = sized_build_words(set, "1024");
    words.insert(words.begin(), program_path("letterpress-preprocess"));
    words.insert(words.end(),
                 {"--views", "16", "--shard-bytes", "32MiB", "--threads", "1", "--verbose"});
    RunningProgram program(words);
    REQUIRE(program.wait_for_output("configuration"));
    program.send(signal);
    const ProgramResult stopped = program.wait();
    CHECK(stopped.exit_code == exit_code);
    CHECK(stopped.out.find("finished shards are kept, the same command goes on") !=
          std::string::npos);
    CHECK(stopped.out.find("pictures found") ==
          std::string::npos);  // what was planned is not what there is
    set.list("train.txt", DrawnSet::line(0) + DrawnSet::line(1));
    words[9] = "64";
    CHECK(run(words).exit_code == 0);
  }
}

TEST_CASE("a dry run says how much, how long and by what rates; --json has the same") {
  DrawnSet set;
  set.pictures(4);
  const ProgramResult result = preprocess(build_words(set, {"--dry-run", "--json"}));
  CHECK(result.exit_code == 0);
  CHECK(result.out.find("new: 4 pictures, 12 rows in 2 shards, ") != std::string::npos);
  CHECK(result.out.find(" free; about ") != std::string::npos);
  CHECK(result.out.find(" pictures tried: ") != std::string::npos);
  CHECK(result.out.find(" rows/s per thread; the disk ") != std::string::npos);
  const auto json = nlohmann::json::parse(result.last_line());
  CHECK(json.at("outcome") == "dry run");
  CHECK(json.at("estimate").at("pictures_tried").get<int>() >= 1);
  CHECK(json.at("estimate").at("bytes_needed").get<std::int64_t>() >= 12 * 64 * 64 * 3);
  CHECK(json.at("estimate").at("seconds").get<double>() > 0);
  CHECK_FALSE(std::filesystem::exists(set.folder / "store"));
}

#if !defined(__SANITIZE_ADDRESS__)  // what it checks an object by takes a pipe of its own
TEST_CASE("a store that was published but cannot be looked through for findings says so") {
  DrawnSet set;
  set.pictures(50);
  std::vector<std::string> words{"/bin/sh", "-c", "ulimit -n 40; exec \"$@\"", "sh",
                                 program_path("letterpress-preprocess")};
  std::ranges::copy(build_words(set), std::back_inserter(words));
  words.insert(words.end(), {"--shard-bytes", "1"});
  const ProgramResult built = run(words);
  CHECK(built.exit_code == 0);
  CHECK(built.out.find("snapshot 1 published") != std::string::npos);
  CHECK(built.err.find("what lint finds is not counted: ") != std::string::npos);
  CHECK(built.err.find("Too many open files") != std::string::npos);
}
#endif

TEST_CASE("--rename-class is said once and holds for the builds that repeat it") {
  DrawnSet set;
  set.pictures(4);
  REQUIRE(preprocess(build_words(set)).exit_code == 0);
  const std::string store = (set.folder / "store").string();
  const ProgramResult renamed =
      preprocess({"build", "--store", store, "--rename-class", "dog=hound"});
  CHECK(renamed.exit_code == 0);
  CHECK(renamed.out.find("new: 0 pictures, 0 rows") != std::string::npos);
  CHECK(preprocess({"info", "--store", store}).out.find("    1 hound ") != std::string::npos);
  CHECK(
      preprocess({"build", "--store", store}).out.find("nothing has changed, snapshot 2 stands") !=
      std::string::npos);
  CHECK(preprocess({"build", "--store", store, "--rename-class", "hound=dog"}).exit_code ==
        0);  // and back
  CHECK(preprocess({"info", "--store", store}).out.find("    1 dog ") != std::string::npos);
  // Once more by the name that the label files write: the same class, no new one.
  CHECK(preprocess({"build", "--store", store, "--rename-class", "dog=hound"}).exit_code == 0);
  CHECK(preprocess({"build", "--store", store, "--rename-class", "dog=puppy"})
            .out.find("new: 0 pictures, 0 rows") != std::string::npos);
  CHECK(preprocess({"info", "--store", store}).out.find("    1 puppy ") != std::string::npos);
  CHECK(preprocess({"info", "--store", store}).out.find(" hound ") == std::string::npos);
  const ProgramResult two =
      preprocess({"build", "--store", store, "--rename-class", "cat=x", "--rename-class", "cat=y"});
  CHECK(two.err.find("--rename-class cat=y: 'cat' is to become 'x', too; give it one name") !=
        std::string::npos);
  CHECK(preprocess({"build", "--store", store, "--rename-class", "cat=x=y"})
            .err.find("cat=x=y', must be OLD=NEW") != std::string::npos);
  const ProgramResult wrong = preprocess({"build", "--store", store, "--rename-class", "dog"});
  CHECK(wrong.exit_code == 64);
  CHECK(
      wrong.err.find("--rename-class is 'dog', must be OLD=NEW, for instance person=pedestrian") !=
      std::string::npos);
  // The label files still write dog for puppy: cat cannot become dog before that ends.
  const ProgramResult taken = preprocess({"build", "--store", store, "--rename-class", "cat=dog"});
  CHECK(taken.exit_code == 64);
  CHECK(taken.err.find("--rename-class cat=dog: 'dog' is renamed itself, to 'puppy', also in label "
                       "files to come; take another name") != std::string::npos);
  CHECK(preprocess({"build", "--store", store, "--rename-class", "dog="})
            .err.find("--rename-class is 'dog=', must be OLD=NEW") != std::string::npos);
  CHECK(
      preprocess({"build", "--store", store, "--rename-class", "dog=dog"}).out.find("snapshot ") !=
      std::string::npos);
  CHECK(preprocess({"info", "--store", store}).out.find(" dog ") != std::string::npos);
  const ProgramResult unprintable =
      preprocess({"build", "--store", store, "--rename-class", "dog=a\tb"});
  CHECK(unprintable.exit_code == 64);
  CHECK(unprintable.err.find(
            "the new name holds a control character; write it in printable characters") !=
        std::string::npos);
}

TEST_CASE(
    "control characters of names do not reach the terminal, a recipe out of range is wrong input") {
  DrawnSet set;
  set.pictures(1);
  set.list("train.txt", file_text(set.folder / "train.txt") + "a\x1b[2Jb.png 1,1,5,5,0\n");
  const ProgramResult result = preprocess(build_words(set));
  CHECK(result.exit_code == 65);
  CHECK((result.out + result.err).find('\x1b') == std::string::npos);
  const auto recipe = set.folder.write("r.toml", "[[augment]]\nkind = \"hflip\"\nchance = 2\n");
  const ProgramResult range = preprocess(build_words(set, {"--recipe", recipe.string()}));
  CHECK(range.exit_code == 65);
  CHECK(range.err.find("chance is 2, must be 0..1") != std::string::npos);
}

}  // namespace letterpress
