#include "letterpress/base/parse_as.h"

#include <doctest/doctest.h>

#include <cstdint>

using namespace letterpress;

TEST_CASE("a number is all of its text, and fits its type") {
  CHECK(parse_as<int>("-12") == -12);
  CHECK(parse_as<std::uint8_t>("255") == 255);
  CHECK(parse_as<double>("2.5e-1") == 0.25);
  for (const char* text : {"", " 1", "1 ", "+1", "1x", "0x1", "1.5", "2147483648"}) {
    CAPTURE(text);
    CHECK_FALSE(parse_as<int>(text));
  }
  CHECK_FALSE(parse_as<std::uint8_t>("256"));
  CHECK_FALSE(parse_as<std::uint8_t>("-1"));
  CHECK_FALSE(parse_as<double>("1e999"));
  CHECK(parse_count("0") == 0);
  CHECK_FALSE(parse_count("-1"));
  CHECK_FALSE(parse_count("1x"));
}
