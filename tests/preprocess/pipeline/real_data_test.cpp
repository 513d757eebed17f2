// The sets of real pictures beside the checkout.
#include <doctest/doctest.h>

#include "preprocess/pipeline/build.h"
#include "tests/locations.h"
#include "tests/preprocess/drawn_set.h"
#include "tests/skip.h"

namespace letterpress {
namespace {

std::filesystem::path real_data(const std::string& name) {
  return std::filesystem::path(LETTERPRESS_SOURCE_DIR) / ".." / "shared" / "data" / name;
}

}  // namespace

TEST_CASE("BCCD: 364 pictures, 4,888 boxes of which the two without area are rejected" *
          doctest::test_suite("needs BCCD")) {
  const std::filesystem::path lists = real_data("bccd") / "ImageSets" / "Main";
  if (!std::filesystem::exists(lists)) return skip(lists.string() + " is not there");
  TempDir dir;
  BuildOptions options;
  options.store = dir / "store";
  options.inputs = {lists / "train.txt", lists / "test.txt"};
  options.val = (lists / "val.txt").string();
  options.views = 1;
  const BuildReport report = build_quietly(options);
  CHECK(report.accounting.pictures_found == 364);
  CHECK(report.accounting.pictures_stored == 364);
  CHECK(report.accounting.boxes_found == 4888);
  CHECK(report.accounting.boxes_rejected == 2);
  CHECK(report.accounting.boxes_stored == 4886);
  CHECK(report.pictures_per_split ==
        std::map<std::string, std::int64_t>{{"train", 277}, {"val", 87}});
  REQUIRE(report.rejects.size() == 2);
  CHECK(report.rejects[0].where.find("BloodImage_00343.xml") != std::string::npos);
  CHECK(report.rejects[1].where.find("BloodImage_00338.xml") != std::string::npos);
  CHECK_FALSE(build_quietly(options).published);
}

TEST_CASE("DeepPCB: 10,013 boxes accounted for" * doctest::test_suite("needs DeepPCB")) {
  const std::filesystem::path set = real_data("deeppcb");
  if (!std::filesystem::exists(set)) return skip(set.string() + " is not there");
  TempDir dir;
  BuildOptions options;
  options.store = dir / "store";
  options.inputs = {set / "train.txt"};
  options.val = (set / "test.txt").string();
  options.classes = set / "classes.txt";
  options.side = 320;  // half the pictures' own, to be quick
  options.recipe = "none";
  const BuildReport report = build_quietly(options);
  CHECK(report.accounting.pictures_stored == 1500);
  CHECK(report.accounting.boxes_found == 10013);
  CHECK(report.accounting.boxes_stored + report.accounting.boxes_merged +
            report.accounting.boxes_rejected ==
        10013);
  CHECK(Store::open(options.store).latest()->classes.size() == 6);
}

TEST_CASE(
    "CIFAR-10: 60,000 pictures of ten classes in two tar archives, each with its folder's label" *
    doctest::test_suite("needs CIFAR-10")) {
  const std::filesystem::path set = real_data("cifar10");
  if (!std::filesystem::exists(set)) return skip(set.string() + " is not there");
  TempDir dir;
  BuildOptions options;
  options.store = dir / "store";
  options.inputs = {set / "train.tar"};
  options.splits = {{"test", set / "test.tar"}};
  options.side = 32;
  options.recipe = "none";
  const BuildReport report = build_quietly(options);
  const Accounting& sums = report.accounting;
  CHECK(sums.pictures_found == 60000);
  CHECK(sums.pictures_stored + sums.pictures_duplicate + sums.pictures_rejected == 60000);
  CHECK(sums.pictures_background == 0);
  CHECK(sums.boxes_found == 0);
  const Store store = Store::open(options.store);
  const Snapshot snapshot = *store.latest();
  CHECK(snapshot.classes == std::vector<std::string>{"airplane", "automobile", "bird", "cat",
                                                     "deer", "dog", "frog", "horse", "ship",
                                                     "truck"});
  const SnapshotReader reader(store, snapshot);
  std::int64_t wrong = 0, rows = 0;
  for (const char* split : {"train", "test"}) {
    for (const PictureRows& picture : reader.pictures(split)) {
      const ShardReader& shard = reader.shard(picture.clean.shard);
      const std::string& label =
          snapshot.classes.at(static_cast<std::size_t>(shard.label(picture.clean.row)));
      wrong +=
          std::string(shard.name(picture.clean.row)).find("/" + label + "/") == std::string::npos
              ? 1
              : 0;
      ++rows;
    }
  }
  CHECK(wrong == 0);
  CHECK(rows == sums.pictures_stored);
  CHECK_FALSE(build_quietly(options).published);
}

}  // namespace letterpress
