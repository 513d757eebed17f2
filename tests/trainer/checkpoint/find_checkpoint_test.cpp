#include "trainer/checkpoint/find_checkpoint.h"

#include <doctest/doctest.h>

#include <sstream>

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
  std::ostringstream notes;
  CHECK(find_checkpoint(dir.path(), "checkpoint", &notes) == last);
  CHECK(find_checkpoint(last, "checkpoint", &notes) == last);
  CHECK(notes.str() ==
        dir.path().string() + " holds no best.safetensors yet, its last.safetensors is used\n");
  const auto best = dir.write("best.safetensors", "b");
  notes.str("");
  CHECK(find_checkpoint(dir.path(), "checkpoint", &notes) == best);
  CHECK(find_checkpoint(last, "checkpoint", &notes) == last);
  CHECK(notes.str() == "");
}
