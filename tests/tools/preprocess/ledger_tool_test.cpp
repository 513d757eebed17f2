// Why is this picture in or out: ledger from outside.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "tests/contains.h"
#include "tests/tools/preprocess/preprocess_tool.h"

namespace letterpress {
namespace {

struct Listed {
  DrawnSet set;
  std::string store = (set.folder / "store").string();

  Listed() {
    set.pictures(4);
    set.folder.write("bad.png", "text");
    set.folder.write("copy.png", file_text(set.folder / "p1.png"));
    set.list("train.txt",
             file_text(set.folder / "train.txt") + "bad.png 1,1,5,5,0\ncopy.png 1,1,30,30,0\n");
    REQUIRE(preprocess(build_words(set, {"--max-rejects", "1"})).exit_code == 0);
  }
  std::string path(const std::string& name) const { return (set.folder / name).string(); }
  std::string hash(const std::string& name) const {
    const std::string bytes = file_text(set.folder / name);
    return hash128(bytes).hex();
  }
  ProgramResult ledger(std::vector<std::string> more) const {
    more.insert(more.begin(), {"ledger", "--store", store});
    return preprocess(more);
  }
};

}  // namespace

TEST_CASE("a picture is found by its path, by a part of its name and by its hash") {
  const Listed listed;
  CHECK(contains(listed.ledger({"--path", listed.path("p2.png")}).out, "stored    train p2.png ("));
  CHECK(listed.ledger({"--path", listed.path("x/../p2.png")}).last_line() ==
        "1 of 6 pictures in snapshot 1");
  CHECK(listed.ledger({"--name", "p"}).last_line() == "6 of 6 pictures in snapshot 1");
  const ProgramResult twins = listed.ledger({"--hash", listed.hash("p1.png").substr(0, 12)});
  CHECK(twins.last_line() == "2 of 6 pictures in snapshot 1");
  CHECK(contains(twins.out, "duplicate train copy.png ("));
  CHECK(contains(twins.out, "same bytes as p1.png ("));
  CHECK(listed.ledger({"--hash", listed.hash("p1.png"), "--state", "stored"}).last_line() ==
        "1 of 6 pictures in snapshot 1");
}

TEST_CASE("--json gives path, hash, state, reason and rows of the chosen pictures") {
  const Listed listed;
  const auto json = nlohmann::json::parse(listed.ledger({"--json"}).last_line());
  CHECK(json.at("snapshot") == 1);
  REQUIRE(json.at("pictures").size() == 6);
  const auto& stored = json.at("pictures").at(1);
  CHECK(stored.at("path") == listed.path("p1.png"));
  CHECK(stored.at("hash") == listed.hash("p1.png"));
  CHECK(stored.at("state") == "stored");
  CHECK(stored.at("width") == 80);
  CHECK(stored.at("boxes") == 3);  // its own two and one of its copy
  CHECK(stored.at("clean").at("row") == 1);
  CHECK(stored.at("augmented").at(0).at("row") == 2);
  CHECK(stored.at("views") == 2);
  const auto& rejected = json.at("pictures").at(4);
  CHECK(rejected.at("state") == "rejected");
  CHECK(contains(rejected.at("reason"), "text"));
  CHECK(!rejected.contains("clean"));
  CHECK(nlohmann::json::parse(listed.ledger({"--json", "--state", "duplicate"}).last_line())
            .at("pictures")
            .size() == 1);
}

TEST_CASE("--path says when the file has changed, is gone, or is stored under another name") {
  const Listed listed;
  listed.set.picture("p0.png", 99);
  CHECK(contains(listed.ledger({"--path", listed.path("p0.png")}).out,
                 listed.path("p0.png") + ": has other bytes now (hash " + listed.hash("p0.png") +
                     "); the next build looks at it anew\n"));
  const std::string bytes = file_text(listed.set.folder / "p2.png");
  std::filesystem::remove(listed.set.folder / "p2.png");
  CHECK(contains(listed.ledger({"--path", listed.path("p2.png")}).out,
                 listed.path("p2.png") + ": cannot be read now; the next build leaves it out or, "
                                         "with too many gone, publishes nothing"));
  listed.set.folder.write("moved.png", bytes);
  const ProgramResult moved = listed.ledger({"--path", listed.path("moved.png")});
  CHECK(moved.exit_code == 66);
  CHECK(contains(moved.out,
                 "moved.png: not listed under this path, but the same bytes are stored as " +
                     listed.path("p2.png") + " ("));
}

TEST_CASE(
    "a picture that is missing or whose label was refused is found by its path and its name") {
  const Listed listed;
  const std::string list = (listed.set.folder / "train.txt").string();
  listed.set.folder.write("train.txt",
                          file_text(list) + "absent.png 1,1,5,5,0\np0.png 1,1,5,NaN,0\n");
  REQUIRE(preprocess(build_words(listed.set, {"--max-rejects", "1"})).exit_code == 0);
  const ProgramResult absent = listed.ledger({"--path", listed.path("absent.png")});
  CHECK(absent.exit_code == 0);
  CHECK(contains(absent.out, "rejected  train absent.png (" + list +
                                 ":7): there is no picture 'absent.png', tried " +
                                 listed.path("absent.png") + "; restore it"));
  CHECK(absent.last_line() == "1 of 8 pictures in snapshot 2");
  CHECK(listed.ledger({"--name", "absent"}).last_line() == "1 of 8 pictures in snapshot 2");
  const ProgramResult twice = listed.ledger({"--path", listed.path("p0.png")});
  CHECK(contains(twice.out, "stored    train p0.png (" + list + ":1)"));
  CHECK(contains(twice.out, "rejected  train p0.png (" + list + ":8): object 1 "));
  CHECK(twice.last_line() == "2 of 8 pictures in snapshot 2");
  listed.set.picture("p0.png", 99);
  CHECK(contains(listed.ledger({"--path", listed.path("p0.png")}).out,
                 "p0.png: has other bytes now"));
}

TEST_CASE("a damaged or missing ledger is said with a remedy that works") {
  for (const bool missing : {false, true}) {
    CAPTURE(missing);
    const Listed listed;
    const std::string snapshot = listed.store + "/snapshots/00000001";
    std::string bytes = file_text(snapshot + ".ledger.h5");
    for (const char* word : {"p2.png", "train"}) {
      for (std::size_t at = bytes.find(word); at != std::string::npos; at = bytes.find(word, at))
        bytes[at] = '#';
    }
    std::filesystem::remove(snapshot + ".ledger.h5");
    if (!missing) listed.set.folder.write("store/snapshots/00000001.ledger.h5", bytes);
    const ProgramResult damaged = listed.ledger({});
    CHECK(damaged.exit_code != 0);
    CHECK(contains(damaged.err, snapshot + ".ledger.h5: " +
                                    (missing ? "not a readable ledger: " : "damaged: ")));
    CHECK(contains(damaged.err,
                   "; without a copy, move it and 00000001.json elsewhere and build again (with "
                   "--input if no older snapshot is left)"));
    CHECK(contains(preprocess({"build", "--store", listed.store}).err,
                   "; without a copy, move it and 00000001.json elsewhere"));
    if (!missing) std::filesystem::rename(snapshot + ".ledger.h5", listed.path("kept.ledger.h5"));
    std::filesystem::rename(snapshot + ".json", listed.path("kept.json"));
    REQUIRE(preprocess(build_words(listed.set, {"--max-rejects", "1"})).exit_code == 0);
    CHECK(listed.ledger({}).last_line() == "6 of 6 pictures in snapshot 1");
    CHECK(preprocess({"verify", "--store", listed.store, "--deep"}).exit_code == 0);
  }
}

TEST_CASE("what no label file lists is said to be so, with exit code 66; a hash must be one") {
  const Listed listed;
  const ProgramResult absent = listed.ledger({"--path", listed.path("new.png")});
  CHECK(absent.exit_code == 66);
  CHECK(contains(absent.err,
                 "--path " + listed.path("new.png") +
                     ": snapshot 1 knows no such picture: no label file that it was built from "
                     "lists it, or its label could not be read (--state rejected); add it to one "
                     "and build, or try --name"));
  CHECK(contains(listed.ledger({"--hash", "0123"}).err,
                 "--hash 0123: snapshot 1 knows no such picture"));
  const ProgramResult no_hash = listed.ledger({"--hash", "xyz"});
  CHECK(no_hash.exit_code == 64);
  CHECK(contains(
      no_hash.err,
      "--hash is 'xyz', must be the first hexadecimal digits of a picture's hash, at most 32"));
}

}  // namespace letterpress
