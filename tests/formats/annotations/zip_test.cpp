#include <fstream>
#include <map>
#include <sstream>

#include "samples.h"
#include "tests/locations.h"
#include "tests/zipped.h"

namespace letterpress {
namespace {

const std::filesystem::path kZips =
    std::filesystem::path(LETTERPRESS_SOURCE_DIR) / "tests/golden/annotations/zip";

// What can be read of each picture, by name; "" where it cannot.
std::map<std::string, std::string> contents_of(const std::filesystem::path& archive) {
  std::map<std::string, std::string> contents;
  try {
    for (const Item& item : read_annotations(archive, {.format = "folder"}).items) {
      try {
        contents[item.name] = picture_text(item);
      } catch (const Error&) {
        contents[item.name] = "";
      }
    }
  } catch (const Error&) {
  }
  return contents;
}

// Of an archive's packer: what each picture holds.
std::map<std::string, std::map<std::string, std::string>> expected() {
  std::map<std::string, std::map<std::string, std::string>> archives;
  std::ifstream lines(kZips / "expected.txt");
  for (std::string line; std::getline(lines, line);) {
    std::istringstream fields(line);
    std::string archive, text, name;
    int times = 0;
    fields >> archive >> text >> times;
    std::getline(fields >> std::ws, name);
    text[text.find('_')] = ' ';
    for (int i = 0; i < times; ++i) archives[archive][name] += text;
  }
  return archives;
}

std::string rejects_of(const AnnotationSet& set) {
  std::string text;
  for (const Reject& reject : set.rejects) text += to_string(reject) + "\n";
  return text;
}

}  // namespace

TEST_CASE("pictures in zip archives of zipfile, Info-ZIP and 7z hold what zipfile reads") {
  const auto archives = expected();
  CHECK(archives.size() == 6);
  for (const auto& [archive, wanted] : archives) {
    CAPTURE(archive);
    const AnnotationSet set = read_annotations(kZips / archive);
    CHECK(set.format == "folder");
    CHECK_CONTAINS(set.recognised_by, "in a zip archive: ");
    CHECK(set.rejects.empty());
    CHECK(contents_of(kZips / archive) == wanted);
    for (const Item& item : set.items) {
      CHECK(picture_path(item) ==
            std::filesystem::canonical(kZips / archive).string() + "/" + item.name);
      const FileBytes place = find_picture(picture_path(item));
      CHECK(place.offset == item.offset);
      CHECK(place.length == item.length);
    }
  }
}

TEST_CASE(
    "of two members of one name the later counts, names never lead outside, back-slashes of "
    "Windows "
    "are slashes, archives within are passed over and counted") {
  const AnnotationSet set = read_annotations(kZips / "odd.zip");
  CHECK(contents_of(kZips / "odd.zip") ==
        std::map<std::string, std::string>{
            {"cat/1.jpg", "newer"}, {"dog/2.jpg", "second"}, {"dog/windows.jpg", "third"}});
  CHECK(set.rejects.size() == 3);
  const std::string rejects = rejects_of(set);
  for (const char* name : {"../outside.jpg", "/etc/absolute.jpg", "cat/../../escape.jpg"})
    CHECK_CONTAINS(rejects, "odd.zip: member '" + std::string(name) +
                                "': leads outside the archive; pack it again with paths below one "
                                "folder");
  CHECK(set.passed_over.size() == 1);
  std::string remarks;
  for (const std::string& remark : set.remarks) remarks += remark + "\n";
  CHECK_CONTAINS(remarks,
                 "passed over 2 archives within it (cat/more.ZIP, ...): unpack it to have what "
                 "they hold");
}

TEST_CASE("back-slashes in names are slashes whatever system the archive names") {
  using Files = std::vector<std::pair<std::string, std::string>>;
  std::string archive = zipped(Files{{"cat\\1.jpg", "first"}, {"dog\\sub\\2.jpg", "second"}});
  constexpr char kUnix = 3;  // in the upper byte of "version made by", APPNOTE 6.3, 4.4.2
  for (std::size_t at = 0; (at = archive.find("PK\x01\x02", at)) != std::string::npos; ++at)
    archive[at + 5] = kUnix;
  TempDir dir;
  CHECK(contents_of(dir.write("set.zip", archive)) ==
        std::map<std::string, std::string>{{"cat/1.jpg", "first"}, {"dog/sub/2.jpg", "second"}});
}

TEST_CASE(
    "symbolic links are named, an archive with a password or another compression is refused") {
  CHECK_CONTAINS(only_reject(read_annotations(kZips / "links.zip")),
                 "member 'bolt/soft.jpg': is a symbolic link, which an archive read in place does "
                 "not follow; pack it again with zip without --symlinks");
  CHECK_CONTAINS(
      failure_of(kZips / "deflate64.zip").message,
      "deflate64.zip: member 'bolt/d\xC3\xA9j\xC3\xA0 b.jpg': is compressed by Deflate64, "
      "must be Deflate or stored; unpack it (7z x), and name the folder");
  for (const char* locked : {"locked.zip", "aes.zip"}) {
    const Failure failure = failure_of(kZips / locked);
    CHECK(failure.exit == Exit::data);
    CHECK_CONTAINS(failure.message,
                   std::string(locked) +
                       ": member 'bolt/a.jpg': is protected by a password; unpack it with the "
                       "password (7z x), and name the folder");
  }
}

TEST_CASE("a zip archive cut anywhere is refused") {
  TempDir dir;
  for (const char* archive : {"deflated.zip", "zip64.zip"}) {
    const std::string whole = text_of(kZips / archive);
    for (std::size_t n = 4; n < whole.size(); ++n) {
      CAPTURE(n);
      const Failure failure = failure_of(dir.write("cut.zip", whole.substr(0, n)));
      CHECK(failure.exit == Exit::data);
      CHECK_CONTAINS(failure.message, "cut.zip: not a readable zip archive: it has no directory");
      CHECK_CONTAINS(failure.message, "; the file was cut or damaged, copy it again");
    }
  }
}

TEST_CASE("with one bit flipped, a picture of a zip archive is what it was or cannot be read") {
  TempDir dir;
  for (const char* archive : {"stored.zip", "deflated.zip", "stream.zip", "zip64.zip"}) {
    const std::string whole = text_of(kZips / archive);
    const auto wanted = expected().at(archive);
    for (std::size_t at = 4; at < whole.size(); ++at) {
      CAPTURE(archive);
      CAPTURE(at);
      std::string flipped = whole;
      flipped[at] = static_cast<char>(flipped[at] ^ 1 << at % 8);
      int read = 0;
      for (const auto& [name, content] : contents_of(dir.write("flipped.zip", flipped))) {
        if (content.empty() || !wanted.contains(name)) continue;
        CHECK(content == wanted.at(name));
        ++read;
      }
      CHECK(read <= 3);
    }
  }
}

TEST_CASE("bombs are refused before they expand") {
  TempDir dir;
  const std::string small(300'000, 'x');
  const std::filesystem::path claims =
      dir.write("claims.zip", zipped({{"cat/1.jpg", "jpeg", 4}, {"dog/2.jpg", "ab", 1 << 20, 8}}));
  CHECK_CONTAINS(failure_of(claims).message,
                 "entry 'dog/2.jpg' reaches past its end (216 bytes), or expands more than can be");
  const std::filesystem::path dense =
      dir.write("dense.zip", zipped({{"cat/1.jpg", "jpeg", 4},
                                     {"dog/1.jpg", "jpeg", 4},
                                     {"dog/2.jpg", small, 290 << 20, 8}}));
  CHECK_CONTAINS(only_reject(read_annotations(dense)),
                 "member 'dog/2.jpg': expands from 293 KiB to 290 MiB, as bombs do; unpack it if "
                 "you trust it, and name the folder");
  const std::filesystem::path overlapping = dir.write(
      "overlapping.zip", zipped({{"cat/1.jpg", "jpeg", 4}, {"cat/2.jpg", "jpeg", 4, 0, 0}}));
  CHECK_CONTAINS(failure_of(overlapping).message, "overlaps what follows it");
}

TEST_CASE("a text that expands to more than memory should take is refused before it does") {
  TempDir dir;
  const std::filesystem::path archive = dir.write(
      "set.zip",
      zipped({{"cat/1.jpg", "jpeg", 4}, {"train.txt", std::string(300'000, 'x'), 70 << 20, 8}}));
  CHECK_CONTAINS(
      failure_of(archive / "train.txt").message,
      "set.zip: member 'train.txt': expands from 293 KiB to 70.0 MiB, and a text is read "
      "into memory as a whole; unpack the archive first, and name the folder");
  CHECK(read_annotations(dir.write("pictures.zip",
                                   zipped({{"cat/1.jpg", "jpeg", 4},
                                           {"dog/2.jpg", std::string(300'000, 'x'), 70 << 20, 8}})))
            .rejects.empty());
}

TEST_CASE("more files than 16 bits count are all read, also where no zip64 says how many") {
  std::vector<std::pair<std::string, std::string>> files;
  for (int i = 0; i < (1 << 16) + 3; ++i)
    files.emplace_back((i % 2 ? "cat/" : "dog/") + std::to_string(i) + ".jpg", "x");
  std::string archive = zipped(files);  // which counts 3
  TempDir dir;
  CHECK(read_annotations(dir.write("many.zip", archive), {.format = "folder"}).items.size() ==
        files.size());
  const std::size_t count = archive.size() - 12;  // of the end's 22 bytes
  archive[count] = 4;
  CHECK_CONTAINS(failure_of(dir.write("other.zip", archive)).message, "its directory is damaged");
}

TEST_CASE("one part of several says how to join them") {
  TempDir dir;
  const std::string whole = text_of(kZips / "deflated.zip");
  std::string last = whole, first = "PK\x07\x08" + whole.substr(0, whole.size() - 22);
  last[last.size() - 22 + 4] = last[last.size() - 22 + 6] = 5;  // its own number, the directory's
  for (const std::string& part : {last, first}) {
    CHECK_CONTAINS(failure_of(dir.write("part.zip", part)).message,
                   "part.zip: is one part of a zip archive of several; join them first: zip -s 0 "
                   "set.zip --out whole.zip");
  }
}

TEST_CASE("batches of CIFAR-10 in a zip archive say what to do") {
  TempDir dir;
  const std::filesystem::path golden =
      std::filesystem::path(LETTERPRESS_SOURCE_DIR) / "tests/golden/annotations/cifar";
  const std::vector<std::pair<std::string, std::string>> files{
      {"data_batch_1.bin", text_of(golden / "data_batch_1.bin")}};
  CHECK_CONTAINS(
      failure_of(dir.write("set.zip", zipped(files))).message,
      "data_batch_1.bin: is in a zip archive, and pictures of a batch are read in place; "
      "unzip it, and name the folder");
}

}  // namespace letterpress
