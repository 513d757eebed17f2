#include <doctest/doctest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "tests/contains.h"
#include "tests/temp_dir.h"
#include "tests/tools/preprocess/preprocess_tool.h"

namespace letterpress {
namespace {

TEST_CASE("doctor says on a page what there is, how fast it builds and what limits it") {
  const TempDir dir;
  const ProgramResult result = preprocess({"doctor", "--store", (dir / "store").string(), "--size",
                                           "64", "--recipe", "none", "--json"});
  REQUIRE_MESSAGE(result.exit_code == 0, result.err);
  for (const char* subject :
       {"\nprocessor  ", "\nmemory     ", "\ngpus       ", "\ndisk       ", "\nbuilding   "})
    CHECK_CONTAINS(result.out, subject);
  CHECK_CONTAINS(result.out, "program    letterpress ");
  CHECK_CONTAINS(result.out, "rows/s of 64 x 64 on ");
  CHECK_CONTAINS(result.out, "\nall works here\n");
  const auto json = nlohmann::json::parse(result.last_line());
  CHECK(json.at("faults").empty());
  CHECK(json.at("building").at("rows_per_s").get<double>() > 0);
  CHECK(json.at("gpus").at("of_driver").is_array());
  CHECK(json.at("disk").at("folder") == dir.path().string());
  CHECK(std::filesystem::is_empty(dir.path()));
}

TEST_CASE("doctor on a place where no store can lie is exit 78 and says why") {
  const ProgramResult result = preprocess({"doctor", "--store", "/proc/store", "--size", "64"});
  CHECK(result.exit_code == 78);
  CHECK_CONTAINS(result.out, "\nwill not work: /proc");
  CHECK_CONTAINS(result.out, "the disk could not be tried");
  CHECK(preprocess({"doctor", "--size", "100"}).exit_code == 64);
  CHECK(preprocess({"doctor", "--recipe", "detekt"}).exit_code == 64);
}

}  // namespace
}  // namespace letterpress
