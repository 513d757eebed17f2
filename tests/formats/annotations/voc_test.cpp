#include "voc_sample.h"

namespace letterpress {

TEST_CASE("a turned box of CVAT is read as the upright box around it, and said") {
  VocSet voc;
  const auto turned = [](const char* degrees) {
    return "<attributes><attribute><name>rotation</name><value>" + std::string(degrees) +
           "</value></attribute></attributes>";
  };
  // 40 x 20 around (30, 40) by 90 degrees: 20 x 40. 40 x 20 by 30: 44.641 x 37.3205.
  const AnnotationSet set = voc.read(xml(object("a", "11 31 50 50", turned("90.0")) +
                                         object("a", "11 31 50 50", turned("330.0")) +
                                         object("a", "11 31 50 50", turned("0.0"))));
  REQUIRE(set.items.size() == 1);
  const std::vector<LabelBox> wanted{
      {20, 20, 40, 60}, {7.6795F, 21.3397F, 52.3205F, 58.6603F}, {10, 30, 50, 50}};
  for (std::size_t i = 0; i < 3; ++i) {
    CAPTURE(i);
    CHECK(set.items[0].boxes[i].x1 == doctest::Approx(wanted[i].x1));
    CHECK(set.items[0].boxes[i].y1 == doctest::Approx(wanted[i].y1));
    CHECK(set.items[0].boxes[i].x2 == doctest::Approx(wanted[i].x2));
    CHECK(set.items[0].boxes[i].y2 == doctest::Approx(wanted[i].y2));
  }
  CHECK(set.remarks == std::vector<std::string>{"2 boxes are turned (attribute rotation), and read "
                                                "as the upright box around"});
}

TEST_CASE("difficult is 1, true or True, as tools write it") {
  VocSet voc;
  const AnnotationSet set = voc.read(xml(object("a", "1 1 9 9", "<difficult>True</difficult>") +
                                         object("a", "1 1 9 9", "<difficult> true </difficult>") +
                                         object("a", "1 1 9 9", "<difficult>False</difficult>")));
  REQUIRE(set.items.size() == 1);
  CHECK(set.items[0].boxes[0].flags == kDifficult);
  CHECK(set.items[0].boxes[1].flags == kDifficult);
  CHECK(set.items[0].boxes[2].flags == 0);
}

TEST_CASE("difficult may be a word for yes or no; another is told, and read as no") {
  VocSet voc;
  std::string objects;
  for (const char* word : {"Yes", "y", "T", "TRUE", "1.0", "no", "N", "F", "0", "", "maybe", "2"})
    objects += object("a", "1 1 9 9", "<difficult>" + std::string(word) + "</difficult>");
  const AnnotationSet set = voc.read(xml(objects));
  REQUIRE(set.items.size() == 1);
  for (std::size_t i = 0; i < set.items[0].boxes.size(); ++i) {
    CAPTURE(i);
    CHECK(set.items[0].boxes[i].flags == (i < 5 ? kDifficult : 0));
  }
  CHECK(set.remarks ==
        std::vector<std::string>{"2 objects have a <difficult> that is neither yes nor no, the "
                                 "first 'maybe', and read as not difficult; write 1 or 0"});
}

TEST_CASE("VOC is 1-based and inclusive: x1 = xmin - 1, x2 = xmax") {
  VocSet voc;
  const AnnotationSet set =
      voc.read(xml("<filename>1.jpg</filename><size><width>640</width><height>480</height></size>" +
                   object("dog", "1 1 640 480", "<difficult>1</difficult>") +
                   object(" cat\n", "10.5 20 30 40")));
  REQUIRE(set.items.size() == 1);
  CHECK(set.classes == std::vector<std::string>{"cat", "dog"});
  CHECK(set.items[0].boxes ==
        std::vector<LabelBox>{{0, 0, 640, 480, 1, kDifficult}, {9.5f, 19, 30, 40, 0}});
  CHECK(set.items[0].width == 640);
  CHECK(set.items[0].height == 480);
  CHECK(set.items[0].name == "1.jpg");
  CHECK(set.items[0].split.empty());
}

TEST_CASE("a side that is empty or inverted as written stays so") {
  VocSet voc;
  const AnnotationSet set = voc.read(xml(object("a", "181 329 181 329") + object("a", "5 5 4 9") +
                                         object("a", "5 5 6 5") + object("a", "1 1 2 2")));
  const CheckedBoxes checked = check_boxes(set.items[0], 640, 480);
  REQUIRE(checked.rejects.size() == 3);
  CHECK_CONTAINS(
      to_string(checked.rejects[0]),
      "Annotations/1.xml, object 1: box 180,328,180,328 has no area; draw it again or remove it");
  CHECK_CONTAINS(to_string(checked.rejects[1]),
                 "Annotations/1.xml, object 2: box 4,4,3,9 is inverted");
  CHECK_CONTAINS(to_string(checked.rejects[2]),
                 "Annotations/1.xml, object 3: box 4,4,6,4 has no area");
  CHECK(checked.boxes.size() == 1);
}

TEST_CASE("an ImageSets list with a column for one class gives all its pictures") {
  TempDir dir;
  write_pictures(dir, {"JPEGImages/1.jpg", "JPEGImages/2.jpg", "JPEGImages/3.jpg"});
  for (const char* id : {"1", "2", "3"})
    dir.write(std::string("Annotations/") + id + ".xml", xml(object("cat", "1 1 5 5")));
  const AnnotationSet set =
      read_annotations(dir.write("ImageSets/Main/cat_train.txt", "1  1\r\n2 -1\r\n3  0\r\n"));
  CHECK(set.items.size() == 3);
  CHECK(set.boxes_found == 3);
  CHECK_CONTAINS(set.recognised_by,
                 "cat_train.txt lists ids that are files in ../../Annotations, with a column -1, "
                 "0, 1 for one class");
}

TEST_CASE("a listed id without XML is rejected with its line; ids may carry an extension") {
  VocSet voc;
  voc.dir.write("Annotations/1.xml", xml(""));
  const AnnotationSet set =
      read_annotations(voc.dir.write("ImageSets/Main/train.txt", "1.jpg\n\n2\n"));
  CHECK(set.items.size() == 1);
  CHECK_CONTAINS(only_reject(set), "train.txt:3: label file " +
                                       (voc.dir / "Annotations/2.xml").string() +
                                       " is missing; restore this label file");
  CHECK_CONTAINS(only_reject(set),
                 "of a picture without objects, write <annotation></annotation> to it");
  voc.dir.write("Annotations/2.xml", "<annotation></annotation>");
  write_pictures(voc.dir, {"JPEGImages/2.jpg"});
  const AnnotationSet written = read_annotations(voc.dir / "ImageSets/Main/train.txt");
  CHECK(written.rejects.empty());
  CHECK(written.items.at(1).boxes.empty());
}

TEST_CASE("an id may not lead out of the dataset") {
  VocSet voc;
  voc.dir.write("set/Annotations/1.xml", xml(""));
  write_pictures(voc.dir, {"set/JPEGImages/1.jpg"});
  voc.dir.write("2.xml", xml(""));
  const AnnotationSet set =
      read_annotations(voc.dir.write("set/ImageSets/Main/train.txt", "1\n../../2\n"));
  CHECK(set.items.size() == 1);
  CHECK_CONTAINS(only_reject(set), "train.txt:2: '../../2' leads to ");
  CHECK_CONTAINS(only_reject(set), "outside the dataset's folder");
}

TEST_CASE(
    "DOCTYPE and entities are refused, never expanded; the five of XML and characters by number "
    "are text") {
  VocSet voc;
  const std::string doctype =
      "<?xml version=\"1.0\"?><!DOCTYPE annotation [<!ENTITY x SYSTEM "
      "\"file:///etc/passwd\">]><annotation>" +
      object("&x;", "1 1 2 2") + "</annotation>";
  const AnnotationSet refused = voc.read(doctype);
  CHECK(refused.classes.empty());
  CHECK_CONTAINS(only_reject(refused),
                 "Annotations/1.xml: has a DOCTYPE, which is never followed; remove the DOCTYPE "
                 "and its entities");
  CHECK(refused.boxes_found == 1);
  CHECK_CONTAINS(only_reject(voc.read(xml(object("a&x;b", "1 1 2 2")))),
                 "1.xml: has an entity '&x;', which is never expanded; write its text in place");
  CHECK(voc.read(xml(object("a&amp;b&#233;", "1 1 2 2"))).classes ==
        std::vector<std::string>{"a&bé"});
}

TEST_CASE("a bad XML or object rejects the picture") {
  VocSet voc;
  const std::string fix = "; correct the object or remove it";
  const std::vector<std::pair<std::string, std::string>> cases{
      {xml(object("a", "1 1 5 5") + object("a", "1 1 x 5")),
       "1.xml, object 2: xmax 'x' is not a number" + fix},
      {xml(object("a", "nan 1 5 5")), "1.xml, object 1: xmin 'nan' is not finite" + fix},
      {xml(object("a", "1 1 5 inf")), "1.xml, object 1: ymax 'inf' is not finite" + fix},
      {xml(object("a", "1 -1e9 5 5")), "1.xml, object 1: ymin '-1e9' is beyond 1e7" + fix},
      {xml(object(" ", "1 1 5 5")), "1.xml, object 1: has no name" + fix},
      {xml("<object><name>a</name></object>"), "1.xml, object 1: has no bndbox" + fix},
      {xml("<object><name>a</name><bndbox><xmin>1</xmin></bndbox></object>"),
       "1.xml, object 1: has no xmax" + fix},
      {"<html/>", "1.xml: has no <annotation>, must be a Pascal VOC XML"},
      {"<annotation><object><name>a", "1.xml: is not well-formed XML: "},
      {"", "1.xml: is not well-formed XML: "},
  };
  for (const auto& [text, message] : cases) {
    CAPTURE(text);
    const AnnotationSet set = voc.read(text);
    CHECK(set.items.empty());
    CHECK_CONTAINS(only_reject(set), message);
    CHECK(set.boxes_rejected == set.boxes_found);
  }
}

TEST_CASE("too many objects are counted before a tree is built of them") {
  VocSet voc;
  std::string objects;
  for (int i = 0; i < 10001; ++i) objects += object("a", "1 1 5 5");
  const AnnotationSet set = voc.read(xml(objects));
  CHECK_CONTAINS(only_reject(set), "1.xml: holds 10001 boxes, at most 10000 are allowed");
  CHECK(set.boxes_found == 10001);
}

TEST_CASE("--classes fixes order and names, and another class rejects the picture") {
  VocSet voc;
  const AnnotationOptions options{.classes = voc.dir.write("classes.txt", "platelets\nrbc\n")};
  CHECK(voc.read(xml(object("rbc", "1 1 2 2")), options).items[0].boxes.at(0).class_id == 1);
  CHECK_CONTAINS(only_reject(voc.read(xml(object("rbd", "1 1 2 2")), options)),
                 "1.xml: unknown class 'rbd'; did you mean 'rbc'? known: rbc, platelets; add it to "
                 "--classes or correct the label");
}

TEST_CASE("XML with a byte order mark, CRLF, comments or in UTF-16 is read") {
  VocSet voc;
  const std::string plain = xml("<!-- <object> in a comment -->\r\n" + object("é", "1 1 2 2"));
  CHECK(voc.read("\xEF\xBB\xBF" + plain).classes == std::vector<std::string>{"é"});
  const auto wide = [](const std::string& narrow) {
    std::string text = "\xFF\xFE";
    for (const char c : narrow) text += {c, '\0'};
    return text;
  };
  CHECK(voc.read(wide(xml(object("e", "1 1 2 2")))).boxes_found == 1);
  CHECK(voc.read(wide(xml(object("nut &amp; bolt &#233;", "1 1 2 2")))).classes ==
        std::vector<std::string>{"nut & bolt é"});
  CHECK_CONTAINS(only_reject(voc.read(wide(xml(object("&nut;", "1 1 2 2"))))),
                 "has an entity '&nut;', which is never expanded");
}

TEST_CASE("XMLs that are read by all cores come in the list's order, rejects among them") {
  TempDir dir;
  std::vector<std::string> pictures;
  std::string list;
  constexpr int kPictures = 5000;  // more than are read at once
  for (int i = 0; i < kPictures; ++i) {
    const std::string name = std::to_string(i);
    pictures.push_back("JPEGImages/" + name + ".jpg");
    list += name + "\n";
    const std::string box = std::to_string(1 + i) + " 1 " + std::to_string(10 + i) + " 9";
    dir.write("Annotations/" + name + ".xml",
              i % 7 == 3 ? "<annotation>" : xml(object(i % 2 ? "cat" : "dog", box)));
  }
  write_pictures(dir, pictures);
  const AnnotationSet set = read_annotations(
      dir.write("ImageSets/Main/train.txt", list + "missing\n"), {.format = "voc"});
  std::size_t item = 0, reject = 0;
  for (int i = 0; i < kPictures; ++i) {
    const std::string where = (dir / ("Annotations/" + std::to_string(i) + ".xml")).string();
    if (i % 7 == 3) {
      CHECK(set.rejects.at(reject++).where == where);
    } else {
      CHECK(set.items[item].where == where);
      CHECK(set.items[item++].boxes.at(0).x1 == i);
    }
  }
  CHECK(item == set.items.size());
  CHECK(set.rejects.size() == reject + 1);
}

TEST_CASE("a class name with a control character is refused") {
  VocSet voc;
  CHECK_CONTAINS(only_reject(voc.read(xml(object("a\x1B[31m", "1 1 2 2")))),
                 "Annotations/1.xml, object 1: name 'a\\x1b[31m' holds a control character; "
                 "correct the object or remove it");
  CHECK_CONTAINS(only_reject(voc.read(xml(object("a&#x9B;b", "1 1 2 2")))),
                 "name 'a\\xc2\\x9bb' holds a control character");
}

}  // namespace letterpress
