#include <fstream>
#include <sstream>

#include "samples.h"
#include "tests/locations.h"

namespace letterpress {
namespace {

const std::filesystem::path kGoldenBatches =
    std::filesystem::path(LETTERPRESS_SOURCE_DIR) / "tests/golden/annotations/cifar";

std::string content_of(const FileBytes& place) {
  std::ostringstream text;
  text << std::ifstream(place.path, std::ios::binary).rdbuf();
  return text.str().substr(static_cast<std::size_t>(place.offset),
                           static_cast<std::size_t>(place.length));
}

std::string record(int label) {
  return std::string(1, static_cast<char>(label)) + std::string(3072, 'x');
}

}  // namespace

TEST_CASE(
    "batches written by numpy give labels, splits and each record's bytes, in a folder, alone and "
    "in a tar") {
  const std::string whole = content_of({(kGoldenBatches / "data_batch_1.bin").string(), 0, 6146});
  for (const std::string input : {"", "cifar-10.tar", "cifar-10.tar/cifar-10-batches-bin"}) {
    CAPTURE(input);
    const AnnotationSet set = read_annotations(kGoldenBatches / input);
    CHECK(set.format == "cifar");
    CHECK_CONTAINS(set.recognised_by, "2 batches of CIFAR-10, the first is data_batch_1.bin");
    REQUIRE(set.items.size() == 3);
    CHECK(set.items[1].name == "data_batch_1.bin/1");
    CHECK(set.items[1].split == "train");
    CHECK(set.items[2].split == "test");
    CHECK(set.classes.at(static_cast<std::size_t>(set.items[0].label)) == "truck");
    CHECK(content_of({set.items[1].path, set.items[1].offset, set.items[1].length}) ==
          whole.substr(3073));
    const FileBytes found = find_picture(picture_path(set.items[1]));
    CHECK(found.path == set.items[1].path);
    CHECK(found.offset == set.items[1].offset);
    CHECK(found.length == 3073);
  }
  const AnnotationSet one = read_annotations(kGoldenBatches / "test_batch.bin");
  CHECK(one.items.size() == 1);
  CHECK(picture_path(one.items[0]) ==
        (std::filesystem::canonical(kGoldenBatches) / "test_batch.bin/0").string());
  CHECK_CONTAINS(one.recognised_by, "records of 3,073 bytes that begin with a label 0..9");
}

TEST_CASE(
    "without batches.meta.txt the classes have CIFAR-10's published names; --classes names all "
    "ten") {
  TempDir dir;
  const auto batch = dir.write("data_batch_1.bin", record(0) + record(9));
  CHECK(read_annotations(batch).classes ==
        std::vector<std::string>{"airplane", "automobile", "bird", "cat", "deer", "dog", "frog",
                                 "horse", "ship", "truck"});
  CHECK(read_annotations(batch, {.classes = dir.write("ten.txt", "a\nb\nc\nd\ne\nf\ng\nh\ni\nj\n")})
            .classes.at(9) == "j");
  const Failure few = failure_of(batch, {.classes = dir.write("few.txt", "a\nb\n")});
  CHECK_CONTAINS(
      few.message,
      "few.txt: names 2 classes, CIFAR-10 has 10; name all ten in the order of their labels");
}

TEST_CASE("a batch that is cut is an error, a wrong label is a reject with its record") {
  TempDir dir;
  const auto cut = dir.write("data_batch_1.bin", (record(1) + record(2)).substr(0, 6000));
  CHECK_CONTAINS(failure_of(cut).message,
                 "data_batch_1.bin: holds 6000 bytes, must be a multiple of 3073; it is cut short, "
                 "or not a binary version");
  const auto wrong = dir.write("test_batch.bin", record(1) + record(10) + record(255));
  const AnnotationSet set = read_annotations(wrong, {.format = "cifar"});
  CHECK(set.items.size() == 1);
  REQUIRE(set.rejects.size() == 2);
  CHECK(to_string(set.rejects[0]) ==
        wrong.string() + ", record 1: has label 10, must be 0..9; fetch the file again");
  CHECK_CONTAINS(failure_of(wrong).message,
                 "cifar: record 1 of 3,073 bytes begins with 10, must be a label 0..9");
}

TEST_CASE("a picture's path leads to its bytes, or says that it is gone") {
  TempDir dir;
  dir.write("batch.bin", record(3));
  CHECK(find_picture((dir / "batch.bin/0").string()).length == 3073);
  for (const char* gone : {"batch.bin/1", "batch.bin/-1", "batch.bin/x", "none.png", "none/0"}) {
    CAPTURE(gone);
    std::string message;
    try {
      find_picture((dir / gone).string());
    } catch (const Error& error) {
      message = error.what();
      CHECK(error.exit() == Exit::no_input);
    }
    CHECK_CONTAINS(
        message, std::string(gone) +
                     ": there is no such picture; restore it, or run `build`, which leaves it out");
  }
}

}  // namespace letterpress
