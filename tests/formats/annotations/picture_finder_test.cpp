#include <sys/stat.h>

#include "samples.h"

namespace letterpress {
namespace {

namespace fs = std::filesystem;

// set/train.txt with one keras line.
AnnotationSet read_line(const TempDir& dir, const std::string& line,
                        AnnotationOptions options = {}) {
  options.format = "keras";
  options.classes = dir.write("classes.txt", "cat\n");
  return read_annotations(dir.write("set/train.txt", line + "\n"), options);
}

}  // namespace

TEST_CASE("pictures are sought in the label file's folder, then in root") {
  TempDir dir;
  write_pictures(dir, {"set/a.jpg", "root/a.jpg", "root/b.jpg"});
  const AnnotationOptions options{.roots = {dir / "root"}};
  CHECK(read_line(dir, "a.jpg", options).items[0].path ==
        (fs::canonical(dir.path()) / "set/a.jpg").string());
  CHECK(read_line(dir, "b.jpg", options).items[0].path ==
        (fs::canonical(dir.path()) / "root/b.jpg").string());
  const std::string missing = only_reject(read_line(dir, "c.jpg", options));
  CHECK_CONTAINS(missing, "there is no picture 'c.jpg', tried " + (dir / "set/c.jpg").string() +
                              ", " + (dir / "root/c.jpg").string());
  CHECK_CONTAINS(
      missing,
      "restore it, correct the path, or give --root with the folder that paths start from");
}

TEST_CASE("a path that leaves the dataset is refused unless root holds it or it is allowed") {
  TempDir dir;
  write_pictures(dir, {"other/a.jpg", "set/b.jpg"});
  const std::string absolute = (dir / "other/a.jpg").string();
  for (const std::string& name :
       {std::string("../other/a.jpg"), std::string("x/../../other/a.jpg"), absolute}) {
    CAPTURE(name);
    const AnnotationSet refused = read_line(dir, name + " 1,2,3,4,0");
    const std::string reject = only_reject(refused);
    CHECK(refused.items.empty());
    CHECK_CONTAINS(reject, "'" + name + "' leads to ");
    CHECK_CONTAINS(reject, "other/a.jpg, outside the dataset's folder " + (dir / "set").string());
    CHECK_CONTAINS(reject, "; give --allow-outside, or --root with a folder that holds it");
    CHECK(read_line(dir, name, {.allow_outside = true}).items.size() == 1);
    CHECK(read_line(dir, name, {.roots = {dir.path()}}).items.size() == 1);
    CHECK_CONTAINS(only_reject(read_line(dir, name, {.roots = {dir / "set"}})),
                   " and outside --root ");
  }
  CHECK(read_line(dir, "x/../b.jpg").items.size() == 1);
  CHECK(read_line(dir, "./b.jpg").items[0].path ==
        (fs::canonical(dir.path()) / "set/b.jpg").string());
}

TEST_CASE("a folder whose name starts like the dataset's is outside") {
  TempDir dir;
  write_pictures(dir, {"set2/a.jpg"});
  CHECK_CONTAINS(only_reject(read_line(dir, "../set2/a.jpg")), "outside the dataset's folder");
}

TEST_CASE(
    "a symbolic link inside the dataset may point out, and another name of the dataset is the "
    "dataset") {
  TempDir dir;
  write_pictures(dir, {"other/a.jpg", "set/b.jpg"});
  fs::create_directory_symlink(dir / "other", dir / "set/linked");
  fs::create_directory_symlink(dir / "set", dir / "alias");
  CHECK(read_line(dir, "linked/a.jpg").items.size() == 1);
  CHECK(read_line(dir, (dir / "alias/b.jpg").string()).items.size() == 1);
}

TEST_CASE("a FIFO, a folder and a circle of links are not pictures") {
  TempDir dir;
  fs::create_directories(dir / "set/folder.jpg");
  REQUIRE(mkfifo((dir / "set/fifo.jpg").c_str(), 0600) == 0);
  fs::create_symlink(dir / "set/loop.jpg", dir / "set/loop.jpg");
  CHECK_CONTAINS(only_reject(read_line(dir, "folder.jpg 1,2,3,4,0")),
                 "folder.jpg is a folder, must be a file; name a picture file");
  CHECK_CONTAINS(only_reject(read_line(dir, "fifo.jpg")),
                 "fifo.jpg is a FIFO, must be a file; name a picture file");
  CHECK_CONTAINS(only_reject(read_line(dir, "loop.jpg")),
                 "loop.jpg is a symbolic link that leads in a circle");
}

TEST_CASE("names are shown and stored as UTF-8 only") {
  TempDir dir;
  write_pictures(dir, {"set/日本 1.jpg"});
  const AnnotationSet set = read_line(dir, "日本 1.jpg 1,2,3,4,0");
  CHECK(set.items[0].name == "日本 1.jpg");
  CHECK_CONTAINS(
      only_reject(read_line(dir, "caf\xE9.jpg")),
      "the picture's name 'caf\\xe9.jpg' is not UTF-8; write the path of a picture in UTF-8");
  CHECK_CONTAINS(only_reject(read_line(dir, std::string("a\0b.jpg", 7))),
                 "the picture's name 'a\\x00b.jpg' holds a NUL byte");
  const std::string longest = only_reject(read_line(dir, std::string(100000, 'x') + ".jpg"));
  CHECK_CONTAINS(longest, "there is no picture 'xxx");
  CHECK(longest.size() < 2000);
}

}  // namespace letterpress
