#include <doctest/doctest.h>

#include <array>

#include "tests/contains.h"
#include "tests/tools/preprocess/linted.h"

namespace letterpress {

TEST_CASE(
    "findings leave the exit code at 0 unless --strict asks for 65; --limit shortens the text, "
    "never the JSON") {
  Linted linted;
  linted.set.pictures(4);
  std::string lines;
  for (int i = 0; i < 4; ++i) lines += "p" + std::to_string(i) + ".png 10,10,11,40,0\n";
  linted.set.list("train.txt", lines);
  linted.build();
  const ProgramResult result = linted.lint({"--limit", "2"});
  CHECK(result.exit_code == 0);
  CHECK(contains(result.out, "tiny-box: p0.png (" + linted.where("train.txt", 1) +
                                 ") 1 of 1 boxes too small to be seen in the 64 frame"));
  CHECK(contains(result.out, "  and 2 more of tiny-box; --limit shows more\n"));
  CHECK(!contains(result.out, "p2.png"));
  CHECK(contains(result.last_line(), linted.store + ": snapshot 1, "));
  CHECK(contains(result.last_line(), "4 tiny-box"));
  CHECK(linted.of("tiny-box", {"--limit", "1"}).size() == 4);
  CHECK(linted.lint({"--strict"}).exit_code == 65);
}

TEST_CASE(
    "a set with nothing to remark has no findings and passes --strict; flags out of range are "
    "refused") {
  Linted linted;
  linted.set.pictures(2);
  linted.set.list("classes.txt", "cat\n");
  linted.set.list("train.txt", "p0.png 10,10,40,30,0\np1.png 20,10,50,40,0\n");
  linted.build();
  const ProgramResult result = linted.lint({"--strict"});
  CHECK(result.exit_code == 0);
  CHECK(result.last_line() == linted.store + ": snapshot 1, 0 findings");
  const std::vector<std::array<std::string, 3>> cases{
      {"--radius", "8", "--radius is 8, must be 0 to 7"},
      {"--grey", "300", "--grey is 300, must be 0 to 255"},
      {"--imbalance", "0.5", "--imbalance is 0.5, must be 1 to 1e+09"},
      {"--double-iou", "0", "--double-iou is 0, must be 0.01 to 1"},
      {"--edge-share", "2", "--edge-share is 2, must be 0 to 1"},
      {"--limit", "0", "--limit is 0, must be 1 to 1e+09"}};
  for (const auto& [flag, value, text] : cases) {
    const ProgramResult refused = linted.lint({flag, value});
    CHECK(refused.exit_code == 64);
    CHECK_MESSAGE(contains(refused.err, text), refused.err);
  }
}

}  // namespace letterpress
