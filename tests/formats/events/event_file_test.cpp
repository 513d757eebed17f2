#include "letterpress/events/event_file.h"

#include <doctest/doctest.h>
#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <set>

#include "letterpress/base/error.h"
#include "tests/locations.h"
#include "tests/skip.h"
#include "tests/temp_dir.h"

using namespace letterpress;

namespace {

std::set<std::filesystem::path> files_of(const std::filesystem::path& folder) {
  std::set<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) files.insert(entry.path());
  return files;
}

std::uint64_t number_at(const std::string& bytes, std::size_t at, std::size_t n) {
  std::uint64_t number = 0;
  for (std::size_t i = n; i-- > 0;)
    number = number << 8 | static_cast<unsigned char>(bytes.at(at + i));
  return number;
}

/// Contents of the records, each with both sums checked: the mask undone as TFRecord's format
/// description has it.
std::vector<std::string> records_of(const std::string& bytes) {
  const auto unmasked = [](std::uint64_t masked) {
    const auto rotated = static_cast<std::uint32_t>(masked) - 0xA282EAD8U;
    return rotated >> 17 | rotated << 15;
  };
  std::vector<std::string> records;
  for (std::size_t at = 0; at < bytes.size();) {
    const std::size_t length = number_at(bytes, at, 8);
    CHECK(unmasked(number_at(bytes, at + 8, 4)) == crc32c(bytes.substr(at, 8)));
    records.push_back(bytes.substr(at + 12, length));
    CHECK(unmasked(number_at(bytes, at + 12 + length, 4)) == crc32c(records.back()));
    at += 16 + length;
  }
  return records;
}

/// What TensorBoard reads in a folder; empty where it is not installed.
std::string read_by_tensorboard(const std::filesystem::path& folder) {
  const std::string command = LETTERPRESS_TEST_PYTHON
                              " '" LETTERPRESS_SOURCE_DIR
                              "/tests/formats/events/read_by_tensorboard.py' '" +
                              folder.string() + "' 2>/dev/null";
  FILE* const pipe = popen(command.c_str(), "r");
  REQUIRE(pipe);
  std::string text;
  std::array<char, 4096> piece{};
  while (const std::size_t n = std::fread(piece.data(), 1, piece.size(), pipe))
    text.append(piece.data(), n);
  const int status = pclose(pipe);
  if (WEXITSTATUS(status) == 77 || WEXITSTATUS(status) == 127) {
    skip("no python3 with tensorboard; scripts/setup.sh --tests");
    return "";
  }
  REQUIRE(WEXITSTATUS(status) == 0);
  return text;
}

}  // namespace

TEST_CASE("CRC-32C by the vectors of RFC 3720, B.4") {
  CHECK(crc32c(std::string(32, '\0')) == 0x8A9136AA);
  CHECK(crc32c(std::string(32, '\xFF')) == 0x62A8AB43);
  std::string ascending;
  for (char byte = 0; byte < 32; ++byte) ascending += byte;
  CHECK(crc32c(ascending) == 0x46DD794E);
  CHECK(crc32c("123456789") == 0xE3069283);
}

TEST_CASE(
    "records have the length, both masked sums, and messages whose fields are those of "
    "event.proto") {
  const TempDir dir;
  EventFile events(dir / "tensorboard", 0);
  CHECK_FALSE(std::filesystem::exists(dir / "tensorboard"));  // made with the first scalar
  events.append(300, std::array{Scalar{"a", 1.0}});
  const auto files = files_of(dir / "tensorboard");
  REQUIRE(files.size() == 1);
  CHECK(files.begin()->filename().string().starts_with("events.out.tfevents."));
  const auto records = records_of(read_file(*files.begin()));
  REQUIRE(records.size() == 2);
  // Field 1, double: the time; 2, varint: the step; 3, string: the version.
  CHECK(records[0].substr(0, 1) == "\x09");
  CHECK(records[0].substr(9) == std::string("\x10\x00\x1A\x0D", 4) + "brain.Event:2");
  // Step 300 is the varint AC 02. Field 5 holds, as its field 1, the tag (field 1) and the float 1
  // (field 2: 00 00 80 3F).
  CHECK(records[1].substr(9) == std::string("\x10\xAC\x02\x2A\x0A\x0A\x08\x0A\x01", 9) + "a" +
                                    std::string("\x15\x00\x00\x80\x3F", 5));
}

TEST_CASE(
    "TensorBoard reads the curves of a run and of its resumption, which is a new file and voids "
    "what came after its start" *
    doctest::test_suite("needs TensorBoard")) {
  const TempDir dir;
  EventFile first(dir / "run", 0);
  for (const std::int64_t step : {10, 20, 30})
    first.append(step, std::array{Scalar{"loss/total", 5.0 / static_cast<double>(step)},
                                  Scalar{"lr", 0.25}});
  const auto before = files_of(dir / "run");
  const std::string content = read_file(*before.begin());
  EventFile resumed(dir / "run", 20);  // step 30 was lost
  resumed.append(25, std::array{Scalar{"loss/total", 7.0}});
  resumed.append(30, std::array{Scalar{"loss/total", 8.0}});
  CHECK(files_of(dir / "run").size() == 2);
  CHECK(read_file(*before.begin()) == content);
  const std::string read = read_by_tensorboard(dir / "run");
  if (!read.empty())
    CHECK(
        read ==
        R"({"loss/total": [[10, 0.5], [20, 0.25], [25, 7.0], [30, 8.0]], "lr": [[10, 0.25], [20, 0.25]]})");
}

TEST_CASE("a folder that cannot be made is named") {
  const TempDir dir;
  dir.write("file", "no folder");
  EventFile events(dir / "file/tensorboard", 0);
  CHECK_THROWS_WITH_AS(events.append(1, {}), doctest::Contains("/file: folder cannot be created"),
                       Error);
}
