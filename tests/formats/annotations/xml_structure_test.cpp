// XML files whose labels stand where a reader does not look (XML 1.0, Pascal VOC's development kit,
// docs.cvat.ai's format of CVAT for images 1.1).
#include "voc_sample.h"

namespace letterpress {
namespace {

std::string cvat_image(const std::string& name) {
  return "<image id=\"0\" name=\"" + name +
         "\" width=\"160\" height=\"120\"><box label=\"cat\" xtl=\"10\" ytl=\"10\" xbr=\"50\" "
         "ybr=\"50\"/></image>";
}

struct Fault {
  std::string text;
  std::string message;
  std::int64_t boxes = 0;  // that are told as lost
};

void check_rejected(const std::vector<Fault>& faults) {
  VocSet voc;
  for (const Fault& fault : faults) {
    CAPTURE(fault.text);
    const AnnotationSet set = voc.read(fault.text);
    CHECK(set.items.empty());
    const std::string reject = only_reject(set);
    CHECK_CONTAINS(reject, fault.message);
    CHECK(set.boxes_found == fault.boxes);
    CHECK(set.boxes_rejected == fault.boxes);
  }
}

}  // namespace

TEST_CASE("VOC: what stands behind the end of <annotation> rejects the picture") {
  const std::string cat = xml(object("cat", "11 11 50 50"));
  const std::string end = " stands behind the end of <annotation>, but an XML is one element; ";
  check_rejected({{cat + "<annotation>" + object("dog", "61 11 90 50") + "</annotation>",
                   "1.xml:3: an element <annotation>" + end + "give the two files apart", 2},
                  {cat + "\n" + object("dog", "61 11 90 50"),
                   "1.xml:4: an element <object>" + end + "move it inside or remove it", 2},
                  {cat + "<!-- made by hand -->\nwords", "1.xml:4: the text 'words'" + end, 1},
                  // A line in UTF-16 or latin1 is not counted.
                  {"<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?>\n<annotation><!-- \xE9 -->\n" +
                       object("cat", "11 11 50 50") + "</annotation>\n<annotation/>",
                   "1.xml: an element <annotation>" + end, 1}});
  VocSet voc;
  const AnnotationSet set = voc.read(cat + "\n <!-- <annotation/> --> <?done now?>\r\n");
  CHECK(set.rejects.empty());
  CHECK(set.boxes_found == 1);
}

TEST_CASE("VOC: an object that is not directly inside <annotation> rejects the picture") {
  const std::string cat = object("cat", "11 11 50 50"), dog = object("dog", "61 11 90 50");
  const std::string inside = ", must be directly inside <annotation>; move it there";
  check_rejected({{xml("<objects>\n" + cat + dog + "</objects>"),
                   "1.xml:3: an <object> stands inside <objects>" + inside, 2},
                  {xml("<object><name>cat</name>" + dog + "</object>"),
                   "1.xml:2: an <object> stands inside <object>" + inside, 2},
                  {xml(dog + "\n<Object><name>cat</name></Object>"),
                   "1.xml:3: holds <Object>, must be <object>; rename it", 2},
                  {"<annotations>" + xml(cat).substr(xml(cat).find('\n')) + "</annotations>",
                   "1.xml: has no <annotation>, must be a Pascal VOC XML", 1}});
}

TEST_CASE("VOC: of two names, boxes or sides of one object none is taken, and it is said") {
  const auto more = [](const std::string& rest) { return xml(object("cat", "11 12 50 60", rest)); };
  const std::string box =
      "<bndbox><xmin>1</xmin><ymin>1</ymin><xmax>9</xmax><ymax>9</ymax></bndbox>";
  const auto two = [](const std::string& name, const std::string& parent) {
    return "1.xml, object 1: has more than one <" + name + ">, must be one in each <" + parent +
           ">; correct the object or remove it";
  };
  std::vector<Fault> faults{{more(box), two("bndbox", "object"), 1},
                            {more("<name>dog</name>"), two("name", "object"), 1}};
  for (const std::string side : {"xmin", "ymin", "xmax", "ymax"}) {
    std::string text = more("");
    text.insert(text.find("</bndbox>"), "<" + side + ">20</" + side + ">");
    faults.push_back({text, two(side, "bndbox"), 1});
  }
  check_rejected(faults);
}

// A person's head in VOC's layout task, before and after the person's own box.
TEST_CASE("VOC: the parts of an object are passed over") {
  const std::string part =
      "<part><name>head</name><bndbox><xmin>1</xmin><ymin>2</ymin><xmax>9</xmax><ymax>9</ymax>"
      "</bndbox></part>";
  std::string last = object("person", "11 12 50 60");
  last.insert(last.find("</object>"), part + part);
  VocSet voc;
  for (const std::string& person : {object("person", "11 12 50 60", part), last}) {
    CAPTURE(person);
    const AnnotationSet set = voc.read(xml(person));
    CHECK(set.rejects.empty());
    CHECK(set.classes == std::vector<std::string>{"person"});
    REQUIRE(set.items.size() == 1);
    REQUIRE(set.items[0].boxes.size() == 1);
    CHECK(set.items[0].boxes[0].x1 == 10);
    CHECK(set.items[0].boxes[0].y2 == 60);
  }
}

TEST_CASE("VOC: CDATA is literal text, alone and among other text") {
  VocSet voc;
  const auto name_of = [&](const std::string& name) {
    return voc.read(xml(object(name, "11 12 50 60"))).classes;
  };
  CHECK(name_of("<![CDATA[a & b]]>") == std::vector<std::string>{"a & b"});
  CHECK(name_of("<![CDATA[a &x; <!-- b]]>") == std::vector<std::string>{"a &x; <!-- b"});
  CHECK(name_of("nut <![CDATA[&]]> bolt") == std::vector<std::string>{"nut & bolt"});
  CHECK(name_of("nut<!-- & screw --> bolt") == std::vector<std::string>{"nut bolt"});
  const std::string reject =
      only_reject(voc.read(xml(object("<![CDATA[a & b]]> &x;", "11 12 50 60"))));
  CHECK_CONTAINS(reject, "1.xml: has an entity '&x;', which is never expanded");
}

TEST_CASE("CVAT: images that would be passed over are refused, with their line") {
  TempDir dir;
  write_pictures(dir, {"a.jpg", "b.jpg"});
  const std::string head = "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n";
  const std::string one = head + "<annotations>\n" + cvat_image("a.jpg") + "\n</annotations>\n";
  const std::string misplaced = ", must be <image> directly inside <annotations>; move it there, ";
  for (const auto& [text, message] : std::vector<std::pair<std::string, std::string>>{
           {one + "<annotations>\n" + cvat_image("b.jpg") + "\n</annotations>\n",
            "a.xml:5: an element <annotations> stands behind the end of <annotations>, but an XML "
            "is one element; give the two files apart"},
           {one + cvat_image("b.jpg"), "a.xml:5: an element <image> stands behind the end of "},
           {one + "words", "a.xml:5: the text 'words' stands behind the end of <annotations>"},
           {one + one, "a.xml:6: an element <annotations> stands behind the end of "},
           {head + "<annotations>" + cvat_image("a.jpg") + "\n<job>\n" + cvat_image("b.jpg") +
                "</job></annotations>",
            "a.xml:4: <image> stands inside <job>" + misplaced},
           {"<annotations><Image name=\"b.jpg\"/></annotations>",
            "a.xml:1: <Image> stands inside <annotations>" + misplaced}}) {
    CAPTURE(text);
    const Failure failure = failure_of(dir.write("a.xml", text), {.format = "cvat"});
    CHECK(failure.exit != Exit::done);
    CHECK_CONTAINS(failure.message, message);
  }
  CHECK(read_annotations(dir.write("a.xml", one + "<!-- end -->\n")).boxes_found == 1);
}

// The commas of the points make six fields of its only line.
TEST_CASE("CVAT: an XML of one line is no CSV, whatever its points look like") {
  TempDir dir;
  write_pictures(dir, {"images/p0.png", "images/p1.png"});
  for (const std::string start : {"", "\xEF\xBB\xBF", "\n  "}) {
    CAPTURE(start);
    dir.write("annotations.xml", start + "<annotations><version>1.1</version>" +
                                     cvat_image("p0.png") +
                                     "<image id=\"1\" name=\"p1.png\" width=\"160\" height=\"120\">"
                                     "<polyline label=\"l\" points=\"1,1;50,1;80,1\"/>"
                                     "<points label=\"p\" points=\"1,1;50,30\"/></image>"
                                     "</annotations>");
    const AnnotationSet set = read_annotations(dir.path());
    CHECK(set.format == "cvat");
    CHECK(set.items.size() == 2);
    CHECK(set.boxes_found == 3);
  }
}

}  // namespace letterpress
