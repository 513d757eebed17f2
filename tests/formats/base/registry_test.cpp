#include "letterpress/base/registry.h"

#include <doctest/doctest.h>

#include <array>
#include <string>

using namespace letterpress;

namespace {

struct Entry {
  const char* name;
  const char* help;
  int value;
};
constexpr Entry linear{"linear", "a line", 1}, cosine{"cosine", "a wave", 2};
constexpr std::array entries{&cosine, &linear};

}  // namespace

TEST_CASE(
    "an entry is found by its name; another name lists the known ones, nearest first, with the "
    "exit code asked for") {
  CHECK(find_entry(entries, "schedule", "linear").value == 1);
  CHECK(find_entry(entries, "schedule", "cosine").value == 2);
  for (const Exit exit : {Exit::usage, Exit::data}) {
    try {
      find_entry(entries, "schedule", "linaer", exit);
      FAIL("was found");
    } catch (const Error& error) {
      CHECK(std::string(error.what()) ==
            "unknown schedule 'linaer'; did you mean 'linear'? known: linear, cosine");
      CHECK(error.exit() == exit);
    }
  }
}

TEST_CASE("a registry tells names and help in its order") {
  const auto infos = infos_of(entries);
  REQUIRE(infos.size() == 2);
  CHECK(infos[0].name == "cosine");
  CHECK(infos[1].help == "a line");
  CHECK(help_of(entries) == "cosine: a wave; linear: a line");
  CHECK(help_of(infos) == help_of(entries));
}
