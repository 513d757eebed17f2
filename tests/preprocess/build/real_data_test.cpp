// The sets of real pictures beside the checkout; skipped visibly where they are absent.
#include <doctest/doctest.h>

#include "preprocess/build/build.h"
#include "tests/locations.h"
#include "tests/preprocess/build/drawn_set.h"

namespace letterpress {
namespace {

std::filesystem::path real_data(const std::string& name) {
  return std::filesystem::path(LETTERPRESS_SOURCE_DIR) / ".." / "shared" / "data" / name;
}

}  // namespace

TEST_CASE("BCCD: 364 pictures, 4,888 boxes of which the two without area are rejected") {
  const std::filesystem::path lists = real_data("bccd") / "ImageSets" / "Main";
  if (!std::filesystem::exists(lists)) {
    MESSAGE("skipped: " << lists.string() << " is not there");
    return;
  }
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
  CHECK(report.pictures_per_split == std::map<std::string, std::int64_t>{{"train", 277}, {"val", 87}});
  REQUIRE(report.rejects.size() == 2);
  CHECK(report.rejects[0].where.find("BloodImage_00343.xml") != std::string::npos);
  CHECK(report.rejects[1].where.find("BloodImage_00338.xml") != std::string::npos);
  CHECK_FALSE(build_quietly(options).published);
}

TEST_CASE("DeepPCB: 10,013 boxes accounted for") {
  const std::filesystem::path set = real_data("deeppcb");
  if (!std::filesystem::exists(set)) {
    MESSAGE("skipped: " << set.string() << " is not there");
    return;
  }
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
  CHECK(report.accounting.boxes_stored + report.accounting.boxes_merged + report.accounting.boxes_rejected == 10013);
  CHECK(Store::open(options.store).latest()->classes.size() == 6);
}

}  // namespace letterpress
