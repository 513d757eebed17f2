// Pictures that were held out and are trained on, though nobody has asked for that.
#include <doctest/doctest.h>

#include "letterpress/base/file.h"
#include "preprocess/pipeline/build.h"
#include "tests/contains.h"
#include "tests/preprocess/drawn_set.h"

namespace letterpress {
namespace {

// A set of COCO whose pictures 0 to 7 are of train, 8 and 9 of val, 10 and 11 of test.
struct Worded {
  Worded() {
    for (int i = 0; i < 12; ++i) set.picture("p" + std::to_string(i) + ".png", i);
    write(12);
  }

  // The first `worded` of them with the word of their split.
  void write(int worded) {
    std::string images;
    for (int i = 0; i < 12; ++i) {
      const std::string split = i < 8 ? "train" : i < 10 ? "val" : "test";
      images += (i == 0 ? "" : ",") + std::string(R"({"id":)") + std::to_string(i) +
                R"(,"file_name":"p)" + std::to_string(i) + R"(.png")" +
                (i < worded ? R"(,"split":")" + split + R"("})" : "}");
    }
    set.folder.write("set.json", R"({"images":[)" + images +
                                     R"(],"annotations":[],"categories":[{"id":1,"name":"cat"}]})");
  }

  BuildOptions options() const {
    BuildOptions options = set.options_of("set.json");
    options.max_moved = 0.5;
    return options;
  }

  DrawnSet set;
};

}  // namespace

TEST_CASE("a picture whose split nobody states does not move those of val and test into train") {
  Worded worded;
  build_quietly(worded.options());
  const auto before = listing(worded.options().store);
  worded.write(11);  // nobody has stated that of the last
  const std::string refused = message_of([&] { build_quietly(worded.options()); });
  CHECK(refused.starts_with(
      "65 2 of the 2 pictures that snapshot 1 has in test are in train or val now, though the "
      "flags "
      "are as they were; the first is " +
      (worded.set.folder / "p10.png").string() +
      "; --max-moved allows 50%; nothing was published; have label files or lists lost what states "
      "their splits? To accept this, pass --max-moved 100%\n"));
  CHECK_CONTAINS(refused, "11 pictures state a split, the first 'train', and 1 does not");
  CHECK(listing(worded.options().store) == before);
  BuildOptions accepted = worded.options();
  accepted.max_moved = 1;
  CHECK(build_quietly(accepted).published);
  CHECK_FALSE(build_quietly(worded.options()).published);
}

TEST_CASE("pictures move where a flag asks for it") {
  Worded worded;
  build_quietly(worded.options());
  BuildOptions other = worded.options();
  other.val = "0";
  CHECK(build_quietly(other).published);
  other.val.clear();
  CHECK(build_quietly(other).published);
  worded.write(11);
  other.inputs = {worded.set.folder.write("other.json", read_file(worded.set.folder / "set.json"))};
  CHECK(build_quietly(other).published);
}

namespace {

// Ten pictures by --val FILE, as it is typed; --max-moved as by default.
BuildOptions listed(const DrawnSet& set) {
  BuildOptions options = set.options();
  options.val = std::filesystem::relative(set.folder / "val.txt");
  options.max_moved = BuildOptions().max_moved;
  return options;
}

std::string lines_of(const std::vector<int>& pictures) {
  std::string lines;
  for (const int i : pictures) lines += DrawnSet::line(i);
  return lines;
}

}  // namespace

TEST_CASE("most of --val FILE's pictures in the list of train are refused, half of them are not") {
  DrawnSet set;
  set.pictures(10);
  set.list("train.txt", lines_of({0, 1, 2, 3, 4, 5}));
  set.list("val.txt", lines_of({6, 7, 8, 9}));
  build_quietly(listed(set));
  set.list("train.txt", lines_of({0, 1, 2, 3, 4, 5, 6, 7, 8}));
  set.list("val.txt", lines_of({9}));
  CHECK_CONTAINS(message_of([&] { build_quietly(listed(set)); }),
                 "65 3 of the 4 pictures that snapshot 1 has in val are in train now");
  set.list("train.txt", lines_of({0, 1, 2, 3, 4, 5, 6, 7}));
  set.list("val.txt", lines_of({8, 9}));
  CHECK(build_quietly(listed(set)).published);
}

TEST_CASE("another picture at the path of one that was held out may be trained on") {
  DrawnSet set;
  set.pictures(6);
  set.list("train.txt", lines_of({0, 1, 2, 3}));
  set.list("val.txt", lines_of({4, 5}));
  build_quietly(listed(set));
  for (const int i : {0, 4, 5}) set.picture("p" + std::to_string(i) + ".png", 100 + i);
  set.list("train.txt", lines_of({1, 2, 3, 4, 5}));
  set.list("val.txt", lines_of({0}));
  CHECK(build_quietly(listed(set)).published);
}

TEST_CASE("one placeholder in the place of every picture: they are gone, for all their paths") {
  DrawnSet set;
  set.pictures(20);
  BuildOptions options = set.options();
  build_quietly(options);
  const auto before = listing(options.store);
  for (int i = 0; i < 20; ++i) set.picture("p" + std::to_string(i) + ".png", 77);
  options.max_removed = 0.05;
  CHECK(message_of([&] { build_quietly(options); })
            .starts_with("65 19 of the 20 pictures of snapshot 1 are gone (95%), the first is " +
                         (set.folder / "p1.png").string()));
  CHECK(listing(options.store) == before);
  // A copy beside its picture takes nothing away.
  set.pictures(20);
  std::filesystem::copy_file(set.folder / "p3.png", set.folder / "copy.png");
  set.list("train.txt", read_file(set.folder / "train.txt") + "copy.png 1,1,9,9,0\n");
  CHECK(build_quietly(options).accounting.pictures_duplicate == 1);
}

}  // namespace letterpress
