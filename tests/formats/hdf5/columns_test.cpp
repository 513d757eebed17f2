#include "letterpress/hdf5/columns.h"

#include <doctest/doctest.h>

#include "letterpress/base/file.h"
#include "tests/temp_dir.h"

using namespace letterpress;
namespace fs = std::filesystem;

namespace {

const std::vector<std::int32_t> kNumbers{1, 2, 3};
const std::vector<std::string> kNames{"a", "", "c"};

template <class Sink>
void write(Sink& sink) {
  sink.write("number", std::span<const std::int32_t>(kNumbers));
  sink.write("name", hdf5::to_columns(kNames));
}

fs::path written(const fs::path& file) {
  hdf5::ColumnWriter writer(file, "list", 2);
  write(writer);
  writer.finish();
  return file;
}

std::size_t read(const fs::path& file, const std::string& kind = "list", int format = 2) {
  hdf5::ColumnReader reader(file, kind, format);
  return reader.checked([&] {
    return reader.read<std::int32_t>("number").size() + reader.read_strings("name").size();
  });
}

}  // namespace

TEST_CASE("columns come back, and the checksum is that of the columns alone") {
  TempDir dir;
  CHECK(read(written(dir / "a.h5")) == 6);
  hdf5::ColumnHasher hasher;
  write(hasher);
  CHECK(hdf5::read_text_attribute(hdf5::open_file(dir / "a.h5"), "checksum") ==
        hasher.digest().hex());
}

TEST_CASE("the checksum tells names, types, lengths and order apart") {
  const auto digest = [](auto fill) {
    hdf5::ColumnHasher hasher;
    fill(hasher);
    return hasher.digest();
  };
  const std::vector<std::int32_t> two{1, 2}, one{1}, other{2};
  const std::vector<std::uint8_t> bytes{1, 0, 0, 0};
  const Hash128 first =
      digest([&](auto& hasher) { hasher.write("a", std::span<const std::int32_t>(one)); });
  CHECK(first ==
        digest([&](auto& hasher) { hasher.write("a", std::span<const std::int32_t>(one)); }));
  CHECK(first !=
        digest([&](auto& hasher) { hasher.write("b", std::span<const std::int32_t>(one)); }));
  CHECK(first !=
        digest([&](auto& hasher) { hasher.write("a", std::span<const std::uint8_t>(bytes)); }));
  CHECK(first !=
        digest([&](auto& hasher) { hasher.write("a", std::span<const std::int32_t>(two)); }));
  CHECK(first !=
        digest([&](auto& hasher) { hasher.write("a", std::span<const std::int32_t>(other)); }));
}

TEST_CASE("a changed element, another kind and a newer format are refused with both values") {
  TempDir dir;
  const fs::path file = written(dir / "a.h5");
  CHECK_THROWS_WITH_AS(read(file, "table"), doctest::Contains("a.h5: is a list, must be a table"),
                       Error);
  CHECK_THROWS_WITH_AS(
      read(file, "list", 1),
      doctest::Contains("a.h5: list format 2 is newer than this program's 1; update Letterpress"),
      Error);
  const std::int32_t changed = 9;
  File::open_to_write(file).write_at(hdf5::find_dataset(hdf5::open_file(file), "number").offset,
                                     std::as_bytes(std::span(&changed, 1)));
  CHECK_THROWS_WITH_AS(read(file), doctest::Contains("a.h5: damaged: its content has checksum "),
                       Error);
  CHECK_THROWS_WITH_AS(read(dir.write("b.h5", "x")),
                       doctest::Contains("b.h5: not a readable list (HDF5: "), Error);
}

TEST_CASE("what goes wrong with a column's content names the file") {
  TempDir dir;
  const fs::path file = written(dir / "a.h5");
  hdf5::ColumnReader reader(file, "list", 2);
  const auto complain = [&]() -> int { throw Error("column number has 3 elements, must be 4"); };
  CHECK_THROWS_WITH_AS(
      reader.checked(complain),
      doctest::Contains(
          "a.h5: damaged: column number has 3 elements, must be 4; restore or rebuild"),
      Error);
}
