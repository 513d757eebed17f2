// Files that would have HDF5 open other files.
#include <doctest/doctest.h>
#include <hdf5.h>
#include <sys/stat.h>

#include <array>

#include "letterpress/base/file.h"
#include "letterpress/hdf5/foreign.h"
#include "tests/contains.h"
#include "tests/message_of.h"
#include "tests/temp_dir.h"

using namespace letterpress;
namespace fs = std::filesystem;

namespace {

// A column "numbers" and, in the group "group", floats "own", a soft link "soft" to them, and an
// external link "outside" into the FIFO `fifo`, from which HDF5 would read for ever.
void write_links(const fs::path& path, const fs::path& fifo, bool in_root) {
  hdf5::File file = hdf5::create_file(path);
  const std::array<std::int32_t, 2> numbers{1, 2};
  hdf5::write_column(file, "numbers", std::span<const std::int32_t>(numbers));
  const hdf5::Group group(H5Gcreate2(file, "/group", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), {});
  const std::string prefix = in_root ? "/" : "/group/";
  REQUIRE(H5Lcreate_soft("/numbers", file, (prefix + "soft").c_str(), H5P_DEFAULT, H5P_DEFAULT) >=
          0);
  REQUIRE(H5Lcreate_external(fifo.c_str(), "/x", file, (prefix + "outside").c_str(), H5P_DEFAULT,
                             H5P_DEFAULT) >= 0);
  hdf5::close_file(std::move(file));
}

}  // namespace

TEST_CASE("a file with a link in its root is refused before anything is opened by it") {
  TempDir dir;
  REQUIRE(mkfifo((dir / "fifo").c_str(), 0644) == 0);
  write_links(dir / "a.h5", dir / "fifo", true);
  const std::string told = message_of([&] { hdf5::open_file(dir / "a.h5"); });
  CHECK(told.starts_with("65 " + (dir / "a.h5").string() + ": /"));
  CHECK_CONTAINS(told, "is a link to another place, must be in this file itself; it was not");
}

TEST_CASE("in a model of another program no link is followed") {
  TempDir dir;
  REQUIRE(mkfifo((dir / "fifo").c_str(), 0644) == 0);
  write_links(dir / "a.h5", dir / "fifo", false);
  const hdf5::File file = hdf5::open_foreign(read_file(dir / "a.h5"), dir / "a.h5");
  CHECK(hdf5::members_of(file, "group") == std::vector<std::string>{"outside", "soft"});
  for (const std::string name : {"group/soft", "/group/outside", "group/outside/more"}) {
    CAPTURE(name);
    for (const std::string& told :
         {message_of([&] { hdf5::read_floats(file, name, 100); }),
          message_of([&] { hdf5::holds_floats(file, name); }),
          message_of([&] { hdf5::members_of(file, name); }),
          message_of([&] { hdf5::has_attribute(file, name, "a"); }),
          message_of([&] { hdf5::read_texts_attribute(file, name, "a"); })})
      CHECK_CONTAINS(told, "is a link to another place, must be in this file itself; save");
  }
}

TEST_CASE("a link, a FIFO and a device are not opened as HDF5 files") {
  TempDir dir;
  const std::array<std::int32_t, 1> numbers{1};
  hdf5::File file = hdf5::create_file(dir / "a.h5");
  hdf5::write_column(file, "numbers", std::span<const std::int32_t>(numbers));
  hdf5::close_file(std::move(file));
  fs::create_symlink(dir / "a.h5", dir / "link.h5");
  REQUIRE(mkfifo((dir / "fifo.h5").c_str(), 0644) == 0);
  CHECK_CONTAINS(message_of([&] { hdf5::open_file(dir / "link.h5"); }),
                 "link.h5: is a symbolic link, must be a file itself");
  CHECK_CONTAINS(message_of([&] { hdf5::open_file(dir / "fifo.h5"); }),
                 "fifo.h5: is not a regular file (a folder, FIFO or device)");
}

TEST_CASE("bytes behind the end of a file are told by their number") {
  TempDir dir;
  const std::array<std::int32_t, 1> numbers{1};
  hdf5::File file = hdf5::create_file(dir / "a.h5");
  hdf5::write_column(file, "numbers", std::span<const std::int32_t>(numbers));
  hdf5::close_file(std::move(file));
  const std::string end = std::to_string(fs::file_size(dir / "a.h5"));
  fs::resize_file(dir / "a.h5", std::uintmax_t{1} << 40);
  CHECK_CONTAINS(message_of([&] { hdf5::open_file(dir / "a.h5"); }),
                 "a.h5: has 1099511627776 bytes, its content ends at " + end + "; restore");
}
