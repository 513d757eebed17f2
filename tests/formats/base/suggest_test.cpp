#include "letterpress/base/suggest.h"

#include <doctest/doctest.h>

using namespace letterpress;

namespace {
const std::vector<std::string> kRecipes{"detect", "inspect", "keras-yolo3", "none"};
}

TEST_CASE("names come nearest first, equal ones in their own order") {
  CHECK(nearest_first("nnoe", kRecipes).front() == "none");
  CHECK(nearest_first("inspct", kRecipes).front() == "inspect");
  const std::vector<std::string> equal{"b", "a", "c"};
  CHECK(nearest_first("x", equal) == equal);
}

TEST_CASE("a near name is suggested: one insertion, deletion, replacement or swap of neighbours") {
  for (const char* typo : {"nonee", "non", "nome", "nnoe"}) {
    CAPTURE(typo);
    CHECK(unknown_name("recipe", typo, kRecipes).find("did you mean 'none'?") != std::string::npos);
  }
}

TEST_CASE("the whole message lists what is known") {
  CHECK(unknown_name("recipe", "nnoe", kRecipes) ==
        "unknown recipe 'nnoe'; did you mean 'none'? known: none, detect, inspect, keras-yolo3");
}

TEST_CASE("nothing is suggested when nothing is near") {
  CHECK(unknown_name("recipe", "zzzzzz", kRecipes).find("did you mean") == std::string::npos);
  CHECK(unknown_name("recipe", "zzzzzz", kRecipes).starts_with("unknown recipe 'zzzzzz'; known: "));
  CHECK(unknown_name("flag", "a", {}) == "unknown flag 'a'; known: ");
}
