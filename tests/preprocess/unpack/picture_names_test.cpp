#include "preprocess/unpack/picture_names.h"

#include <doctest/doctest.h>

namespace letterpress {
namespace {

using Names = std::vector<std::string>;

Hash128 hash_of(const std::string& digits) {
  return Hash128::from_hex(digits + std::string(32 - digits.size(), '0'));
}

Names named(const Names& names) {
  std::vector<NamedPicture> pictures;
  for (std::size_t i = 0; i < names.size(); ++i)
    pictures.push_back({names[i], hash_of("abcdef0" + std::to_string(i))});
  return file_names(pictures, ".png");
}

}  // namespace

TEST_CASE("names keep their folders but those that all share, and get the new extension") {
  CHECK(named({"/data/set/a/1.jpg", "/data/set/b/2.JPEG", "/data/set/3.tif"}) ==
        Names{"a/1.png", "b/2.png", "3.png"});
  CHECK(named({"data_batch_1.bin/17"}) == Names{"17.png"});
  CHECK(named({"a.b/1.x.jpg", "c/2.jpg"}) == Names{"a.b/1.x.png", "c/2.png"});
}

TEST_CASE("no name leads elsewhere or to a folder that YOLO takes for another") {
  CHECK(named({"../../x/1.jpg", "..", "/", ""}) ==
        Names{"x/1.png", "picture.png", "picture-abcdef02.png", "picture-abcdef03.png"});
  CHECK(named({"train/images/1.jpg", "val/images/1.jpg", "labels/2.jpg"}) ==
        Names{"train/1.png", "val/1.png", "2.png"});
  CHECK(named({"a\nb\x01.jpg"}) == Names{"a_b_.png"});
}

TEST_CASE("no name is one that build passes over as a system's") {
  CHECK(named({".cache/1.jpg", "#recycle/2.jpg", "a/._3.jpg", "Lost+Found/4.jpg", "a/5#.jpg"}) ==
        Names{"_.cache/1.png", "_#recycle/2.png", "a/_._3.png", "_Lost+Found/4.png", "a/5#.png"});
  CHECK(named({"@user/1.jpg", "#7.jpg", ".hid.jpg", "recycler.jpg"}) ==
        Names{"@user/1.png", "#7.png", ".hid.png", "recycler.png"});
}

TEST_CASE("names that would meet, in any case, get a part of their picture's hash") {
  CHECK(named({"1.jpg", "1.png", "1.PNG", "I.png"}) ==
        Names{"1.png", "1-abcdef01.png", "1-abcdef02.png", "I.png"});
  CHECK(named({"a.png", "A.png"}) == Names{"a.png", "A-abcdef01.png"});
  CHECK(named({}) == Names{});
}

}  // namespace letterpress
