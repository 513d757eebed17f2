#include <doctest/doctest.h>

#include <atomic>
#include <thread>

#include "tests/message_of.h"
#include "tests/preprocess/drawn_set.h"
#include "tests/tools/preprocess/preprocess_tool.h"

namespace letterpress {
namespace {

int build_program(const DrawnSet& set) {
  return preprocess({"build", "--store", (set.folder / "store").string(), "--input",
                     (set.folder / "train.txt").string(), "--classes",
                     (set.folder / "classes.txt").string(), "--size", "64", "--views", "2",
                     "--threads", "2", "--shard-bytes", "48KiB"})
      .exit_code;
}

}  // namespace

TEST_CASE(
    "a reader that opens the store all along while builds publish sees whole snapshots only, never "
    "an older one again") {
  DrawnSet set;
  set.pictures(6);
  std::string lines = DrawnSet::line(0);
  set.list("train.txt", lines);
  REQUIRE(build_program(set) == 0);
  std::size_t last = 3;
  int looks = 0;
  for (int pictures = 2; pictures <= 6; ++pictures) {
    CAPTURE(pictures);
    lines += DrawnSet::line(pictures - 1);
    set.list("train.txt", lines);
    std::atomic<bool> ended{false};
    int exit_code = -1;
    {
      const std::jthread builder([&] {
        exit_code = build_program(set);
        ended = true;
      });
      const std::size_t before = 3 * static_cast<std::size_t>(pictures - 1);
      for (bool one_more = true; one_more; ++looks) {
        one_more = !ended;
        const std::string message = message_of([&] {
          const std::size_t rows = row_contents(set.folder / "store").size();  // checks every row
          CHECK((rows == before || rows == before + 3));
          CHECK(rows >= last);
          last = rows;
        });
        CHECK(message == "no error");
      }
    }
    CHECK(exit_code == 0);
    CHECK(last == 3 * static_cast<std::size_t>(pictures));
  }
  CHECK(looks > 10);
}

}  // namespace letterpress
