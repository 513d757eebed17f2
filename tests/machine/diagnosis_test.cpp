#include "letterpress/machine/diagnosis.h"

#include <doctest/doctest.h>

#include "tests/contains.h"
#include "tests/temp_dir.h"

using namespace letterpress;

TEST_CASE("a page has a line for each subject, then what will not work") {
  Diagnosis diagnosis;
  diagnosis.add("cpu", "two cores", {{"cores", 2}});
  diagnosis.add("memory", "much", {{"total", 7}});
  CHECK(diagnosis.is_healthy());
  CHECK(diagnosis.text() == "cpu     two cores\nmemory  much\nall works here\n");
  CHECK(diagnosis.json().dump() == R"({"cpu":{"cores":2},"memory":{"total":7},"faults":[]})");
  diagnosis.add_fault("/a: has no locks; mount it with locks");
  CHECK_FALSE(diagnosis.is_healthy());
  CHECK(diagnosis.text() ==
        "cpu     two cores\nmemory  much\nwill not work: /a: has no locks; mount it with locks\n");
  CHECK(diagnosis.json().at("faults").size() == 1);
}

TEST_CASE("the machine, its memory and a disk that is yet to be filled are on the page") {
  const TempDir dir;
  Diagnosis diagnosis;
  add_processor(diagnosis);
  add_memory(diagnosis);
  CHECK(add_disk(diagnosis, dir / "store/not/there") > 0);
  const auto json = diagnosis.json();
  CHECK(json.at("processor").at("usable") >= 1);
  CHECK(json.at("memory").at("total") > 0);
  CHECK(json.at("disk").at("folder") == dir.path().string());
  CHECK_CONTAINS(diagnosis.text(), "disk");
  CHECK(std::filesystem::is_empty(dir.path()));
}

TEST_CASE("a folder that is only read is tried by one of its files, and nothing is written") {
  const TempDir dir;
  dir.write("file", std::string(std::size_t{3} << 20, 'x'));
  const auto changed = std::filesystem::last_write_time(dir.path());
  Diagnosis diagnosis;
  add_read_disk(diagnosis, dir.path(), dir / "file");
  CHECK(diagnosis.is_healthy());
  CHECK(diagnosis.json().at("disk").at("written_per_s") == 0);
  CHECK(diagnosis.json().at("disk").at("bytes_free") > 0);
  CHECK(std::filesystem::last_write_time(dir.path()) == changed);
}

TEST_CASE("a folder that cannot be examined is a fault, not the end of the page") {
  const TempDir dir;
  dir.write("file", "x");
  Diagnosis diagnosis;
  CHECK(add_disk(diagnosis, dir / std::string(300, 'x')) == 0);
  CHECK_CONTAINS(diagnosis.text(), "will not work: ");
  CHECK_CONTAINS(diagnosis.text(), ": cannot be examined: File name too long");
}
