// Builds again, gates and gc, as cron runs them.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "preprocess_tool.h"
#include "tests/contains.h"

namespace letterpress {
namespace {

std::string lines(int n) {
  std::string text;
  for (int i = 0; i < n; ++i) text += DrawnSet::line(i);
  return text;
}

// A store of 20 pictures.
struct DrawnStore {
  DrawnSet set;
  std::string store = (set.folder / "store").string();

  DrawnStore() {
    set.pictures(20);
    REQUIRE(preprocess(build_words(set)).exit_code == 0);
  }
  ProgramResult again(std::vector<std::string> more = {}) const {
    more.insert(more.begin(), {"build", "--store", store});
    return preprocess(more);
  }
};

}  // namespace

TEST_CASE(
    "build without --input repeats the stored configuration; nothing new writes nothing but the "
    "cache, exit 0") {
  DrawnStore built;
  const auto before = listing(built.store);
  const ProgramResult result = built.again({"--json"});
  CHECK(result.exit_code == 0);
  const nlohmann::json report = nlohmann::json::parse(result.last_line());
  CHECK(report.at("outcome") == "unchanged");
  CHECK(report.at("configuration").at("size") == 64);
  CHECK(report.at("configuration").at("views") == 2);
  CHECK(result.out.find("nothing has changed, snapshot 1 stands") != std::string::npos);
  CHECK(listing(built.store) == before);
}

TEST_CASE("a build tells how many pictures it moves from one split to another") {
  DrawnStore built;
  built.set.list("val.txt", lines(3));
  const std::string val = (built.set.folder / "val.txt").string();
  ProgramResult result = built.again({"--val", val, "--json"});
  CHECK(result.exit_code == 0);
  CHECK_CONTAINS(result.out,
                 "moved: 3 from train to val; a model that was trained on this store has seen "
                 "these from train\n");
  const nlohmann::json moved{{{"from", "train"}, {"to", "val"}, {"pictures", 3}}};
  CHECK(nlohmann::json::parse(result.last_line()).at("pictures_moved") == moved);
  built.set.list("val.txt", lines(2));
  CHECK_CONTAINS(built.again().out, "\nmoved: 1 from val to train\n");
  result = built.again({"--json"});
  CHECK(result.out.find("\nmoved:") == std::string::npos);
  CHECK(nlohmann::json::parse(result.last_line()).at("pictures_moved").empty());
}

TEST_CASE(
    "the gates exit 65 with what was got, what is allowed and the remedy, and leave the store as "
    "it was") {
  DrawnStore built;
  const auto before = listing(built.store);
  built.set.list("train.txt", lines(18));
  ProgramResult result = built.again();
  CHECK(result.exit_code == 65);
  CHECK(result.err.find("2 of the 20 pictures of snapshot 1 are gone (10%), the first is ") !=
        std::string::npos);
  CHECK(result.err.find("--max-removed allows 5%; nothing was published; is a disk not mounted? To "
                        "accept this, pass --max-removed 100%") != std::string::npos);
  built.set.list("train.txt", lines(20) + "gone.png 1,1,9,9,0\n");
  result = built.again();
  CHECK(result.exit_code == 65);
  CHECK(result.err.find("1 of 21 pictures (4.76%) cannot be used, --max-rejects allows 1%; nothing "
                        "was published") != std::string::npos);
  std::string unlabelled;
  for (int i = 0; i < 20; ++i) unlabelled += "p" + std::to_string(i) + ".png\n";
  built.set.list("train.txt", unlabelled);
  result = built.again({"--format", "keras"});
  CHECK(result.exit_code == 65);
  CHECK(
      result.err.find("20 of the 20 labelled pictures of snapshot 1 have no box any more (100%)") !=
      std::string::npos);
  CHECK(listing(built.store) == before);
  built.set.list("train.txt", lines(18));
  CHECK(built.again({"--max-removed", "10%"}).exit_code == 0);
}

TEST_CASE("drift is printed, stands in --json, and --max-drift is a gate") {
  DrawnStore built;
  std::string others = lines(20);
  for (int i = 0; i < 20; ++i) {
    const std::string name = "new" + std::to_string(i) + ".png";
    built.set.picture(name, 100 + i);
    others += name + " 5,5,75,55,2\n";
  }
  built.set.list("train.txt", others);
  ProgramResult result = built.again({"--max-drift", "5%"});
  CHECK(result.exit_code == 65);
  CHECK(result.err.find("the pictures have moved from snapshot 1's: classes ") !=
        std::string::npos);
  CHECK(result.err.find("--max-drift allows 5%; nothing was published") != std::string::npos);
  result = built.again({"--json"});
  CHECK(result.exit_code == 0);
  CHECK(result.out.find("drift from the last snapshot: classes ") != std::string::npos);
  const nlohmann::json drift = nlohmann::json::parse(result.last_line()).at("drift");
  // 6 of 30 boxes are birds, then 26 of 50; what birds gain the others lose.
  CHECK(drift.at("classes").get<double>() == doctest::Approx(26.0 / 50 - 6.0 / 30));
  CHECK(drift.at("box_sizes").get<double>() > 0.1);
  CHECK(drift.at("brightness").get<double>() >= 0);
}

TEST_CASE("gc says what stays and why, removes the rest, and nothing in a dry run") {
  DrawnStore built;
  for (int n = 16; n < 20; ++n) {
    built.set.list("train.txt", lines(n));
    REQUIRE(built.again({"--max-removed", "100%"}).exit_code == 0);
  }
  const auto before = listing(built.store);
  ProgramResult result = preprocess({"gc", "--store", built.store, "--keep", "2"});
  CHECK(result.exit_code == 0);
  CHECK(result.out.find("snapshot 1: stays, not older than 7 days\n") != std::string::npos);
  CHECK(result.out.find(
            "removed: 0 snapshots, 0 shards (0 B), 0 plans older than 7 days, 0 expired pins\n") !=
        std::string::npos);
  CHECK(listing(built.store) == before);
  for (int generation = 1; generation <= 5; ++generation) {
    const std::filesystem::path file = std::filesystem::path(built.store) / "snapshots" /
                                       ("0000000" + std::to_string(generation) + ".json");
    std::filesystem::last_write_time(
        file, std::filesystem::file_time_type::clock::now() - std::chrono::hours(24 * 8));
  }
  result = preprocess({"gc", "--store", built.store, "--keep", "2", "--dry-run"});
  CHECK(result.out.find("snapshot 1: would be removed\n") != std::string::npos);
  CHECK(result.out.find("snapshot 4: stays, among the newest 2\nsnapshot 5: stays, newest\n") !=
        std::string::npos);
  result = preprocess({"gc", "--store", built.store, "--keep", "2", "--json"});
  CHECK(result.exit_code == 0);
  CHECK(nlohmann::json::parse(result.last_line()).at("snapshots") == nlohmann::json{1, 2, 3});
  CHECK(preprocess({"verify", "--deep", "--store", built.store}).exit_code == 0);
  CHECK(preprocess({"verify", "--deep", "--store", built.store, "--snapshot", "4"}).exit_code == 0);
  result = preprocess({"gc", "--store", built.store, "--keep", "0"});
  CHECK(result.exit_code == 64);
  CHECK(result.err.find("--keep is 0, must be 1 or more") != std::string::npos);
  result = preprocess({"gc", "--store", built.store, "--older-than", "-1"});
  CHECK(result.exit_code == 64);
  CHECK(result.err.find("--older-than is -1, must be 0 to 36500") != std::string::npos);
}

}  // namespace letterpress
