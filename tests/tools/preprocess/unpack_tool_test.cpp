#include <doctest/doctest.h>

#include <algorithm>

#include "letterpress/page/png.h"
#include "preprocess_tool.h"
#include "tests/read_by_python.h"

namespace letterpress {
namespace {

// Of the clean rows, by their pixels.
std::multiset<std::string> clean_pixels(const std::string& folder) {
  const Store store = Store::open(folder);
  const SnapshotReader reader(store, store.latest().value());
  std::multiset<std::string> hashes;
  for (const PictureRows& picture : reader.pictures("train")) {
    const ShardReader& shard = reader.shard(picture.clean.shard);
    std::vector<std::uint8_t> image(static_cast<std::size_t>(shard.image_bytes()));
    shard.read_images(picture.clean.row, 1, image.data());
    hashes.insert(hash128(std::as_bytes(std::span(image))).hex());
  }
  return hashes;
}

}  // namespace

TEST_CASE(
    "unpack prints what it wrote and how to build it again, and that build has the same pictures") {
  DrawnSet set;
  set.pictures(4);
  const std::string store = (set.folder / "store").string(),
                    out = (set.folder / "out of it").string();
  REQUIRE(preprocess(build_words(set)).exit_code == 0);
  const ProgramResult result = preprocess({"unpack", "--store", store, "--to", "coco", "--out", out,
                                           "--pictures", "jpeg", "--quality", "90"});
  CHECK(result.exit_code == 0);
  CHECK(result.out ==
        "splits: train 4\na store of it again: letterpress-preprocess build --store NEW --input '" +
            out + "/train.json' --size 64 --recipe detect --views 2\n" + out +
            ": 4 pictures and 6 boxes of snapshot 1\n");
  const ProgramResult again =
      preprocess({"build", "--store", (set.folder / "again").string(), "--input",
                  out + "/train.json", "--size", "64", "--views", "0"});
  CHECK(again.exit_code == 0);
  CHECK(again.out.find("pictures found 4 = stored 4 (of which background 0)") != std::string::npos);
  CHECK(again.out.find("boxes found 6 = stored 6 + merged 0 + rejected 0; clipped 0") !=
        std::string::npos);
}

TEST_CASE(
    "the printed words, run as they stand, make a store with the same pixels, recipe and views") {
  DrawnSet set;
  set.pictures(3);
  const std::string recipe =
      set.folder.write("mine.toml",
                       "[letterbox]\nscale = \"shrink\"\nplace = \"top_left\"\nfill = 7\n"
                       "[boxes]\nmin_area = 0.3\n[[augment]]\nkind = \"hflip\"\nchance = 0.25\n");
  std::vector<std::string> words = build_words(set, {"--recipe", recipe});
  words.at(8) = "96";
  words.at(10) = "3";
  const std::string store = (set.folder / "store").string(), out = (set.folder / "out").string(),
                    again = (set.folder / "again").string();
  REQUIRE(preprocess(words).exit_code == 0);
  const ProgramResult result =
      preprocess({"unpack", "--store", store, "--to", "coco", "--out", out});
  REQUIRE(result.exit_code == 0);
  CHECK(result.out.find(" --size 96 --recipe " + out + "/recipe.toml --views 3\n") !=
        std::string::npos);
  const std::string label = "a store of it again: letterpress-preprocess ";
  const std::size_t at = result.out.find(label) + label.size();
  std::string command = result.out.substr(at, result.out.find('\n', at) - at);
  command.replace(command.find("NEW"), 3, again);
  REQUIRE(
      run({"/bin/sh", "-c", program_path("letterpress-preprocess") + " " + command}).exit_code ==
      0);
  const Store first = Store::open(store), second = Store::open(again);
  const Snapshot before = first.latest().value(), after = second.latest().value();
  CHECK(after.identity.recipe_json == before.identity.recipe_json);
  CHECK(after.identity.side == 96);
  CHECK(after.views == 3);
  CHECK(clean_pixels(again) == clean_pixels(store));
}

TEST_CASE("Pillow finds the picture where the unpacked box says it is" *
          doctest::test_suite("needs Python")) {
  DrawnSet set;
  constexpr int kWidth = 200, kHeight = 101;
  std::vector<std::uint8_t> rgb(kWidth * kHeight * 3, 0);
  for (int y = 20; y < 71; ++y)
    std::fill_n(&rgb[static_cast<std::size_t>((y * kWidth + 33) * 3)], 3 * 100, std::uint8_t{255});
  const std::vector<std::byte> png = encode_png(rgb, kWidth, kHeight);
  set.folder.write("p0.png", {reinterpret_cast<const char*>(png.data()), png.size()});
  set.list("train.txt", "p0.png 33,20,133,71,0\n");
  const std::string store = (set.folder / "store").string(), out = (set.folder / "out").string();
  REQUIRE(preprocess(build_words(set)).exit_code == 0);
  REQUIRE(preprocess({"unpack", "--store", store, "--to", "coco", "--out", out}).exit_code == 0);
  check_read_by_python("tests/tools/preprocess/check_unpacked.py", out);
}

TEST_CASE("unpack refuses flags with what they take") {
  DrawnSet set;
  set.pictures(1);
  const std::string store = (set.folder / "store").string(), out = (set.folder / "out").string();
  REQUIRE(preprocess(build_words(set)).exit_code == 0);
  const auto refused = [&](const std::vector<std::string>& more) {
    std::vector<std::string> words{"unpack", "--store", store, "--out", out};
    words.insert(words.end(), more.begin(), more.end());
    const ProgramResult result = preprocess(words);
    return std::to_string(result.exit_code) + " " + result.err;
  };
  CHECK(refused({"--to", "yollo"}).find("64 ") == 0);
  CHECK(refused({"--to", "yollo"}).find("--to: unknown format 'yollo'; did you mean 'yolo'?") !=
        std::string::npos);
  CHECK(refused({"--to", "yolo", "--pictures", "gif"})
            .find("--pictures is 'gif', must be png or jpeg") != std::string::npos);
  CHECK(refused({"--to", "yolo", "--quality", "0"}).find("--quality is 0, must be 1 to 100") !=
        std::string::npos);
  CHECK(refused({"--to", "yolo", "--threads", "-1"})
            .find("--threads is -1, must be 0 (all cores) to 4096") != std::string::npos);
}

}  // namespace letterpress
