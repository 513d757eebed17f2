#include "trainer/fit/epoch_checkpoints.h"

#include <doctest/doctest.h>

#include <set>

#include "tests/temp_dir.h"

using namespace letterpress;

TEST_CASE("of the checkpoints that stay the newest are kept, whatever else lies there") {
  const TempDir dir;
  const auto names = [&] {
    std::set<std::string> found;
    for (const auto& entry : std::filesystem::directory_iterator(dir.path()))
      found.insert(entry.path().filename().string());
    return found;
  };
  CHECK(epoch_checkpoint_name(12) == "epoch-000012.safetensors");
  CHECK(epoch_checkpoint_name(1234567) == "epoch-1234567.safetensors");
  const std::set<std::string> others{"epoch-x.safetensors", "best.safetensors", "epoch-000003.txt",
                                     "epoch-1.safetensors"};
  for (const std::string& name : others) dir.write(name, "");
  for (const std::int64_t epoch : {9, 10, 999999, 1000000})
    dir.write(epoch_checkpoint_name(epoch), "");
  remove_old_epoch_checkpoints(dir.path(), 0);
  CHECK(names().size() == 8);
  remove_old_epoch_checkpoints(dir.path(), 2);
  std::set<std::string> wanted = others;
  wanted.insert({"epoch-999999.safetensors", "epoch-1000000.safetensors"});
  CHECK(names() == wanted);
}
