#include "letterpress/weights/darknet.h"

#include <doctest/doctest.h>

#include <array>
#include <cstring>

#include "letterpress/base/error.h"
#include "letterpress/base/file.h"
#include "tests/temp_dir.h"

using namespace letterpress;

namespace {

template <typename... Numbers>
std::string bytes_of(Numbers... numbers) {
  std::string bytes;
  (bytes.append(reinterpret_cast<const char*>(&numbers), sizeof numbers), ...);
  return bytes;
}

}  // namespace

TEST_CASE("a weight file is the header of Darknet 0.2 and the values") {
  TempDir dir;
  const std::array values{1.5f, -2.f, 3e-8f};
  write_darknet_weights(dir / "a.weights", values, 5'000'000'000);
  CHECK(read_file(dir / "a.weights") ==
        bytes_of(0, 2, 5, std::int64_t{5'000'000'000}, 1.5f, -2.f, 3e-8f));
  const DarknetWeights read = read_darknet_weights(dir / "a.weights");
  CHECK(read.seen == 5'000'000'000);
  CHECK(read.values == std::vector<float>{1.5f, -2.f, 3e-8f});
}

TEST_CASE("version 0.1 counts the pictures seen in four bytes") {
  TempDir dir;
  dir.write("old.weights", bytes_of(0, 1, 0, 77, 0.25f));
  const DarknetWeights read = read_darknet_weights(dir / "old.weights");
  CHECK(read.seen == 77);
  CHECK(read.values == std::vector<float>{0.25f});
}

TEST_CASE("a file that is cut, or none of Darknet's, says where and what") {
  TempDir dir;
  const std::string whole = bytes_of(0, 2, 5, std::int64_t{1}, 1.f, 2.f);
  for (std::size_t size = 0; size < whole.size(); ++size) {
    CAPTURE(size);
    dir.write("cut.weights", whole.substr(0, size));
    if (size == 20 || size == 24) {
      CHECK(read_darknet_weights(dir / "cut.weights").values.size() == (size - 20) / 4);
    } else {
      CHECK_THROWS_WITH_AS(read_darknet_weights(dir / "cut.weights"),
                           doctest::Contains("cut.weights: is cut within "), Error);
    }
  }
  dir.write("text.weights", "this is text, not weights at all");
  CHECK_THROWS_WITH_AS(read_darknet_weights(dir / "text.weights"),
                       doctest::Contains("this is not a Darknet weight file"), Error);
}
