#include <doctest/doctest.h>

#include "tests/preprocess/augment/make_augmentation.h"

namespace letterpress {
namespace {

// Pillow 11: Image.new("RGB", (1, 1), colour).convert("L").
TEST_CASE("grey is Pillow's luma in all three channels") {
  const std::vector<std::uint8_t> colours{255, 0, 0, 0, 255, 0, 0, 0, 255, 12, 200, 99};
  CHECK(coloured(*make("grey"), {1}, colours, 2) ==
        std::vector<std::uint8_t>{76, 76, 76, 150, 150, 150, 29, 29, 29, 132, 132, 132});
  CHECK(coloured(*make("grey"), {0}, colours, 2) == colours);
}

}  // namespace
}  // namespace letterpress
