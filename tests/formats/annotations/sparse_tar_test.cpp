#include "samples.h"

namespace letterpress {

// GNU tar manual, "Basic Tar Format": a sparse member's list of pieces goes on in further blocks.
TEST_CASE("a sparse member of many pieces is passed over, what is behind it is read") {
  const auto header = [](const std::string& name, char type, int size, bool more) {
    std::string block(512, '\0');
    block.replace(0, name.size(), name);
    block.replace(124, 11,
                  "0000000" + std::string(4 - std::to_string(size).size(), '0') +
                      std::to_string(size));  // octal: 1000 is 512
    block.replace(148, 8, "        ");
    block[156] = type;
    block.replace(257, 7, "ustar  ");
    if (more) block[482] = 1;
    int sum = 0;
    for (const char c : block) sum += static_cast<unsigned char>(c);
    std::string digits;
    for (int place = 0; place < 6; ++place, sum /= 8) digits.insert(0, std::to_string(sum % 8));
    return block.replace(148, 7, digits + std::string(1, '\0'));
  };
  std::string more(512, '\0'), last(512, '\0'), body(512, 'x');
  more[504] = 1;
  TempDir dir;
  std::string archive = header("cat/holes.jpg", 'S', 1000, true) + more + last + body;
  for (const char* name : {"cat/1.jpg", "dog/2.jpg"})
    archive += header(name, '0', 1000, false) + body;
  const auto file = dir.write("sparse.tar", archive + std::string(1024, '\0'));
  const AnnotationSet set = read_annotations(file, {.format = "folder"});
  REQUIRE(set.items.size() == 2);
  CHECK(picture_text(set.items[0]) == body);
  REQUIRE(set.rejects.size() == 1);
  CHECK_CONTAINS(to_string(set.rejects[0]), "'cat/holes.jpg': is stored sparse");
}

}  // namespace letterpress
