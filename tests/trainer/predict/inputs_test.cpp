#include "trainer/predict/inputs.h"

#include <doctest/doctest.h>

#include <sstream>

#include "letterpress/base/error.h"
#include "tests/bound_user.h"
#include "tests/skip.h"
#include "tests/temp_dir.h"

using namespace letterpress;

namespace {

std::vector<PictureInput> found(const std::vector<std::string>& inputs,
                                std::vector<Reject>& left_out,
                                const std::string& standard_input = "") {
  std::istringstream lines(standard_input);
  return find_pictures(inputs, left_out, lines);
}

}  // namespace

TEST_CASE(
    "a list names pictures from its own folder; results are named by the path in the list, or by "
    "the file name when that path leads away") {
  TempDir dir;
  for (const char* name : {"data/a.png", "data/deep/b.png", "c.png"}) dir.write(name, "x");
  const std::string list = dir.write("data/list.txt", "a.png\r\n\ndeep/b.png\n../c.png\n" +
                                                          (dir / "c.png").string() + "\ngone.png\n")
                               .string();
  std::vector<Reject> left_out;
  const std::vector<PictureInput> pictures = found({list}, left_out);
  REQUIRE(pictures.size() == 4);
  CHECK(pictures[0].file == dir / "data/a.png");
  CHECK(pictures[0].name == "a.png");
  CHECK(pictures[1].name == "deep/b.png");
  CHECK(std::filesystem::equivalent(pictures[2].file, dir / "c.png"));
  CHECK(pictures[2].name == "c.png");
  CHECK(pictures[3].name == "c.png");
  REQUIRE(left_out.size() == 1);
  CHECK(to_string(left_out[0]) == list + ":6: " + (dir / "data/gone.png").string() +
                                      " is not an existing file; it is left out");
}

TEST_CASE(
    "a list with a byte order mark is read, one with NUL bytes between its lines is refused") {
  TempDir dir;
  for (const char* name : {"a.png", "b.png"}) dir.write(name, "x");
  std::vector<Reject> left_out;
  const std::string list = dir.write("list.txt",
                                     "\xEF\xBB\xBF"
                                     "a.png\nb.png\n")
                               .string();
  CHECK(found({list}, left_out).size() == 2);
  CHECK(left_out.empty());
  const std::string nuls = (dir / "a.png").string() + '\0' + (dir / "b.png").string() + '\0';
  CHECK_THROWS_WITH_AS(found({"-"}, left_out, nuls),
                       "stdin:1: holds a NUL byte, must be a list of one picture per line; write "
                       "line ends between the names (find without -print0)",
                       Error);
}

TEST_CASE("a folder that may not be listed is named with the system's reason" *
          doctest::test_suite("needs a bound user")) {
  TempDir dir;
  dir.write("in/closed/a.png", "x");
  const std::filesystem::path closed = dir / "in/closed";
  const Mode mode(closed, std::filesystem::perms(0311));
  const NoSuperuser user(dir.path());
  if (!user.is_bound()) return skip("no user here whom modes bind");
  std::vector<Reject> left_out;
  CHECK_THROWS_WITH_AS(found({closed.string()}, left_out),
                       (closed.string() + ": cannot be listed: Permission denied; give this user "
                                          "read access to the folder, or name another one")
                           .c_str(),
                       Error);
  const std::string reason =
      "; of 1 left out the first: " + closed.string() + ": cannot be listed: Permission denied";
  CHECK_THROWS_WITH_AS(found({(dir / "in").string()}, left_out), doctest::Contains(reason.c_str()),
                       Error);
}

TEST_CASE("- is a list on standard input; no picture at all is 66") {
  TempDir dir;
  dir.write("a.png", "x");
  std::vector<Reject> left_out;
  const std::vector<PictureInput> pictures =
      found({"-"}, left_out, (dir / "a.png").string() + "\n");
  REQUIRE(pictures.size() == 1);
  CHECK(pictures[0].file == dir / "a.png");
  CHECK(pictures[0].name == "a.png");
  CHECK_THROWS_WITH_AS(found({"-"}, left_out, "\n"),
                       doctest::Contains("-: holds no picture and names none (.jpg"), Error);
  CHECK_THROWS_WITH_AS(
      found({(dir / "none").string()}, left_out),
      doctest::Contains("none: does not exist; --input takes pictures, folders or lists"), Error);
}
