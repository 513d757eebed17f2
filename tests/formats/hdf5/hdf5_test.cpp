#include "letterpress/hdf5/hdf5.h"

#include <doctest/doctest.h>

#include <thread>

#include "letterpress/base/file.h"
#include "tests/message_of.h"
#include "tests/temp_dir.h"

using namespace letterpress;
namespace fs = std::filesystem;

namespace {

template <class T>
void check_column(const std::vector<T>& column) {
  TempDir dir;
  hdf5::File file = hdf5::create_file(dir / "a.h5");
  hdf5::write_column<T>(file, "column", column);
  hdf5::close_file(std::move(file));
  const hdf5::File again = hdf5::open_file(dir / "a.h5");
  CHECK(hdf5::read_column<T>(again, "column") == column);
}

}  // namespace

TEST_CASE("columns of every number type come back") {
  check_column<std::uint8_t>({0, 255, 7});
  check_column<std::int32_t>({-2147483648, 0, 2147483647});
  check_column<std::int64_t>({INT64_MIN, INT64_MAX});
  check_column<std::uint64_t>({0, UINT64_MAX});
  check_column<float>({-0.5F, 1e38F});
  check_column<double>({1.0 / 3, -1e300});
  check_column<float>({});
}

TEST_CASE("strings come back, empty ones and any bytes included") {
  TempDir dir;
  const std::vector<std::string> strings{"", "a b", std::string("\0\xFF", 2), "", "last"};
  hdf5::File file = hdf5::create_file(dir / "a.h5");
  hdf5::write_strings(file, "name", hdf5::to_columns(strings));
  hdf5::write_strings(file, "none", {});
  hdf5::close_file(std::move(file));
  const hdf5::File again = hdf5::open_file(dir / "a.h5");
  CHECK(hdf5::read_strings(again, "name") == strings);
  CHECK(hdf5::read_strings(again, "none").empty());
}

TEST_CASE("offsets that do not ascend within the bytes are refused") {
  using Offsets = std::vector<std::uint64_t>;
  for (const Offsets& offsets :
       {Offsets{}, Offsets{1, 3}, Offsets{0, 2}, Offsets{0, 2, 1, 3}, Offsets{0, UINT64_MAX, 3}}) {
    CHECK_THROWS_WITH_AS(hdf5::to_strings({{1, 2, 3}, offsets}, "a.h5: /name"),
                         "a.h5: /name_offset: does not ascend from 0 to the 3 bytes of a.h5: "
                         "/name_bytes; restore or rebuild this file",
                         Error);
  }
  CHECK(hdf5::to_strings({{'x', 'y', 'z'}, {0, 0, 2, 3}}, "") ==
        std::vector<std::string>{"", "xy", "z"});
}

TEST_CASE("attributes come back, long and empty texts included") {
  TempDir dir;
  const std::string large(200'000, 'x');
  hdf5::File file = hdf5::create_file(dir / "a.h5");
  hdf5::write_attribute(file, "number", -5);
  hdf5::write_attribute(file, "text", std::string("gr\xC3\xBC\xC3\x9F"));
  hdf5::write_attribute(file, "empty", std::string());
  hdf5::write_attribute(file, "large", large);
  hdf5::close_file(std::move(file));
  const hdf5::File again = hdf5::open_file(dir / "a.h5");
  CHECK(hdf5::read_integer_attribute(again, "number") == -5);
  CHECK(hdf5::read_text_attribute(again, "text") == "gr\xC3\xBC\xC3\x9F");
  CHECK(hdf5::read_text_attribute(again, "empty").empty());
  CHECK(hdf5::read_text_attribute(again, "large") == large);
  CHECK_THROWS_WITH_AS(hdf5::read_integer_attribute(again, "text"),
                       doctest::Contains("a.h5: attribute 'text': is not an integer"), Error);
  CHECK_THROWS_WITH_AS(hdf5::read_text_attribute(again, "number"),
                       doctest::Contains("attribute 'number': is not a string of fixed length"),
                       Error);
  CHECK_THROWS_WITH_AS(hdf5::read_text_attribute(again, "none"),
                       doctest::Contains("attribute 'none': is missing or unreadable (HDF5: "),
                       Error);
}

TEST_CASE(
    "a dataset has its place from the start: rows are written by position once the file is "
    "closed") {
  TempDir dir;
  hdf5::File file = hdf5::create_file(dir / "a.h5");
  const hdf5::ContiguousDataset images =
      hdf5::create_dataset(file, "/images", hdf5::Number::u8, {3, 64, 64});
  const hdf5::ContiguousDataset counts =
      hdf5::create_dataset(file, "/counts", hdf5::Number::i32, {3});
  hdf5::close_file(std::move(file));
  CHECK(images.bytes == 3 * 64 * 64);
  CHECK(images.offset % 4096 == 0);
  CHECK(counts.bytes == 12);
  const std::vector<std::int32_t> numbers{1, -2, 3};
  File::open_to_write(dir / "a.h5").write_at(counts.offset, std::as_bytes(std::span(numbers)));
  const hdf5::File again = hdf5::open_file(dir / "a.h5");
  CHECK(hdf5::read_column<std::int32_t>(again, "counts") == numbers);
  CHECK(hdf5::find_dataset(again, "images").offset == images.offset);
  CHECK(hdf5::find_dataset(again, "images").shape == images.shape);
  CHECK(hdf5::has_dataset(again, "counts"));
  CHECK_FALSE(hdf5::has_dataset(again, "other"));
}

TEST_CASE("a library without thread safety is refused with what to do; this machine's has it") {
  CHECK_THROWS_WITH_AS(
      hdf5::check_thread_safety(false),
      doctest::Contains("was built without thread safety; install one that has it"), Error);
  CHECK_NOTHROW(hdf5::check_thread_safety(true));
  TempDir dir;
  CHECK_NOTHROW(hdf5::create_file(dir / "a.h5"));
}

TEST_CASE("equal content gives equal bytes, in any thread") {
  TempDir dir;
  const auto write = [&](const std::string& name) {
    hdf5::File file = hdf5::create_file(dir / name);
    for (int i = 0; i < 20; ++i)
      hdf5::write_column<float>(file, "column" + std::to_string(i), std::vector<float>(1000, 0.5F));
    hdf5::write_attribute(file, "kind", std::string("test"));
    hdf5::close_file(std::move(file));
  };
  write("a.h5");
  std::jthread([&] { write("b.h5"); }).join();
  CHECK(read_file(dir / "a.h5") == read_file(dir / "b.h5"));
}

TEST_CASE("columns are checked: absent, of another type, of another rank") {
  TempDir dir;
  hdf5::File file = hdf5::create_file(dir / "a.h5");
  hdf5::write_column<float>(file, "column", std::vector<float>{1});
  hdf5::create_dataset(file, "square", hdf5::Number::f32, {2, 2});
  CHECK_THROWS_WITH_AS(hdf5::read_column<float>(file, "none"),
                       doctest::Contains("a.h5: /none: is missing or unreadable (HDF5: "), Error);
  CHECK_THROWS_WITH_AS(
      hdf5::read_column<double>(file, "column"),
      doctest::Contains("/column: is float32 [1], must be float64 of one dimension"), Error);
  CHECK_THROWS_WITH_AS(
      hdf5::read_column<float>(file, "square"),
      doctest::Contains("/square: is float32 [2, 2], must be float32 of one dimension"), Error);
  CHECK_THROWS_WITH_AS(hdf5::create_dataset(file, "column", hdf5::Number::u8, {1}),
                       doctest::Contains("/column: cannot be created (HDF5: "), Error);
}

TEST_CASE("datasets that are not contiguous are refused: they have no place") {
  TempDir dir;
  {
    const hdf5::File file = hdf5::create_file(dir / "a.h5");
    const hsize_t n = 100;
    const hdf5::Space space(H5Screate_simple(1, &n, nullptr), {.what = "space"});
    const hdf5::PropertyList list(H5Pcreate(H5P_DATASET_CREATE), {.what = "list"});
    H5Pset_chunk(list, 1, &n);
    const hdf5::Dataset chunked(
        H5Dcreate2(file, "chunked", H5T_STD_U8LE, space, H5P_DEFAULT, list, H5P_DEFAULT),
        {.what = "chunked"});
    const hdf5::PropertyList inside(H5Pcreate(H5P_DATASET_CREATE), {.what = "list"}),
        outside(H5Pcreate(H5P_DATASET_CREATE), {.what = "list"});
    H5Pset_layout(inside, H5D_COMPACT);
    const hdf5::Dataset compact(
        H5Dcreate2(file, "compact", H5T_STD_U8LE, space, H5P_DEFAULT, inside, H5P_DEFAULT),
        {.what = "compact"});
    H5Pset_external(outside, "elsewhere", 0, n);
    const hdf5::Dataset external(
        H5Dcreate2(file, "external", H5T_STD_U8LE, space, H5P_DEFAULT, outside, H5P_DEFAULT),
        {.what = "external"});
    const hdf5::Dataset big(
        H5Dcreate2(file, "big", H5T_STD_I32BE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
        {.what = "big"});
  }
  const hdf5::File file = hdf5::open_file(dir / "a.h5");
  for (const std::string name : {"chunked", "compact", "external"}) {
    CAPTURE(name);
    CHECK(message_of([&] { hdf5::find_dataset(file, name); })
              .ends_with("/" + name +
                         ": is chunked, compact or external, must be a contiguous dataset"));
  }
  CHECK_THROWS_WITH_AS(hdf5::find_dataset(file, "big"),
                       doctest::Contains("/big: holds neither uint8, uint16, int32"), Error);
}

TEST_CASE("a dataset without space in the file is refused before anything is allocated") {
  TempDir dir;
  {
    const hdf5::File file = hdf5::create_file(dir / "a.h5");
    const hsize_t n = hsize_t{1} << 50;
    const hdf5::Space space(H5Screate_simple(1, &n, nullptr), {.what = "space"});
    const hdf5::Dataset huge(
        H5Dcreate2(file, "huge", H5T_STD_U8LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
        {.what = "huge"});
  }
  const hdf5::File file = hdf5::open_file(dir / "a.h5");
  CHECK_THROWS_WITH_AS(
      hdf5::read_column<std::uint8_t>(file, "huge"),
      doctest::Contains("/huge: uint8 [1125899906842624] reaches past the end of the file ("),
      Error);
}

TEST_CASE("handles are closed once, by their last owner") {
  TempDir dir;
  hdf5::File file = hdf5::create_file(dir / "a.h5");
  hdf5::File moved(std::move(file));
  CHECK(static_cast<hid_t>(file) < 0);
  CHECK(H5Iis_valid(moved) > 0);
  const hid_t id = moved;
  moved = hdf5::File();
  CHECK(H5Iis_valid(id) == 0);
  CHECK(hdf5::File().operator hid_t() < 0);
}
