#include <fstream>
#include <sstream>

#include "samples.h"
#include "tests/locations.h"
#include "tests/zipped.h"

namespace letterpress {
namespace {

const std::filesystem::path kTars =
    std::filesystem::path(LETTERPRESS_SOURCE_DIR) / "tests/golden/annotations/tar";

const Item* item_of(const AnnotationSet& set, const std::string& name) {
  for (const Item& item : set.items) {
    if (item.name == name) return &item;
  }
  return nullptr;
}

// A ustar archive; the header's fields as POSIX.1-2017 has them. v7: as Unix version 7 had them,
// without magic and type.
std::string packed(const std::vector<std::pair<std::string, std::string>>& files, bool v7 = false) {
  std::string tar;
  for (const auto& [name, content] : files) {
    std::string header(512, '\0');
    header.replace(0, name.size(), name);
    char size[13];
    std::snprintf(size, sizeof size, "%011o", static_cast<unsigned>(content.size()));
    header.replace(124, 11, size);
    if (!v7) {
      header[156] = '0';
      header.replace(257, 8,
                     std::string("ustar\0"
                                 "00",
                                 8));
    }
    unsigned sum = 8 * ' ';
    for (const char c : header) sum += static_cast<unsigned char>(c);
    std::snprintf(size, sizeof size, "%06o", sum);
    header.replace(148, 8, std::string(size, 6) + std::string("\0 ", 2));
    tar += header + content + std::string((512 - content.size() % 512) % 512, '\0');
  }
  return tar + std::string(1024, '\0');
}

}  // namespace

TEST_CASE(
    "members lie where Python's tarfile says, in ustar, pax and GNU archives with long names") {
  std::ifstream expected(kTars / "expected.txt");
  int n = 0;
  for (std::string line; std::getline(expected, line); ++n) {
    CAPTURE(line);
    std::istringstream fields(line);
    std::string archive, name;
    std::int64_t offset = 0, length = 0;
    fields >> archive >> offset >> length;
    std::getline(fields >> std::ws, name);
    const AnnotationSet set = read_annotations(kTars / archive);
    CHECK(set.format == "folder");
    CHECK_CONTAINS(set.recognised_by, "in a tar archive: ");
    const Item* item = item_of(set, name);
    REQUIRE(item);
    CHECK(item->path == std::filesystem::canonical(kTars / archive));
    CHECK(item->offset == offset);
    CHECK(item->length == length);
  }
  CHECK(n == 17);
}

TEST_CASE(
    "of two members of one name the later counts, hard links are followed, what cannot be read in "
    "place is named") {
  const AnnotationSet set = read_annotations(kTars / "odd.tar");
  REQUIRE(set.items.size() == 3);
  CHECK(picture_text(*item_of(set, "cat/1.jpg")) == "newer");
  CHECK(picture_text(*item_of(set, "cat/hard.jpg")) == "second");
  CHECK(picture_text(*item_of(set, "dog/2.jpg")) == "second");
  std::string rejects;
  for (const Reject& reject : set.rejects) rejects += to_string(reject) + "\n";
  CHECK(set.rejects.size() == 6);
  CHECK_CONTAINS(rejects,
                 "odd.tar: member '../outside.jpg': leads outside the archive; pack it again with "
                 "paths below one folder");
  CHECK_CONTAINS(rejects, "member '/etc/absolute.jpg': leads outside the archive");
  CHECK_CONTAINS(rejects, "member 'cat/../../escape.jpg': leads outside the archive");
  CHECK_CONTAINS(rejects,
                 "member 'cat/lost.jpg': is a link to 'dog/none.jpg', which is not in the archive");
  CHECK_CONTAINS(rejects,
                 "member 'cat/soft.jpg': is a symbolic link, which an archive read in place does "
                 "not follow; pack it again with");
  CHECK_CONTAINS(rejects,
                 "member 'cat/holes.jpg': is stored sparse, so its bytes are not in one piece");
}

TEST_CASE(
    "every format is read from an archive as from a folder, with the pictures' bytes in place") {
  TempDir dir;
  const std::string xml =
      "<annotation><object><name>a</name><bndbox><xmin>1</xmin><ymin>1</ymin><xmax>9</"
      "xmax><ymax>9</ymax></bndbox></object></annotation>";
  const std::string coco =
      R"({"images":[{"id":1,"file_name":"p/1.jpg"}],"annotations":[{"image_id":1,"category_id":1,"bbox":[1,1,2,2]}],)"
      R"("categories":[{"id":1,"name":"a"}]})";
  const std::string labelme =
      R"({"imagePath":"p\\1.jpg","shapes":[{"label":"a","shape_type":"rectangle","points":[[1,1],[9,9]]}]})";
  const std::filesystem::path classes = dir.write("classes.txt", "a\n");
  struct Case {
    std::string format, input;
    std::vector<std::pair<std::string, std::string>> files;
    bool needs_classes;
  };
  const std::vector<Case> cases{
      {"coco", "/c.json", {{"c.json", coco}, {"p/1.jpg", "jpeg"}}, false},
      {"keras", "/k.txt", {{"k.txt", "p/1.jpg 1,2,3,4,0\n"}, {"p/1.jpg", "jpeg"}}, true},
      {"voc", "", {{"Annotations/1.xml", xml}, {"JPEGImages/1.jpg", "jpeg"}}, false},
      {"voc",
       "/ImageSets/Main/t.txt",
       {{"Annotations/1.xml", xml}, {"JPEGImages/1.jpg", "jpeg"}, {"ImageSets/Main/t.txt", "1\n"}},
       false},
      {"yolo",
       "",
       {{"w/data.yaml", "train: images\nnames: [a]\n"},
        {"w/images/1.jpg", "jpeg"},
        {"w/labels/1.txt", "0 .5 .5 .1 .1\n"}},
       false},
      {"yolo", "/images", {{"images/1.jpg", "jpeg"}, {"labels/1.txt", "0 .5 .5 .1 .1\n"}}, true},
      {"folder", "", {{"w/a/1.jpg", "jpeg"}, {"w/b/2.jpg", "other"}}, false},
      {"labelme", "", {{"w/1.json", labelme}, {"w/p/1.jpg", "jpeg"}}, false},
      {"labelme", "/w/1.json", {{"w/1.json", labelme}, {"w/p/1.jpg", "jpeg"}}, false},
  };
  for (const Case& c : cases) {
    for (const std::string& archive :
         {packed(c.files, false), packed(c.files, true), zipped(c.files)}) {
      CAPTURE(c.format);
      CAPTURE(c.input);
      CAPTURE(archive.substr(0, 2));
      const std::filesystem::path tar = dir.write("set.archive", archive);
      const AnnotationSet set =
          read_annotations(tar.string() + c.input, {.classes = c.needs_classes ? classes : ""});
      CHECK(set.format == c.format);
      CHECK(set.rejects.empty());
      REQUIRE(!set.items.empty());
      CHECK(picture_text(set.items[0]) == "jpeg");
      CHECK(set.items[0].path == std::filesystem::canonical(tar));
      CHECK(set.boxes_found == (c.format == "folder" ? 0 : 1));
    }
  }
}

TEST_CASE("XMLs in an archive are read by all cores as from a folder") {
  TempDir dir;
  std::vector<std::pair<std::string, std::string>> files;
  for (int i = 0; i < 200; ++i) {
    const std::string name = std::to_string(1000 + i);
    files.emplace_back(
        "Annotations/" + name + ".xml",
        "<annotation><object><name>a</name><bndbox><xmin>" + std::to_string(i + 1) +
            "</xmin><ymin>1</ymin><xmax>999</xmax><ymax>9</ymax></bndbox></object></annotation>");
    files.emplace_back("JPEGImages/" + name + ".jpg", "jpeg");
  }
  const AnnotationSet set = read_annotations(dir.write("set.tar", packed(files)));
  CHECK(set.rejects.empty());
  REQUIRE(set.items.size() == 200);
  for (std::size_t i = 0; i < 200; ++i) CHECK(set.items[i].boxes.at(0).x1 == static_cast<float>(i));
}

TEST_CASE("a list in an archive cannot lead to files beside it") {
  TempDir dir;
  write_pictures(dir, {"secret.jpg"});
  const std::filesystem::path tar =
      dir.write("set.tar", packed({{"k.txt", "../secret.jpg 1,2,3,4,0\n"}}));
  const AnnotationSet set = read_annotations(tar / "k.txt", {.classes = dir.write("c", "a\n")});
  CHECK(set.items.empty());
  CHECK_CONTAINS(only_reject(set), "outside the dataset's folder");
}

TEST_CASE("an archive cut anywhere is refused with the byte, one with a damaged header too") {
  TempDir dir;
  const std::string whole = packed({{"cat/1.jpg", std::string(700, 'a')}, {"dog/2.jpg", "b"}});
  for (std::size_t n = 512; n + 1024 < whole.size(); n += 256) {
    CAPTURE(n);
    const Failure failure = failure_of(dir.write("cut.tar", whole.substr(0, n)));
    CHECK(failure.exit == Exit::data);
    CHECK_CONTAINS(failure.message, "the archive is cut short: ");
    CHECK_CONTAINS(failure.message, " of " + std::to_string(n) + ": ");
    CHECK_CONTAINS(failure.message, "; copy or pack the archive again");
  }
  for (std::size_t at = 512 + 1024; at < 512 + 1024 + 265; ++at) {
    CAPTURE(at);
    if (at >= 1536 + 148 && at < 1536 + 156)
      continue;  // the checksum may be padded by blanks or zeros, '0' ^ 0x10 is a blank
    std::string flipped = whole;
    flipped[at] = static_cast<char>(flipped[at] ^ 0x10);
    CHECK(failure_of(dir.write("flipped.tar", flipped)).message != "");
  }
  std::string flipped = whole;
  flipped[1536 + 3] ^= 1;
  CHECK_CONTAINS(failure_of(dir.write("flipped.tar", flipped)).message,
                 "flipped.tar: byte 1536 of 3584: a tar header with a wrong checksum");
}

TEST_CASE("without a folder to unpack into, compressed archives say how to uncompress them") {
  TempDir dir;
  struct Case {
    std::string head, message;
  };
  const std::vector<Case> cases{{"\x1F\x8B\x08",
                                 "set.tar.gz: is compressed by gzip, and pictures are read in "
                                 "place, at their bytes; uncompress it first: gunzip -k "},
                                {"BZh9", "is compressed by bzip2"},
                                {"\xFD"
                                 "7zXZ",
                                 "is compressed by xz"},
                                {"\x28\xB5\x2F\xFD", "is compressed by zstd"}};
  for (const Case& c : cases)
    CHECK_CONTAINS(failure_of(dir.write("set.tar.gz", c.head + std::string(600, 'x'))).message,
                   c.message);
}

TEST_CASE(
    "an archive that fits no format says how to name a label file in it, and one that is missing "
    "is "
    "named") {
  TempDir dir;
  const std::filesystem::path tar =
      dir.write("set.tar", packed({{"a/k.txt", "taken in May\n"}, {"b/1.jpg", "x"}}));
  CHECK_CONTAINS(failure_of(tar).message, "or name the label file inside the archive (");
  const Failure missing = failure_of(tar / "none.txt");
  CHECK(missing.exit == Exit::no_input);
  CHECK_CONTAINS(missing.message,
                 "none.txt: the archive has no such file; list what it has with tar -tf ");
}

TEST_CASE("a folder's own entry in an archive of Unix version 7 is not a picture") {
  TempDir dir;
  const std::filesystem::path tar = dir.write(
      "set.tar",
      packed({{"a/", ""}, {"a/1.jpg", "first"}, {"b/", ""}, {"b/2.jpg", "second"}}, true));
  const AnnotationSet set = read_annotations(tar);
  REQUIRE(set.items.size() == 2);
  CHECK(picture_text(set.items[0]) == "first");
  CHECK(picture_text(set.items[1]) == "second");
  CHECK(set.rejects.empty());
}

TEST_CASE("a file that is in an archive twice with other content is told, and the last is read") {
  TempDir dir;
  using Files = std::vector<std::pair<std::string, std::string>>;
  const std::string earlier = "1.jpg,1,2,3,4,cat\n", last = "1.jpg,1,2,3,5,dog\n";
  const auto archives = [&](const Files& files) {
    return std::vector{dir.write("set.tar", packed(files)), dir.write("set.zip", zipped(files))};
  };
  for (const auto& archive :
       archives({{"1.jpg", "x"}, {"a.csv", earlier}, {"./1.jpg", "x"}, {"a.csv", last}})) {
    CAPTURE(archive);
    const AnnotationSet set = read_annotations(archive);
    CHECK(set.classes == std::vector<std::string>{"dog"});
    REQUIRE(!set.remarks.empty());
    CHECK(set.remarks.back() ==
          "1 file is in the archive twice with other content, of which the last is read: the first "
          "'a.csv'");
  }
  for (const auto& archive : archives({{"1.jpg", "x"}, {"a.csv", last}, {"a.csv", last}}))
    CHECK(read_annotations(archive).remarks.empty());
}

TEST_CASE("files whose names lead out of an archive are told; one of these alone is refused") {
  TempDir dir;
  using Files = std::vector<std::pair<std::string, std::string>>;
  const std::string rows = "1.jpg,1,2,3,4,cat\n";
  CHECK(
      failure_of(dir.write("all.zip", zipped(Files{{"/a.csv", rows}, {"/1.jpg", "x"}}))).message ==
      (dir / "all.zip").string() +
          ": the names of 2 files in it lead outside the archive, the first '/1.jpg', and no "
          "others are there; pack it again with paths below one folder");
  CHECK_CONTAINS(failure_of(dir.write("all.tar", packed({{"../a.csv", rows}}))).message,
                 "the names of 1 file in it lead outside the archive, the first '../a.csv'");
  const AnnotationSet set = read_annotations(
      dir.write("one.tar", packed({{"a.csv", rows}, {"1.jpg", "x"}, {"/b.csv", rows}})));
  CHECK(set.items.size() == 1);
  REQUIRE(!set.remarks.empty());
  CHECK(set.remarks.back() ==
        "names of 1 file lead outside the archive, the first '/b.csv': they are not read; pack it "
        "again with paths below one folder");
}

}  // namespace letterpress
