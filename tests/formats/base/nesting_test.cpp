#include "letterpress/base/nesting.h"

#include <doctest/doctest.h>

#include "tests/message_of.h"

using namespace letterpress;

TEST_CASE("brackets are counted where they are not in a string") {
  const std::pair<const char*, std::size_t> cases[]{
      {"", 0},
      {"7", 0},
      {"[]", 1},
      {R"({"a":[1,{"b":2}],"c":[]})", 3},
      {R"(["[[[["])", 1},
      {R"(["\"[[", [])", 2},
      {R"(["\\", [[2]]])", 3},
      {"]]][[", 2},
      {R"(["[[)", 1},
  };
  for (const auto& [text, depth] : cases) {
    CAPTURE(text);
    CHECK(nesting_of(text) == depth);
  }
  CHECK(nesting_of(std::string(1'000'000, '[')) == 1'000'000);
}

TEST_CASE("brackets of a YAML are counted in quotes and comments as well") {
  for (const char* before : {"", "# \"\n", "a: '\"'\nb: ", "a: 6\" pipe\nb: "}) {
    CAPTURE(before);
    std::string apart, spread;
    for (int i = 0; i < 65; ++i) apart += "[ ,\n";
    for (int i = 0; i < 10'001; ++i) spread += "[1, ";
    CHECK(is_all_brackets(before + std::string(65, '[')));
    CHECK(is_all_brackets(before + std::string(65, '{')));
    CHECK(is_all_brackets(before + apart));
    CHECK(is_all_brackets(before + spread));
    CHECK_FALSE(is_all_brackets(before + std::string(64, '[')));
  }
  std::string names = "names:\n";
  for (int i = 0; i < 22'000; ++i) names += "  - tiger [animal]\n  - ':['\n  - ']:'\n";
  CHECK_FALSE(is_all_brackets(names));
}

TEST_CASE("what is nested deeper than any of our files is refused by name") {
  CHECK_NOTHROW(check_nesting(std::string(64, '['), "a.json"));
  CHECK(message_of([] { check_nesting(std::string(65, '['), "a.json"); }) ==
        "65 a.json: is nested more than 64 levels deep; it was not written by this program");
}

TEST_CASE("the parts of TOML's keys are counted, not the dots of texts and numbers") {
  const std::pair<const char*, std::size_t> cases[]{
      {"", 0},
      {"a = 1", 1},
      {"a.b . c = 1", 3},
      {"[a.b.c.d]", 4},
      {"a = [0.5, 0.25, 1.5]", 2},
      {"a = { b.c = 1.5, d = 2 }", 2},
      {"a = \"x.y.z.w\"\nb = 'x.y.z.w' # x.y.z.w", 1},
      {"\"=\".\"=\".c = 1", 3},
      {"a = \"\"\"x\n.y.z\"\n\"\"\"\nb.c = 1", 2},
      {"{ a = \"\"\"x\"\"\"\", b.b.b.b = 1 }", 4},
      {"{ a = '''x'''', b.b.b.b = 1 }", 4},
      {"a = '''\n''' # '\nb.c.d = 1", 3},
      {"a = \"\\\"\" # \nb.c.d = 1", 3},
      {"a = \"not closed\nb.c.d = 1", 3},
  };
  for (const auto& [text, parts] : cases) {
    CAPTURE(text);
    CHECK(longest_toml_key(text) == parts);
  }
}
