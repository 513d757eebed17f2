#include "trainer/checkpoint/find_checkpoint.h"

#include <doctest/doctest.h>

#include "letterpress/base/error.h"
#include "tests/temp_dir.h"

using namespace letterpress;

TEST_CASE("a run's folder stands for its best checkpoint, else its last") {
  const TempDir dir;
  CHECK_THROWS_WITH_AS(find_checkpoint(dir.path(), "checkpoint"),
                       doctest::Contains("holds neither best.safetensors nor last.safetensors"),
                       Error);
  CHECK_THROWS_WITH_AS(find_checkpoint(dir / "none", "init"),
                       ("--init " + (dir / "none").string() +
                        ": is not there; give a checkpoint or the --out folder of a run")
                           .c_str(),
                       Error);
  const auto last = dir.write("last.safetensors", "l");
  CHECK(find_checkpoint(dir.path(), "checkpoint") == last);
  CHECK(note_on_found(dir.path(), last) ==
        dir.path().string() + " holds no best.safetensors yet, its last.safetensors is used");
  CHECK(note_on_found(last, last).empty());
  const auto best = dir.write("best.safetensors", "b");
  CHECK(find_checkpoint(dir.path(), "checkpoint") == best);
  CHECK(note_on_found(dir.path(), best).empty());
  CHECK(find_checkpoint(last, "checkpoint") == last);
}
