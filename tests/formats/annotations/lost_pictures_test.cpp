#include "exports.h"
#include "tests/bound_user.h"
#include "tests/skip.h"

namespace letterpress {
namespace {

namespace fs = std::filesystem;

// annots/boxes.csv with a box in each of these pictures.
AnnotationSet read_names(const TempDir& dir, const std::vector<std::string>& names,
                         const std::vector<fs::path>& roots = {}) {
  std::string text;
  for (const std::string& name : names) text += name + ",1,2,30,40,nut\n";
  return read_annotations(dir.write("annots/boxes.csv", text), {.format = "csv", .roots = roots});
}

std::string place_of(const TempDir& dir, const std::string& file) {
  return (fs::canonical(dir.path()) / file).string();
}

}  // namespace

TEST_CASE("a folder that may be listed but not entered is named, not what could not be seen in it" *
          doctest::test_suite("needs a bound user")) {
  for (const std::string closed : {"set", "set/labels"}) {
    CAPTURE(closed);
    TempDir dir;
    write_pictures(dir, {"set/images/1.jpg"});
    dir.write("set/labels/1.txt", "0 0.5 0.5 0.2 0.2\n");
    dir.write("set/classes.txt", "nut\n");
    const Mode mode(dir / closed, fs::perms(0744));
    const NoSuperuser user(dir.path());
    if (!user.is_bound()) return skip("no user here whom modes bind");
    const Failure failure = failure_of(dir / "set");
    CHECK(failure.message == (dir / closed).string() +
                                 ": may be listed but not entered: permission denied; give this "
                                 "user the right to enter it (chmod +x), and the folders in it");
    CHECK(failure.exit == Exit::io);
  }
}

TEST_CASE("pictures are found where people put them, and where they lie is told") {
  struct Case {
    std::string written, there, told;
  };
  const std::vector<Case> cases{
      {"1.jpg", "images/1.jpg", "1 picture in a folder near the labels: the first, '1.jpg', is "},
      {"1.jpg", "IMAGES/1.jpg", "in a folder near the labels"},
      {"1.jpg", "JPEGImages/1.jpg", "in a folder near the labels"},
      {"1.jpg", "data/1.jpg", "in a folder near the labels"},
      {"1.jpg", "annots/img/1.jpg", "in a folder near the labels"},
      {"1.jpg", "images/annots/1.jpg", "in a folder near the labels"},
      {"1.jpg", "images/boxes/1.jpg", "in a folder near the labels"},
      {"1.jpg", "boxes/1.jpg", "in a folder near the labels"},
      {"a\\1.jpg", "annots/a/1.jpg", ""},
      {"C:\\Users\\me\\set\\a\\1.jpg", "annots/a/1.jpg",
       "1 picture by the longest end of the path that leads to a file here: the first, "
       "'C:\\Users\\me\\set\\a\\1.jpg', is "},
      {"/home/me/set/a/1.jpg", "annots/1.jpg", "by the longest end of the path"},
      {"other/1.jpg", "images/1.jpg", "by the longest end of the path"},
      {"my%20dog.jpg", "annots/my dog.jpg", "1 picture spelt otherwise on this disk"},
      {"A/1.JPG", "annots/a/1.jpg", "spelt otherwise on this disk: the first, 'A/1.JPG', is "},
      {"d\u00e9j\u00e0.jpg", "annots/de\u0301ja\u0300.jpg", "spelt otherwise on this disk"},
  };
  for (const Case& one : cases) {
    CAPTURE(one.written);
    CAPTURE(one.there);
    TempDir dir;
    write_pictures(dir, {one.there});
    const AnnotationSet set = read_names(dir, {one.written});
    CHECK(set.rejects.empty());
    REQUIRE(set.items.size() == 1);
    CHECK(set.items[0].path == place_of(dir, one.there));
    CHECK_CONTAINS(remarks_of(set), one.told);
    CHECK(set.remarks.empty() == one.told.empty());
  }
}

TEST_CASE("the longest end of a path decides, and the labels' own folder comes first") {
  TempDir dir;
  write_pictures(dir, {"annots/1.jpg", "images/a/1.jpg", "images/2.jpg", "annots/2.jpg"});
  const AnnotationSet set = read_names(dir, {"/x/a/1.jpg", "2.jpg"});
  REQUIRE(set.items.size() == 2);
  CHECK(set.items[0].path == place_of(dir, "images/a/1.jpg"));
  CHECK(set.items[1].path == place_of(dir, "annots/2.jpg"));
}

TEST_CASE("two files whose names differ in case alone: neither is taken for a third spelling") {
  TempDir dir;
  write_pictures(dir, {"annots/a.jpg", "annots/A.jpg"});
  CHECK(read_names(dir, {"A.jpg"}).items.size() == 1);
  CHECK_CONTAINS(only_reject(read_names(dir, {"a.JPG"})), "there is no picture 'a.JPG'");
}

TEST_CASE("a picture that lies elsewhere: one line names the place and how many there are") {
  TempDir dir;
  write_pictures(dir, {"shots/1.jpg", "shots/2.jpg", "shots/3.jpg"});
  const AnnotationSet set = read_names(dir, {"1.jpg", "2.jpg", "3.jpg"});
  CHECK(set.items.empty());
  CHECK(set.rejects.size() == 3);
  const std::string shots = place_of(dir, "shots");
  CHECK(remarks_of(set) ==
        "3 pictures not found; '1.jpg' is in " + shots + ": add --root " + shots + "\n");
  CHECK(read_names(dir, {"1.jpg", "2.jpg", "3.jpg"}, {dir / "shots"}).items.size() == 3);
}

TEST_CASE("pictures that are nowhere: one line with their number; one elsewhere is named first") {
  TempDir dir;
  write_pictures(dir, {"shots/2.jpg"});
  CHECK(remarks_of(read_names(dir, {"8.jpg", "9.jpg"})) ==
        "2 pictures not found; the first, '8.jpg', is nowhere near: restore it, correct the path, "
        "or give --root with the folder that paths start from\n");
  CHECK(remarks_of(read_names(dir, {"8.jpg"})) ==
        "1 picture not found; '8.jpg' is nowhere near: restore it, correct the path, or give "
        "--root with the folder that paths start from\n");
  const AnnotationSet set = read_names(dir, {"1.jpg", "2.jpg"});
  const std::string shots = place_of(dir, "shots");
  CHECK(remarks_of(set) ==
        "2 pictures not found; '2.jpg' is in " + shots + ": add --root " + shots + "\n");
  for (const Reject& reject : set.rejects) CHECK(reject.is_missing);
}

TEST_CASE("pictures that lie in several folders: none of them is proposed alone") {
  TempDir dir;
  write_pictures(dir, {"other/1.jpg", "shots/1.jpg", "shots/2.jpg"});
  const std::string other = place_of(dir, "other"), shots = place_of(dir, "shots");
  CHECK(remarks_of(read_names(dir, {"1.jpg"})) ==
        "1 picture not found; '1.jpg' is in " + other + " and in " + shots +
            ": add --root with the folder whose pictures the labels are of\n");
  CHECK(remarks_of(read_names(dir, {"1.jpg", "2.jpg"})) ==
        "2 pictures not found; '2.jpg' is in " + shots + ": add --root " + shots + "\n");
}

TEST_CASE("places of a picture that is not found: each folder once, the set's own first") {
  TempDir dir;
  write_pictures(dir, {"a stranger/1.jpg", "a stranger/1.JPG"});
  const auto read = [&] {
    return remarks_of(read_annotations(dir.write("set/boxes.csv", "1.jpg,1,2,30,40,nut\n")));
  };
  const std::string stranger = place_of(dir, "a stranger");
  CHECK(read() ==
        "1 picture not found; '1.jpg' is in " + stranger + ": add --root '" + stranger + "'\n");
  write_pictures(dir, {"set/images/train/1.jpg"});
  const std::string train = place_of(dir, "set/images/train");
  const std::string way = ": add --root with the folder whose pictures the labels are of\n";
  CHECK(read() == "1 picture not found; '1.jpg' is in " + train + " and in " + stranger + way);
  write_pictures(dir, {"set/images/val/1.jpg"});
  CHECK(read() == "1 picture not found; '1.jpg' is in " + train + " and in " +
                      place_of(dir, "set/images/val") + way);
}

TEST_CASE("an XML outside a folder Annotations is told where its picture lies") {
  TempDir dir;
  write_pictures(dir, {"set/shots/1.jpg"});
  const std::string xml =
      "<annotation><filename>1.jpg</filename><object><name>cat</name><bndbox><xmin>2</xmin>"
      "<ymin>3</ymin><xmax>9</xmax><ymax>8</ymax></bndbox></object></annotation>";
  const AnnotationSet set = read_annotations(dir.write("set/xmls/1.xml", xml));
  const std::string shots = place_of(dir, "set/shots");
  CHECK(remarks_of(set) ==
        "1 picture not found; '1.jpg' is in " + shots + ": add --root " + shots + "\n");
}

TEST_CASE("folders of pictures that name a split serve the labels of that split") {
  TempDir dir;
  write_pictures(dir, {"IMAGES/1.jpg", "IMAGES/2.jpg", "Validation_Images/1.jpg"});
  const auto picture_of = [&](const std::string& labels, const std::string& line) {
    const AnnotationSet set = read_annotations(dir.write(labels, line));
    REQUIRE(set.items.size() == 1);
    return set.items[0].path;
  };
  const std::string line = "1.jpg,1,2,30,40,nut\n";
  CHECK(picture_of("val.csv", line) == place_of(dir, "Validation_Images/1.jpg"));
  CHECK(picture_of("Validation_annots/a.csv", line) == place_of(dir, "Validation_Images/1.jpg"));
  CHECK(picture_of("train.csv", line) == place_of(dir, "IMAGES/1.jpg"));
  CHECK(picture_of("labels/a.csv", line) == place_of(dir, "IMAGES/1.jpg"));
  CHECK(picture_of("val2.csv", "2.jpg,1,2,30,40,nut\n") == place_of(dir, "IMAGES/2.jpg"));
  std::filesystem::remove_all(dir / "IMAGES");
  CHECK_CONTAINS(only_reject(read_annotations(dir / "train.csv")), "there is no picture '1.jpg'");
}

TEST_CASE("LabelMe's way out of its folder leads to pictures near it, and to no others") {
  TempDir dir;
  write_pictures(dir, {"images/1.jpg", "others/1.jpg"});
  const auto read = [&](const std::string& path) {
    dir.write("ann/1.json", R"({"shapes":[],"imagePath":")" + path + R"("})");
    return read_annotations(dir / "ann");
  };
  CHECK(read("../images/1.jpg").items.at(0).path == place_of(dir, "images/1.jpg"));
  CHECK_CONTAINS(only_reject(read("../others/1.jpg")), "outside the dataset's folder");
}

TEST_CASE("roots of a name with .. in it; the file that the name leads to counts, not its path") {
  TempDir dir;
  write_pictures(dir,
                 {"roots/a/x.jpg", "roots/b/y.jpg", "far.jpg", "roots/x/1.jpg", "roots/b/1.jpg"});
  const std::vector<fs::path> roots{dir / "roots/a", dir / "roots/b"};
  const auto read = [&](const std::string& name) {
    return read_annotations(dir.write("labels/train.csv", name + ",1,2,3,4,nut\n"),
                            {.roots = roots, .allow_outside = true});
  };
  CHECK(read("../../far.jpg").items.at(0).path == place_of(dir, "far.jpg"));
  CHECK(read("../x/1.jpg").items.at(0).path == place_of(dir, "roots/x/1.jpg"));
  write_pictures(dir, {"roots/a/1.jpg"});
  dir.write("Annotations/1.xml",
            "<annotation><filename>1.jpg</filename><size><width>9</width><height>9</height></size>"
            "</annotation>");
  CHECK_CONTAINS(only_reject(read_annotations(dir / "Annotations", {.roots = roots})),
                 "'1.jpg' is both " + place_of(dir, "roots/a/1.jpg") + " and " +
                     place_of(dir, "roots/b/1.jpg"));
}

TEST_CASE("several roots are sought in turn; a name in two of them is rejected") {
  TempDir dir;
  write_pictures(dir, {"one/1.jpg", "one/2.jpg", "two/2.jpg", "two/3.jpg"});
  const AnnotationSet set =
      read_names(dir, {"1.jpg", "2.jpg", "3.jpg"}, {dir / "one", dir / "two"});
  REQUIRE(set.items.size() == 2);
  CHECK(set.items[1].path == place_of(dir, "two/3.jpg"));
  CHECK_CONTAINS(only_reject(set), "'2.jpg' is both " + place_of(dir, "one/2.jpg") + " and " +
                                       place_of(dir, "two/2.jpg") +
                                       "; give each split its own folder: --root val=FOLDER");
}

TEST_CASE("a picture in two folders near the labels is rejected until --root names one") {
  for (const char* other : {"data", "JPEGImages", "Images", "img"}) {
    CAPTURE(other);
    TempDir dir;
    const std::string second = std::string(other) + "/1.jpg";
    dir.write("images/1.jpg", "one");
    dir.write(second, "two");
    dir.write("labels/1.txt", "0 .5 .5 .1 .1\n");
    const fs::path classes = dir.write("names.txt", "nut\n");
    std::vector<std::string> both{place_of(dir, "images/1.jpg"), place_of(dir, second)};
    std::sort(both.begin(), both.end());
    const std::string told = "'1.jpg' is both " + both[0] + " and " + both[1] +
                             "; give --root with the folder whose pictures the labels are of";
    CHECK_CONTAINS(only_reject(read_names(dir, {"1.jpg"})), told);
    const AnnotationSet yolo = read_annotations(dir / "labels", {.classes = classes});
    CHECK_CONTAINS(only_reject(yolo), told);
    CHECK(remarks_of(yolo).find("near the labels") == std::string::npos);
    CHECK(read_names(dir, {"1.jpg"}, {dir / other}).items.at(0).path == place_of(dir, second));
    dir.write(second, "one");
    CHECK(read_names(dir, {"1.jpg"}).items.at(0).path == both[0]);
  }
}

TEST_CASE("of folders near the labels, the one that is called as they are comes first") {
  TempDir dir;
  dir.write("data/1.jpg", "one");
  dir.write("images/annots/1.jpg", "two");
  CHECK(read_names(dir, {"1.jpg"}).items.at(0).path == place_of(dir, "images/annots/1.jpg"));
}

TEST_CASE("copies that a system leaves are passed over and counted") {
  TempDir dir;
  write_pictures(dir, {"images/1.jpg", "images/._1.jpg", "images/.ipynb_checkpoints/1.jpg",
                       "images/__MACOSX/1.jpg", "images/.DS_Store"});
  dir.write("labels/1.txt", "0 .5 .5 .1 .1\n");
  dir.write("labels/._1.txt", "junk\n");
  const AnnotationSet set = read_annotations(dir.write("data.yaml", "train: images\nnames: [a]\n"));
  CHECK(set.items.size() == 1);
  CHECK(set.rejects.empty());
  CHECK_CONTAINS(remarks_of(set), "passed over 5 files that systems and notebooks leave");
}

TEST_CASE("what is in an archive finds no pictures beside it") {
  TempDir dir;
  write_pictures(dir, {"images/1.jpg", "set/annots/keep"});
  dir.write("set/annots/b.csv", "1.jpg,1,2,30,40,nut\n");
  const std::string pack =
      "tar -C " + (dir / "set").string() + " -cf " + (dir / "set.tar").string() + " annots";
  REQUIRE(std::system(pack.c_str()) == 0);
  CHECK(read_annotations(dir / "set.tar/annots/b.csv").items.empty());
}

}  // namespace letterpress
