// Builds of labels that have outlines: COCO's segmentation.
#include <doctest/doctest.h>

#include "letterpress/hdf5/hdf5.h"
#include "tests/preprocess/pipeline/shared_set.h"

namespace letterpress {
namespace {

// Pictures p0.png ... with a triangle each, in a recipe that turns them and cuts them.
struct OutlinedSet : DrawnSet {
  explicit OutlinedSet(int pictures) : n(pictures) {
    for (int i = 0; i < n; ++i) picture("p" + std::to_string(i) + ".png", i);
    folder.write("turn.toml",
                 "[boxes]\nmin_side = 1\nmin_area = 0\n[[augment]]\nkind = \"affine\"\n"
                 "scale_low = 1.2\nscale_high = 2\nrotation = 180\nshift = 0.2\n");
    write_labels();
  }
  // apex: of the triangle in picture `changed`, whose box stays.
  void write_labels(int changed = -1, int apex = 50) const {
    std::string images, annotations;
    for (int i = 0; i < n; ++i) {
      const std::string comma = i > 0 ? "," : "", id = std::to_string(i);
      images += comma + R"({"id":)" + id + R"(,"file_name":"p)" + id + R"(.png"})";
      const std::string x = std::to_string(i == changed ? apex : 50);
      const std::string outline =
          outlines ? R"("segmentation":[[10,10,70,10,)" + x + ",50]]," : std::string();
      annotations += comma + R"({"image_id":)" + id + "," + outline +
                     R"("category_id":1,"bbox":[10,10,60,40]})";
    }
    folder.write("labels.json", R"({"images":[)" + images + R"(],"annotations":[)" + annotations +
                                    R"(],"categories":[{"id":1,"name":"cat"}]})");
  }
  BuildOptions options(const std::string& store = "store") const {
    BuildOptions options = DrawnSet::options(store);
    options.inputs = {folder / "labels.json"};
    options.classes.clear();
    options.recipe = (folder / "turn.toml").string();
    options.shard_bytes = 4 * 64 * 64 * 3;
    return options;
  }

  int n;
  bool outlines = true;
};

std::set<std::string> built_shards(const BuildOptions& options) {
  build_quietly(options);
  return shard_names(options.store);
}

}  // namespace

TEST_CASE("labels with outlines: the same bytes for any number of threads and parts") {
  const OutlinedSet set(7);
  BuildOptions one = set.options("one"), several = set.options("several");
  one.threads = 1;
  several.threads = 5;
  const std::set<std::string> shards = built_shards(one);
  CHECK(built_shards(several) == shards);
  BuildListener silent;
  const BuildReport planned = plan(set.options("parts"), silent, kNoStop);
  CHECK(hdf5::read_integer_attribute(hdf5::open_file(planned.plan), "format") == 4);
  for (const int part : {2, 0, 1}) map_quietly(planned.plan, part, 3);
  CHECK(reduce_quietly(planned.plan).published);
  CHECK(shard_names(set.folder / "parts") == shards);
}

TEST_CASE("outlines change boxes of augmented views, never those of clean rows") {
  OutlinedSet set(5);
  build_quietly(set.options("with"));
  set.outlines = false;
  set.write_labels();
  build_quietly(set.options("without"));
  const auto with = row_contents(set.folder / "with"),
             without = row_contents(set.folder / "without");
  REQUIRE(with.size() == without.size());
  int changed = 0;
  for (const auto& [key, content] : with) {
    if (std::get<2>(key) == 0) {
      CHECK(content == without.at(key));
    } else {
      changed += content != without.at(key);
    }
  }
  CHECK(changed == 10);  // all of them are turned
}

TEST_CASE("an edited outline makes its picture's rows anew, as a clean build does") {
  const OutlinedSet set(6);
  build_quietly(set.options());
  CHECK_FALSE(build_quietly(set.options()).published);
  set.write_labels(3, 20);
  const BuildReport report = build_quietly(set.options());
  CHECK(report.published);
  CHECK(report.rows_new == 3);
  build_quietly(set.options("clean"));
  CHECK(row_contents(set.folder / "store") == row_contents(set.folder / "clean"));
  const auto digest = [&](const char* store) {
    return Store::open(set.folder / store).latest().value().logical_digest;
  };
  CHECK(digest("store") == digest("clean"));
}

}  // namespace letterpress
