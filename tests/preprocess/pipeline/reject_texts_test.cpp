// What a reject is called, in this build and in the next ones.
#include <doctest/doctest.h>

#include <algorithm>

#include "tests/preprocess/drawn_set.h"

namespace letterpress {
namespace {

std::size_t lines(const std::filesystem::path& file) {
  const std::string text = file_text(file);
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

// Three good pictures, one that cannot be decoded though its header is right, one box without area.
BuildOptions with_rejects(DrawnSet& set) {
  set.pictures(3);
  const std::string whole = drawn_png(9);
  set.folder.write("cut.png", whole.substr(0, whole.size() / 2));
  set.list("train.txt", file_text(set.folder / "train.txt") + "cut.png 1,1,9,9,0\n");
  return set.options();
}

}  // namespace

TEST_CASE("a picture that could not be decoded is rejected in the next build by the same words") {
  DrawnSet set;
  const BuildOptions options = with_rejects(set);
  const BuildReport first = build_quietly(options);
  REQUIRE(first.rejects.size() == 1);
  CHECK(first.rejects[0].where ==
        (set.folder / "train.txt").string() + ":4: " + (set.folder / "cut.png").string());
  const BuildReport second = build_quietly(options);
  REQUIRE(second.rejects.size() == 1);
  CHECK(to_string(second.rejects[0]) == to_string(first.rejects[0]));
  CHECK(lines(options.store / "quarantine.jsonl") == 1);
}

TEST_CASE(
    "a label file given by a relative path and then by an absolute one has one line per reject in "
    "the quarantine") {
  DrawnSet set;
  BuildOptions options = with_rejects(set);
  set.list("train.txt", file_text(set.folder / "train.txt") + "gone.png 1,1,9,9,0\n");
  options.inputs = {std::filesystem::relative(set.folder / "train.txt")};
  REQUIRE(options.inputs[0].is_relative());
  build_quietly(options);
  CHECK(lines(options.store / "quarantine.jsonl") == 2);
  options.inputs = {set.folder / "train.txt"};
  set.picture("p9.png", 9);
  set.list("train.txt", file_text(set.folder / "train.txt") + DrawnSet::line(9));
  CHECK(build_quietly(options).published);
  CHECK(lines(options.store / "quarantine.jsonl") == 2);
}

TEST_CASE("a list that is --input and --val tells each reject once") {
  DrawnSet set;
  BuildOptions options = with_rejects(set);
  set.list("train.txt", DrawnSet::line(0) + "gone.png 1,1,9,9,0\np1.png 5,5,5,9,0\n");
  options.val = (set.folder / "train.txt").string();
  set.list("more.txt", DrawnSet::line(2));
  options.inputs.push_back(set.folder / "more.txt");
  const BuildReport report = build_quietly(options);
  CHECK(report.accounting.pictures_rejected == 2);
  CHECK(report.rejects.size() == 2);
  CHECK(report.rejects[0].what.find("gone.png") != std::string::npos);
  CHECK(report.rejects[1].what.find("has no area") != std::string::npos);
}

TEST_CASE(
    "the ledger keeps with a stored picture which of its boxes are out, as long as they are") {
  DrawnSet set;
  const BuildOptions options = with_rejects(set);
  set.list("train.txt", "p0.png 10,10,40,30,0 5,5,5,9,1\np1.png 1,1,9,9,0\n");
  build_quietly(options);
  const std::string reason = Store::open(options.store).ledger(1).at(0).reason;
  CHECK(reason == "object 2: box 5,5,5,9 has no area; draw it again or remove it");
  set.picture("p9.png", 9);
  set.list("train.txt", file_text(set.folder / "train.txt") + DrawnSet::line(9));
  build_quietly(options);
  CHECK(Store::open(options.store).ledger(2).at(0).reason == reason);
}

TEST_CASE("a dry run measures what the build will need and writes nothing") {
  DrawnSet set;
  set.pictures(6);
  BuildOptions options = set.options();
  options.dry_run = true;
  const BuildReport report = build_quietly(options);
  REQUIRE(report.estimate);
  CHECK(report.estimate->bytes_needed >= 18 * 64 * 64 * 3);
  CHECK(report.estimate->bytes_free > report.estimate->bytes_needed);
  CHECK(report.estimate->pictures_tried >= 1);  // as many as a second and a half allow
  CHECK(report.estimate->pictures_tried <= 6);
  CHECK(report.estimate->rows_per_s > 0);
  CHECK(report.estimate->seconds > 0);
  CHECK(report.pictures_known == 0);
  CHECK_FALSE(std::filesystem::exists(options.store));
  options.dry_run = false;
  CHECK_FALSE(build_quietly(options).estimate);
  options.dry_run = true;
  const auto before = listing(options.store);
  CHECK(build_quietly(options).estimate->bytes_needed == 0);
  set.list("train.txt", "p0.png 10,10,40,30,2\n" + DrawnSet::line(1) + DrawnSet::line(2));
  const BuildReport edited = build_quietly(options);
  CHECK(edited.pictures_new == 1);
  CHECK(edited.pictures_known == 1);
  CHECK(edited.pictures_removed == 3);
  CHECK(listing(options.store) == before);
}

}  // namespace letterpress
