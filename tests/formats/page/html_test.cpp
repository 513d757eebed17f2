#include "letterpress/page/html.h"

#include <doctest/doctest.h>

using namespace letterpress;

TEST_CASE("markup in a name is text on the page, in attributes too") {
  CHECK(escaped("<script>alert('a&b')</script>\"") ==
        "&lt;script&gt;alert(&#39;a&amp;b&#39;)&lt;/script&gt;&quot;");
  CHECK(escaped("Blutkörperchen 血 🩸") == "Blutkörperchen 血 🩸");
}

TEST_CASE("control characters and bytes that are not UTF-8 become the replacement character") {
  const std::string unknown = "\xEF\xBF\xBD";
  CHECK(escaped("a\tb\n") == "a" + unknown + "b" + unknown);
  CHECK(escaped("\xFF") == unknown);
  CHECK(escaped("caf\xE9") == "caf" + unknown);     // Latin-1
  CHECK(escaped("\xC0\xBC") == unknown + unknown);  // an overlong '<'
  CHECK(escaped("\xE0\x80\xBC") == unknown + unknown + unknown);
  CHECK(escaped("\xED\xA0\x80") == unknown + unknown + unknown);  // a surrogate
  CHECK(escaped("\xF4\x90\x80\x80") == unknown + unknown + unknown + unknown);
  CHECK(escaped("\xE2\x82") == unknown + unknown);  // cut
}

TEST_CASE("base64 by the vectors of RFC 4648, section 10") {
  const auto encoded = [](const std::string& text) {
    return png_uri(std::as_bytes(std::span(text)))
        .substr(std::string("data:image/png;base64,").size());
  };
  CHECK(encoded("") == "");
  CHECK(encoded("f") == "Zg==");
  CHECK(encoded("fo") == "Zm8=");
  CHECK(encoded("foo") == "Zm9v");
  CHECK(encoded("foobar") == "Zm9vYmFy");
  CHECK(encoded("\xFF\xFE\xFD") == "//79");
}

TEST_CASE("numbers are grouped by thousands") {
  CHECK(grouped(0) == "0");
  CHECK(grouped(999) == "999");
  CHECK(grouped(1000) == "1,000");
  CHECK(grouped(-1234567) == "-1,234,567");
  CHECK(grouped(-999) == "-999");
  CHECK(named_number("boxes", 1234) == "<span data-figure=\"boxes\">1,234</span>");
}

TEST_CASE("a name that is too long for its column loses whole characters at its end") {
  CHECK(shortened("platelets", 9) == "platelets");
  CHECK(shortened("platelets", 8) == "platele…");
  CHECK(shortened("aaé", 3) == "aaé");
  CHECK(shortened("aéa", 2) == "a…");  // é is two bytes
  // Letters count, not their bytes; Chinese ones are twice as wide.
  CHECK(shortened("дорожный знак стоп", 18) == "дорожный знак стоп");
  CHECK(shortened("дорожный знак стоп", 17) == "дорожный знак ст…");
  CHECK(shortened("道路標識", 8) == "道路標識");
  CHECK(shortened("道路標識", 7) == "道路標…");
  CHECK(shortened("道路標識", 6) == "道路…");
  CHECK(attribute("class", "a\"b") == " data-class=\"a&quot;b\"");
}
