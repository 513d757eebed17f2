// Class names that look the same, or nearly.
#include "preprocess/options/alike_names.h"

#include <doctest/doctest.h>

#include "tests/contains.h"
#include "tests/preprocess/drawn_set.h"

namespace letterpress {

TEST_CASE("a letter and its accent are one character or two, as Unicode composes them") {
  const AlikeBy by{.unicode = true};
  // NFD and NFC as Python's unicodedata.normalize writes them: a mark, two marks, Hangul with and
  // without a tail, kana, Cyrillic.
  for (const auto& [apart, together] :
       {std::pair{"cafe\u0301", "caf\u00e9"}, std::pair{"e\u0323\u0302", "\u1ec7"},
        std::pair{"\u1112\u1161\u11ab\u1100\u1161", "\ud55c\uac00"},
        std::pair{"\u304b\u3099", "\u304c"}, std::pair{"\u0438\u0306", "\u0439"},
        std::pair{"U\u0308ber", "\u00dcber"}}) {
    CAPTURE(together);
    CHECK(alike_form(apart, by) == together);
    CHECK(alike_form(together, by) == together);
    CHECK(alike_form(apart, {.letter_case = true, .space = true}) != together);
  }
  CHECK(alike_form("\U0001F600 x", by) == "\U0001F600 x");
}

TEST_CASE("case is that of any script, blanks are of any kind") {
  for (const auto& [upper, lower] :
       {std::pair{"ReD", "red"}, std::pair{"\u00c4PFEL", "\u00e4pfel"},
        std::pair{"\u0411\u042f", "\u0431\u044f"}, std::pair{"\u03a9", "\u03c9"},
        std::pair{"\u0141", "\u0142"}, std::pair{"\u0178", "\u00ff"}}) {
    CAPTURE(lower);
    CHECK(alike_form(upper, {.letter_case = true}) == lower);
    CHECK(alike_form(upper, {.unicode = true, .space = true}) == upper);
  }
  CHECK(alike_form(" a\u00a0 b\t\u3000\u200b", {.space = true}) == "a b");
  CHECK(alike_form("\u00a0", {.space = true}) == "");
}

TEST_CASE("pairs are named with what they differ in, and the flag that joins all of them") {
  CHECK(alike_names_text({"red", "green", "reed"}) == "");
  CHECK(alike_names_text({"Red", "cafe\u0301", "red ", "caf\u00e9"}) ==
        "classes whose names are nearly the same: 'Red' and 'red ' (case,space), 'cafe\u0301' and "
        "'caf\u00e9' (unicode); --merge-classes-by case,space,unicode joins them");
}

TEST_CASE(
    "letters that one of two flags joins: ohm and omega, kelvin and k, en quad and en space") {
  for (const auto& [sign, letter, words] :
       {std::tuple{"10 \u2126", "10 \u03a9", "unicode"}, std::tuple{"\u212a", "K", "unicode"},
        std::tuple{"\u212b", "\u00c5", "unicode"}, std::tuple{"a\u2000b", "a\u2002b", "unicode"}}) {
    CAPTURE(letter);
    const std::string text = alike_names_text({sign, letter});
    CHECK_CONTAINS(text, "classes whose names are nearly the same: ");
    const bool either = contains(text, "(case)") || contains(text, std::string("(") + words + ")");
    CHECK_MESSAGE(either, text);
  }
}

TEST_CASE("--merge-classes-by makes them one class, by the first name, in later builds too") {
  DrawnSet set;
  set.pictures(3);
  set.list("train.csv", "p0.png,5,5,30,30,Red\np1.png,5,5,30,30,red\np2.png,5,5,30,30,\"red \"\n");
  BuildOptions options = set.options_of("train.csv");
  const BuildReport apart = build_quietly(options);
  CHECK(Store::open(options.store).latest()->classes ==
        std::vector<std::string>{"Red", "red", "red "});
  REQUIRE(apart.recognised.size() == 2);
  CHECK_CONTAINS(apart.recognised[1], "'Red' and 'red' (case), 'Red' and 'red ' (case,space)");
  options.merge_classes_by = {"case", "space"};
  CHECK(build_quietly(options).recognised.size() == 1);
  CHECK(Store::open(options.store).latest()->statistics.boxes_per_class.at("Red") == 3);
  CHECK(build_options_from_json(to_json(options)).merge_classes_by == options.merge_classes_by);
  CHECK_FALSE(build_quietly(options).published);
  options.store = set.folder / "fresh";
  build_quietly(options);
  CHECK(Store::open(options.store).latest()->classes == std::vector<std::string>{"Red"});
}

TEST_CASE("another word is refused with those that there are") {
  DrawnSet set;
  BuildOptions options = set.options();
  options.merge_classes_by = {"colour"};
  CHECK(message_of([&] { validate(options); }) ==
        "64 --merge-classes-by is 'colour', must be case, unicode, space or several");
}

}  // namespace letterpress
