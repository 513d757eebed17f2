#include "letterpress/weights/safetensors.h"

#include <doctest/doctest.h>

#include <cstring>
#include <ctime>

#include "letterpress/base/error.h"
#include "letterpress/base/fault_hook.h"
#include "letterpress/base/file.h"
#include "tests/locations.h"
#include "tests/read_by_python.h"
#include "tests/temp_dir.h"

using namespace letterpress;

namespace {

const std::filesystem::path kGolden = std::filesystem::path(LETTERPRESS_SOURCE_DIR) /
                                      "tests/golden/weights/python_written.safetensors";

template <class T>
ArrayView view(const std::string& name, DType type, std::vector<std::int64_t> shape,
               const std::vector<T>& values) {
  return {name, type, std::move(shape), std::as_bytes(std::span(values))};
}

template <class T>
std::vector<T> read(const SafetensorsFile& file, const std::string& name) {
  std::vector<T> values(static_cast<std::size_t>(file.arrays().at(name).bytes) / sizeof(T));
  file.read(name, std::as_writable_bytes(std::span(values)));
  return values;
}

// A file of the given header and data, as anybody could make it.
std::string file_of(const std::string& header, const std::string& data) {
  const std::uint64_t length = header.size();
  std::string text(8, '\0');
  std::memcpy(text.data(), &length, 8);
  return text + header + data;
}

const std::vector<float> kWeight{1.5F, -2, 0.25F, 3, 4, -0.125F};
const std::vector<std::int64_t> kCount{-(std::int64_t{1} << 40)};
const std::vector<std::uint16_t> kHalf{0x3E00, 0xFBFF};  // 1.5 and -65504 in IEEE 754 binary16

void write_sample(const std::filesystem::path& file) {
  write_safetensors(
      file,
      {view("half", DType::f16, {2}, kHalf), view("a.weight", DType::f32, {2, 3}, kWeight),
       view("count", DType::i64, {}, kCount),
       view("none", DType::f32, {0, 4}, std::vector<float>{})},
      {{"letterpress", "{\"a\": \"\u00fc\"}"}});
}

}  // namespace

TEST_CASE("a file written by the Python package is read value by value") {
  const SafetensorsFile file(kGolden);
  CHECK(file.metadata() ==
        std::map<std::string, std::string>{{"made by", "Python"}, {"\u00fc", "Gr\u00fc\u00dfe"}});
  REQUIRE(file.arrays().size() == 8);
  CHECK(file.arrays().at("stem.weight").type == DType::f32);
  CHECK(file.arrays().at("stem.weight").shape == std::vector<std::int64_t>{2, 3, 2, 2});
  const std::vector<float> weight = read<float>(file, "stem.weight");
  for (std::size_t i = 0; i < weight.size(); ++i) CHECK(weight[i] == static_cast<float>(i) / 8 - 1);
  CHECK(read<double>(file, "doubles") == std::vector<double>{1.0 / 3, -2.5e300});
  CHECK(read<std::uint16_t>(file, "halves") == kHalf);
  CHECK(file.arrays().at("steps").shape.empty());
  CHECK(read<std::int64_t>(file, "steps") == kCount);
  CHECK(read<std::int32_t>(file, "small") == std::vector<std::int32_t>{1, -7});
  CHECK(read<std::uint8_t>(file, "bytes") == std::vector<std::uint8_t>{0, 127, 255});
  CHECK(file.arrays().at("flags").type == DType::boolean);
  CHECK(read<std::uint8_t>(file, "flags") == std::vector<std::uint8_t>{1, 0});
  CHECK(file.arrays().at("empty").shape == std::vector<std::int64_t>{0, 4});
  CHECK(read<float>(file, "empty").empty());
}

TEST_CASE("what is written is read again, and data begin at a multiple of 8") {
  TempDir dir;
  write_sample(dir / "a.safetensors");
  const SafetensorsFile file(dir / "a.safetensors");
  CHECK(file.metadata().at("letterpress") == "{\"a\": \"\u00fc\"}");
  CHECK(read<float>(file, "a.weight") == kWeight);
  CHECK(read<std::int64_t>(file, "count") == kCount);
  CHECK(read<std::uint16_t>(file, "half") == kHalf);
  CHECK(file.arrays().at("count").offset == 0);
  CHECK(file.arrays().at("a.weight").offset == 8);
  CHECK(file.arrays().at("half").offset == 32);
  const std::string bytes = read_file(dir / "a.safetensors");
  std::uint64_t length = 0;
  std::memcpy(&length, bytes.data(), 8);
  CHECK(length % 8 == 0);
  CHECK(bytes.size() == 8 + length + 36);
  CHECK(bytes[8] == '{');
}

TEST_CASE("the Python package reads what we write" * doctest::test_suite("needs Python")) {
  TempDir dir;
  write_sample(dir / "a.safetensors");
  check_read_by_python("tests/formats/weights/read_written_by_us.py", dir / "a.safetensors");
}

TEST_CASE("a file cut anywhere is refused by its name") {
  TempDir dir;
  const std::string whole = read_file(kGolden);
  for (std::size_t n = 0; n < whole.size(); ++n) {
    CAPTURE(n);
    const auto cut = dir.write("cut.safetensors", whole.substr(0, n));
    CHECK_THROWS_WITH_AS(SafetensorsFile{cut},
                         doctest::Contains("cut.safetensors: not a readable safetensors file: "),
                         Error);
  }
  CHECK_THROWS_WITH_AS(SafetensorsFile{dir.write("long.safetensors", whole + "x")},
                       doctest::Contains("bytes of data; the file is damaged"), Error);
}

TEST_CASE(
    "a flipped bit in the header is refused, or changes only a name, a number's meaning or a "
    "text") {
  TempDir dir;
  const std::string whole = read_file(kGolden);
  std::uint64_t length = 0;
  std::memcpy(&length, whole.data(), 8);
  for (std::size_t i = 0; i < 8 + length; ++i) {
    for (const int bit : {1, 4, 32, 128}) {
      CAPTURE(i);
      std::string changed = whole;
      changed[i] = static_cast<char>(changed[i] ^ bit);
      try {
        const SafetensorsFile file(dir.write("changed.safetensors", changed));
        std::int64_t bytes = 0;
        for (const auto& [name, array] : file.arrays()) bytes += array.bytes;
        CHECK(bytes == static_cast<std::int64_t>(whole.size() - 8 - length));
      } catch (const Error& error) {
        CHECK(std::string(error.what())
                  .find("changed.safetensors: not a readable safetensors file: ") !=
              std::string::npos);
      }
    }
  }
}

TEST_CASE("hostile headers are refused with what is wrong") {
  const std::string f32 = R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]})";
  struct Case {
    std::string header;
    const char* message;
  };
  const Case cases[] = {
      {"[]", "header is an array, must be an object"},
      {"{", "header is not JSON"},
      {f32 + R"(,"a":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}})",
       "header gives \"a\" twice"},
      {f32 + R"(,"b":{"dtype":"F32","shape":[1],"data_offsets":[2,6]}})",
       "array \"b\" begins at 2, the one before ends at 4: they overlap"},
      {f32 + R"(,"b":{"dtype":"U8","shape":[2],"data_offsets":[6,8]}})",
       "array \"b\" begins at 6, the one before ends at 4: a hole"},
      {f32 + "}", "arrays end at 4, the file holds 8 bytes of data"},
      {R"({"a":{"dtype":"F32","shape":[3],"data_offsets":[0,12]}})",
       "arrays end at 12, the file holds 8 bytes of data"},
      {R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[8,0]}})",
       "array \"a\": data_offsets is not a pair of begin and end"},
      {R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,4,8]}})",
       "array \"a\": data_offsets is not a pair of begin and end"},
      {R"({"a":{"dtype":"F32","shape":[3],"data_offsets":[0,8]}})",
       "array \"a\": data_offsets span 8 bytes, 3 values of F32 take 4 each"},
      {R"({"a":{"dtype":"F32","shape":[-2],"data_offsets":[0,8]}})",
       "array \"a\": shape is not a list of whole numbers from 0"},
      {R"({"a":{"dtype":"F32","shape":[2.0],"data_offsets":[0,8]}})",
       "array \"a\": shape is not a list of whole numbers from 0"},
      {R"({"a":{"dtype":"F32","shape":2,"data_offsets":[0,8]}})",
       "array \"a\": shape is not a list of whole numbers from 0"},
      {R"({"a":{"dtype":"F32","shape":[4294967296,4294967296],"data_offsets":[0,8]}})",
       "array \"a\": shape has more values than any file can hold"},
      {R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,18446744073709551615]}})",
       "array \"a\": data_offsets is not a list of whole numbers"},
      {R"({"a":{"dtype":"F8_E4M3","shape":[8],"data_offsets":[0,8]}})",
       "array \"a\": dtype is \"F8_E4M3\", must be one of F64, F32, F16, BF16, I64, I32, U8, BOOL"},
      {R"({"a":{"shape":[2],"data_offsets":[0,8]}})", "array \"a\": dtype is missing"},
      {R"({"a":{"dtype":"F32","data_offsets":[0,8]}})", "array \"a\": shape is missing"},
      {R"({"a":{"dtype":"F32","shape":[2]}})", "array \"a\": data_offsets is missing"},
      {R"({"a":5})", "array \"a\": is 5, must be an object"},
      {R"({"__metadata__":{"a":1}})", "array \"__metadata__\": is not an object of texts"},
      {R"({"a":[[[[[[]]]]]]})", "header is nested deeper than 4 levels"},
      {std::string(1000000, '['), "header is nested deeper than 4 levels"},
  };
  TempDir dir;
  for (const Case& one : cases) {
    CAPTURE(one.message);
    const auto file = dir.write("hostile.safetensors", file_of(one.header, "12345678"));
    CHECK_THROWS_WITH_AS(SafetensorsFile{file}, doctest::Contains(one.message), Error);
  }
}

TEST_CASE("a header of very many arrays is read in the time that its length takes") {
  std::string header = "{";
  for (int i = 0; i < 100'000; ++i)
    header += "\"w" + std::to_string(i) + R"(":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},)";
  header.back() = '}';
  TempDir dir;
  const auto file = dir.write("many.safetensors", file_of(header, "1234"));
  const std::clock_t begin = std::clock();
  CHECK_THROWS_WITH_AS(SafetensorsFile{file}, doctest::Contains(": they overlap"), Error);
  CHECK(std::clock() - begin < 20 * CLOCKS_PER_SEC);  // it took minutes
}

TEST_CASE("a header longer than the file or than any reader takes is refused without reading it") {
  TempDir dir;
  std::string text(1000, ' ');
  for (const std::uint64_t length : {993ULL, 100'000'001ULL, 1ULL << 40, ~0ULL}) {
    CAPTURE(length);
    std::memcpy(text.data(), &length, 8);
    CHECK_THROWS_WITH_AS(
        SafetensorsFile{dir.write("huge.safetensors", text)},
        doctest::Contains(
            ("its header claims " + std::to_string(length) + " bytes, the file has 1000").c_str()),
        Error);
  }
}

TEST_CASE("no file, a folder and another format say which path") {
  TempDir dir;
  CHECK_THROWS_WITH_AS(SafetensorsFile{dir / "none"}, doctest::Contains("none: no such file"),
                       Error);
  CHECK_THROWS_WITH_AS(SafetensorsFile{dir.path()}, doctest::Contains("is not a regular file"),
                       Error);
  CHECK_THROWS_WITH_AS(SafetensorsFile{dir.write("a.txt", "no weights in here")},
                       doctest::Contains("it was cut, or is of another format"), Error);
}

TEST_CASE("an unknown array lists the nearest names, a wrong room says both sizes") {
  const SafetensorsFile file(kGolden);
  std::byte room[24 * 4];
  CHECK_THROWS_WITH_AS(file.read("stem.wight", room),
                       doctest::Contains("unknown array 'stem.wight'; did you mean 'stem.weight'?"),
                       Error);
  CHECK_THROWS_WITH_AS(file.read("steps", room),
                       doctest::Contains("array 'steps' has 8 bytes, room is given for 96"), Error);
}

TEST_CASE("arrays that cannot be written are refused and leave no file") {
  TempDir dir;
  const auto file = dir / "a.safetensors";
  const std::vector<float> two{1, 2};
  CHECK_THROWS_WITH_AS(write_safetensors(file, {view("a", DType::f32, {3}, two)}, {}),
                       doctest::Contains("array 'a' has 8 bytes, its shape makes it 12"), Error);
  CHECK_THROWS_WITH_AS(
      write_safetensors(file, {view("a", DType::f32, {2}, two), view("a", DType::f32, {2}, two)},
                        {}),
      doctest::Contains("array 'a' is given twice"), Error);
  CHECK_THROWS_WITH_AS(write_safetensors(file, {view("__metadata__", DType::f32, {2}, two)}, {}),
                       doctest::Contains("format's own metadata"), Error);
  CHECK_THROWS_WITH_AS(write_safetensors(file, {view("\xff", DType::f32, {2}, two)}, {}),
                       doctest::Contains("a name or a metadata text is not UTF-8"), Error);
  CHECK(std::filesystem::is_empty(dir.path()));
}

TEST_CASE("a write that fails half way leaves the old file and nothing else") {
  TempDir dir;
  const auto file = dir / "a.safetensors";
  write_sample(file);
  const std::string before = read_file(file);
  for (const char* failing : {"write", "sync", "rename"}) {
    CAPTURE(failing);
    set_fault_hook([&](std::string_view operation, std::string_view) {
      return operation == failing ? ENOSPC : 0;
    });
    CHECK_THROWS_WITH_AS(write_safetensors(file, {}, {{"new", "content"}}),
                         doctest::Contains((file.string() + ": cannot be").c_str()), Error);
    set_fault_hook(nullptr);
    CHECK(read_file(file) == before);
    CHECK(std::distance(std::filesystem::directory_iterator(dir.path()), {}) == 1);
  }
}
