#include <map>

#include "samples.h"
#include "tests/locations.h"
#include "tests/skip.h"

namespace letterpress {
namespace {

const std::filesystem::path kSets =
    std::filesystem::path(LETTERPRESS_SOURCE_DIR) / "../shared/data";

bool is_absent(const char* name) {
  if (std::filesystem::is_directory(kSets / name)) return false;
  skip("there is no " + (kSets / name).string());
  return true;
}

}  // namespace

// Counts by `grep -c '<object>'` and by xml.etree over the published files.
TEST_CASE("BCCD's three lists hold 364 pictures and 4,888 boxes, of which two have no area" *
          doctest::test_suite("needs BCCD")) {
  if (is_absent("bccd")) return;
  const std::map<std::string, std::pair<std::size_t, std::int64_t>> lists{
      {"train", {205, 2805}}, {"val", {87, 1138}}, {"test", {72, 945}}};
  std::size_t pictures = 0;
  std::int64_t boxes = 0;
  std::vector<std::string> rejects;
  for (const auto& [name, counts] : lists) {
    CAPTURE(name);
    const AnnotationSet set = read_annotations(kSets / "bccd/ImageSets/Main" / (name + ".txt"));
    CHECK(set.format == "voc");
    CHECK(set.classes == std::vector<std::string>{"Platelets", "RBC", "WBC"});
    CHECK(set.rejects.empty());
    CHECK(set.items.size() == counts.first);
    CHECK(set.boxes_found == counts.second);
    pictures += set.items.size();
    for (const Item& item : set.items) {
      const CheckedBoxes checked = check_boxes(item, 640, 480);
      boxes += static_cast<std::int64_t>(checked.boxes.size());
      CHECK(checked.clipped == 0);
      for (const Reject& reject : checked.rejects) rejects.push_back(to_string(reject));
    }
  }
  CHECK(pictures == 364);
  CHECK(boxes == 4886);
  REQUIRE(rejects.size() == 2);
  CHECK_CONTAINS(rejects[0], "BloodImage_00343.xml, object 4: box 180,328,180,328 has no area");
  CHECK_CONTAINS(rejects[1], "BloodImage_00338.xml, object 13: box 503,336,503,336 has no area");
}

// Counts per id by awk over the published lists; ids start at 0 ("open").
TEST_CASE("DeepPCB's two lists hold 1,500 pictures and 10,013 good boxes of six classes" *
          doctest::test_suite("needs DeepPCB")) {
  if (is_absent("deeppcb")) return;
  const std::vector<std::int64_t> per_class{1942, 1506, 1965, 1625, 1474, 1501};
  std::vector<std::int64_t> found(6, 0);
  std::size_t pictures = 0;
  for (const char* list : {"train.txt", "test.txt"}) {
    const AnnotationSet set =
        read_annotations(kSets / "deeppcb" / list, {.classes = kSets / "deeppcb/classes.txt"});
    CHECK(set.format == "keras");
    CHECK(set.rejects.empty());
    CHECK(set.classes.front() == "open");
    pictures += set.items.size();
    for (const Item& item : set.items) {
      const CheckedBoxes checked = check_boxes(item, 640, 640);
      CHECK(checked.rejects.empty());
      CHECK(checked.clipped == 0);
      for (const LabelBox& box : checked.boxes) ++found[static_cast<std::size_t>(box.class_id)];
    }
  }
  CHECK(pictures == 1500);
  CHECK(found == per_class);
}

}  // namespace letterpress
