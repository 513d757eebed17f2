#include "formats/annotations/files/listed_files.h"

#include <array>

#include "samples.h"

namespace letterpress::annotations {

TEST_CASE("a folder is listed once many of its files were asked for; only files are known then") {
  TempDir dir;
  write_pictures(dir, {"a/1.jpg", "a/2.jpg", "a/folder/3.jpg", "b/1.jpg"});
  std::filesystem::create_symlink("1.jpg", dir / "a/link.jpg");
  const auto path = [&](const std::string& name) { return (dir / name).string(); };
  ListedFiles listed(3);
  for (int i = 0; i < 3; ++i) CHECK(!listed.contains(path("a/1.jpg")));
  for (const char* file : {"a/1.jpg", "a/2.jpg"}) CHECK(listed.contains(path(file)));
  for (const char* other : {"a/link.jpg", "a/folder", "a/3.jpg", "a/1.JPG", "a/", "b/1.jpg",
                            "none/1.jpg", "a/folder/3.jpg", "a"}) {
    CAPTURE(other);
    CHECK(!listed.contains(path(other)));
  }
  CHECK(!listed.contains("1.jpg"));
  write_pictures(dir, {"a/4.jpg"});
  CHECK(!listed.contains(path("a/4.jpg")));
}

// More than it takes to list the folder.
TEST_CASE("of many pictures, each is found or rejected as of few: links, folders, other cases") {
  TempDir dir;
  constexpr int kFiles = 1500;
  std::string lines;
  for (int i = 0; i < kFiles; ++i) {
    const std::string name = std::to_string(i) + ".jpg";
    dir.write("pictures/" + name, std::to_string(i));
    lines += "pictures/" + name + ",1,2,3,4,nut\n";
  }
  std::filesystem::create_symlink("7.jpg", dir / "pictures/link.jpg");
  std::filesystem::create_symlink("nowhere.jpg", dir / "pictures/lost.jpg");
  std::filesystem::create_directory(dir / "pictures/folder.jpg");
  dir.write("pictures/Late.JPG", "late");
  for (const char* name : {"link.jpg", "lost.jpg", "folder.jpg", "late.jpg", "none.jpg"})
    lines += std::string("pictures/") + name + ",1,2,3,4,nut\n";
  const AnnotationSet set = read_annotations(dir.write("train.csv", lines));
  REQUIRE(set.items.size() == kFiles + 2);
  for (int i = 0; i < kFiles; ++i)
    CHECK(std::filesystem::path(set.items[static_cast<std::size_t>(i)].path).filename() ==
          std::to_string(i) + ".jpg");
  CHECK(std::filesystem::path(set.items[kFiles + 1].path).filename() == "Late.JPG");
  REQUIRE(set.rejects.size() == 3);
  for (std::size_t i = 0; i < 3; ++i)
    CHECK(set.rejects[i].name ==
          std::array{"pictures/lost.jpg", "pictures/folder.jpg", "pictures/none.jpg"}[i]);
}

}  // namespace letterpress::annotations
