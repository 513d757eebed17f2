#include <array>

#include "letterpress/base/picture_extension.h"
#include "voc_sample.h"

namespace letterpress {

TEST_CASE("the id finds the picture, whatever <filename> says; <filename> is the last resort") {
  TempDir dir;
  write_pictures(dir, {"JPEGImages/1.png", "JPEGImages/2.jpg", "JPEGImages/other.jpg",
                       "Annotations/4.jpeg", "Annotations/5.JPG"});
  const std::vector<std::array<std::string, 3>> cases{
      {"1", "1.jpg", "JPEGImages/1.png"},
      {"1", "/home/pi/set/1.jpg", "JPEGImages/1.png"},
      {"2", "other.jpg", "JPEGImages/2.jpg"},
      {"2", "", "JPEGImages/2.jpg"},
      {"3", "C:\\set\\other.jpg", "JPEGImages/other.jpg"},
      {"4", "4.jpg", "Annotations/4.jpeg"},
      {"5", "5", "Annotations/5.JPG"},
  };
  for (const auto& [id, filename, picture] : cases) {
    CAPTURE(id);
    CAPTURE(filename);
    const AnnotationSet set = read_annotations(
        dir.write("Annotations/" + id + ".xml", xml("<filename>" + filename + "</filename>")));
    REQUIRE(set.items.size() == 1);
    CHECK(set.items[0].path == (std::filesystem::canonical(dir.path()) / picture).string());
  }
}

TEST_CASE(
    "a <filename> that is another picture is remarked on; one that leads nowhere, as after a "
    "renaming, is not") {
  TempDir dir;
  write_pictures(
      dir, {"JPEGImages/1.jpg", "JPEGImages/2.jpg", "JPEGImages/3.jpg", "JPEGImages/other.jpg"});
  const auto write = [&](const std::string& id, const std::string& filename) {
    dir.write("Annotations/" + id + ".xml", xml("<filename>" + filename + "</filename>"));
  };
  write("1", "old name.jpg");
  write("2", "2.png");
  const AnnotationSet plain = read_annotations(dir / "Annotations");
  CHECK(plain.items.size() == 2);
  CHECK(plain.remarks.empty());
  write("1", "other.jpg");
  write("3", "C:\\set\\2.jpg");
  write("4", "other.jpg");
  const AnnotationSet set = read_annotations(dir / "Annotations");
  CHECK(set.items.size() == 4);
  REQUIRE(set.remarks.size() == 2);
  const std::string folder = (dir / "Annotations").string();
  CHECK(set.remarks[0] ==
        "2 XMLs name in <filename> another picture that exists; the one with the XML's name is "
        "taken: the first, " +
            folder +
            "/1.xml takes 1.jpg, its <filename> is 'other.jpg'; rename the XML if its boxes belong "
            "to the other");
  CHECK(set.remarks[1] ==
        "1 XML has no picture of the same name; the one in <filename> is taken: the first, " +
            folder +
            "/4.xml takes other.jpg, its <filename> is 'other.jpg'; rename the XML if that is the "
            "right one, "
            "else correct <filename>");
}

TEST_CASE("a missing picture names every place tried") {
  VocSet voc;
  std::filesystem::remove(voc.dir / "JPEGImages/1.jpg");
  const AnnotationSet set = voc.read(xml("<filename>x.tif</filename>" + object("a", "1 1 2 2")));
  const std::string reject = only_reject(set);
  CHECK_CONTAINS(reject, "Annotations/1.xml: there is no picture '1.tif', tried ");
  for (const char* place : {"JPEGImages/1.tif, ", "Annotations/1.tif (nor 1.jpg, 1.JPG, ",
                            "1.webp, 1.WEBP, x.tif there)"}) {
    CHECK_CONTAINS(reject, place);
  }
  CHECK(set.boxes_found == 1);
  CHECK(set.boxes_rejected == 1);
}

TEST_CASE("pictures may lie in images/ beside annotations/") {
  TempDir dir;
  write_pictures(dir, {"images/1.png"});
  dir.write("annotations/1.xml", xml("<filename>1.png</filename>"));
  CHECK(read_annotations(dir / "annotations/").items.size() == 1);
}

TEST_CASE("a picture of any extension that the decoder knows is found") {
  for (const PictureExtension& known : picture_extensions()) {
    CAPTURE(known.extension);
    TempDir dir;
    write_pictures(dir, {"JPEGImages/1." + std::string(known.extension)});
    CHECK(read_annotations(dir.write("Annotations/1.xml", xml(object("a", "1 1 5 5"))))
              .items.size() == 1);
  }
}

// As Datumaro 1.13 writes it (format label_me), the second object as a person has drawn it.
TEST_CASE("of two pictures whose names differ in the extension alone, <filename> says which") {
  TempDir dir;
  dir.write("JPEGImages/2.jpg", "one");
  dir.write("JPEGImages/2.png", "two");
  dir.write("JPEGImages/2.txt", "notes");
  const auto read = [&](const std::string& filename) {
    return read_annotations(dir.write("Annotations/2.xml", xml(filename)));
  };
  for (const char* unclear : {"", "<filename>2</filename>", "<filename>2.webp</filename>"}) {
    CAPTURE(unclear);
    const AnnotationSet set = read(unclear);
    CHECK(set.items.empty());
    CHECK_CONTAINS(only_reject(set),
                   "Annotations/2.xml: names '2' without an extension, and '2.jpg' and '2.png' "
                   "are there; write the extension");
  }
  for (const std::string clear : {"2.png", "2.jpg"})
    CHECK(read("<filename>" + clear + "</filename>").items.at(0).name == clear);
  std::filesystem::remove(dir / "JPEGImages/2.jpg");
  CHECK(read("").items.at(0).name == "2.png");
}

TEST_CASE("LabelMe 3.0: points counted from 0 in place of a bndbox; what was deleted is none") {
  const auto points = [](const std::string& pairs, const std::string& deleted = "0") {
    return "<object><name>nut</name><deleted>" + deleted + "</deleted><type>bounding_box</type>" +
           "<polygon>" + pairs + "<username></username></polygon></object>";
  };
  const auto pt = [](const std::string& x, const std::string& y) {
    return "<pt><x>" + x + "</x><y>" + y + "</y></pt>";
  };
  const std::string box =
      points(pt("6.00", "9.00") + pt("30.00", "9.00") + pt("30.00", "27.00") + pt("6.00", "27.00"));
  const std::string size = "<imagesize><nrows>36</nrows><ncols>48</ncols></imagesize>";
  VocSet voc;
  const AnnotationSet set =
      voc.read(xml("<filename>1.jpg</filename>" + size + box + points(pt("1", "1"), "1") +
                   points(pt("0", "4") + pt("8", "0") + pt("12", "20"))));
  REQUIRE(set.items.size() == 1);
  CHECK(set.items[0].width == 48);
  CHECK(set.items[0].height == 36);
  REQUIRE(set.items[0].boxes.size() == 2);
  CHECK(set.items[0].boxes[0].x1 == 6);
  CHECK(set.items[0].boxes[0].y1 == 9);
  CHECK(set.items[0].boxes[0].x2 == 30);
  CHECK(set.items[0].boxes[0].y2 == 27);
  const LabelBox& drawn = set.items[0].boxes[1];
  CHECK(drawn.x1 == 0);
  CHECK(drawn.y1 == 0);
  CHECK(drawn.x2 == 12);
  CHECK(drawn.y2 == 20);
  CHECK_FALSE(drawn.outline.empty());
  CHECK_CONTAINS(only_reject(voc.read(xml(points(pt("1", "2") + pt("3", "4"))))),
                 "object 1: has neither a bndbox nor a polygon of three points");
  CHECK_CONTAINS(only_reject(voc.read(xml(points(pt("1", "x") + pt("3", "4"))))),
                 "object 1: pt 'x' is not a number");
}

TEST_CASE("a rotation that is not a number rejects its picture") {
  VocSet voc;
  CHECK_CONTAINS(only_reject(voc.read(xml(object(
                     "nut", "1 2 30 40",
                     "<attributes><attribute><name>rotation</name><value>nan</value></attribute>"
                     "</attributes>")))),
                 "object 1: rotation 'nan' is not finite");
}

TEST_CASE("a line of a list that begins with # is a comment, but where an XML is called so") {
  TempDir dir;
  write_pictures(dir, {"JPEGImages/0.png", "JPEGImages/1.png", "JPEGImages/#2.png"});
  for (const char* label : {"0", "1", "#2"})
    dir.write(std::string("Annotations/") + label + ".xml", kCatXml);
  for (const std::string column : {"", " 1"}) {
    CAPTURE(column);
    const auto list = dir.write("ImageSets/Main/train.txt",
                                "# of May\n0" + column + "\n#1" + column + "\n#2" + column + "\n");
    const AnnotationSet set = read_annotations(list);
    REQUIRE(set.items.size() == 2);
    CHECK(set.items[0].name == "0.png");
    CHECK(set.items[1].name == "#2.png");
    CHECK(set.rejects.empty());
    REQUIRE(!set.remarks.empty());
    CHECK(set.remarks.front() == "2 lines of comment (#) are passed over");
  }
}

TEST_CASE("objects that are marked as deleted are left out and counted") {
  VocSet voc;
  const std::string deleted = "<deleted>1</deleted>";
  const AnnotationSet set = voc.read(xml(object("nut", "1 2 30 40", deleted) +
                                         object("bolt", "1 2 30 40", "<deleted>0</deleted>") +
                                         object("nut", "5 6 30 40", deleted)));
  REQUIRE(set.items.size() == 1);
  CHECK(set.items[0].boxes.size() == 1);
  CHECK(set.boxes_found == 1);
  CHECK(set.classes == std::vector<std::string>{"bolt"});
  CHECK(set.remarks ==
        std::vector<std::string>{"2 objects are marked <deleted>1</deleted>, and left out"});
}

TEST_CASE("a picture of other bytes in two folders beside Annotations is rejected until --root") {
  using Folders = std::array<std::string, 2>;
  for (const auto& [one, other] : {Folders{"images", "data"}, Folders{"JPEGImages", "images"},
                                   Folders{"JPEGImages", "IMAGES"}}) {
    CAPTURE(one);
    CAPTURE(other);
    TempDir dir;
    for (const std::string& folder : {one, other}) {
      dir.write(folder + "/1.jpg", folder);
      dir.write(folder + "/2.jpg", "equal");
    }
    dir.write(one + "/3.jpg", one);
    for (const char* id : {"1", "2", "3"})
      dir.write(std::string("Annotations/") + id + ".xml", xml(""));
    const AnnotationSet set = read_annotations(dir.path());
    CHECK(set.items.size() == 2);
    CHECK_CONTAINS(only_reject(set), "1.xml: '1.jpg' is both ");
    CHECK_CONTAINS(only_reject(set),
                   "; give --root with the folder whose pictures the labels are of");
    for (const std::string& root : {one, other}) {
      const AnnotationSet rooted = read_annotations(dir.path(), {.roots = {dir / root}});
      CHECK(rooted.rejects.empty());
      REQUIRE(rooted.items.size() == 3);
      CHECK(rooted.items[0].path ==
            (std::filesystem::canonical(dir.path()) / root / "1.jpg").string());
    }
  }
}

}  // namespace letterpress
