#include "formats/annotations/files/text.h"

#include <doctest/doctest.h>

#include <cmath>

namespace letterpress::annotations {

TEST_CASE("numbers are whole fields and do not depend on the locale") {
  CHECK(parse_number("1.5") == 1.5);
  CHECK(parse_number(" +2e1\r") == 20);
  CHECK(parse_number("-.5") == -0.5);
  CHECK(std::isnan(*parse_number("nan")));
  CHECK(std::isinf(*parse_number("1e999")));
  CHECK(parse_number("1e-999") == 0);
  for (const char* text : {"", " ", "1,5", "1.5x", "0x10", "--1", "1 2", "e5"})
    CHECK_FALSE(parse_number(text));
}

TEST_CASE("integers may be written with a zero fraction") {
  CHECK(parse_integer("7") == 7);
  CHECK(parse_integer("7.0") == 7);
  CHECK(parse_integer("-3") == -3);
  for (const char* text : {"7.5", "nan", "inf", "1e300", "seven", ""})
    CHECK_FALSE(parse_integer(text));
}

TEST_CASE("lines keep their numbers across empty ones") {
  Lines lines("\xEF\xBB\xBF\n  a b\t\r\n\r\nc");
  REQUIRE(lines.next());
  CHECK(lines.text() == "a b");
  CHECK(lines.number() == 2);
  REQUIRE(lines.next());
  CHECK(lines.text() == "c");
  CHECK(lines.number() == 4);
  CHECK_FALSE(lines.next());
}

TEST_CASE("where there is no line feed, carriage returns end lines") {
  Lines lines("a b\r\rc\r");
  REQUIRE(lines.next());
  CHECK(lines.text() == "a b");
  REQUIRE(lines.next());
  CHECK(lines.text() == "c");
  CHECK(lines.number() == 3);
  CHECK_FALSE(lines.next());
}

TEST_CASE("what is shown is valid UTF-8 without control characters, and short") {
  CHECK(printable("Größe 日本 😀") == "Größe 日本 😀");
  CHECK(printable("a\nb\x1b[0m") == "a\\x0ab\\x1b[0m");
  CHECK(printable("\xFFz\xC3") == "\\xffz\\xc3");
  CHECK(printable("\xC0\x80") == "\\xc0\\x80");
  CHECK(printable(std::string(300, 'a')) == std::string(200, 'a') + "...");
  CHECK(is_utf8(printable(std::string(199, 'a') + "日本")));
}

TEST_CASE("a number too near 0 is 0, one too large is not finite, however they are written") {
  for (const std::string& text : std::vector<std::string>{"1e-400", "1E-400", "-1e-400",
                                                          "0." + std::string(400, '0') + "1"}) {
    CAPTURE(text);
    CHECK(parse_coordinate(text).fault.empty());
    CHECK(parse_coordinate(text).value == 0);
  }
  for (const std::string& text :
       std::vector<std::string>{"1e400", "1E400", "-1E+400", "1" + std::string(400, '0') + ".5"}) {
    CAPTURE(text);
    CHECK(parse_coordinate(text).fault.ends_with(" is not finite"));
  }
}

TEST_CASE("letters of ASCII are made small, and sides of pictures are below 2^24") {
  CHECK(in_small_letters("Train_2017 @AZ[`az{ \xC3\x84") == "train_2017 @az[`az{ \xC3\x84");
  for (const double side : {1.0, 16777215.0}) CHECK(is_picture_side(side));
  for (const double other : {0.0, -1.0, 0.5, 16777216.0, std::nan("")})
    CHECK_FALSE(is_picture_side(other));
}

}  // namespace letterpress::annotations
