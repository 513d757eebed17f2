#include "voc_picture.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <pugixml.hpp>

#include "formats/annotations/files/text.h"
#include "formats/annotations/shared/class_names.h"
#include "formats/annotations/shared/shapes.h"
#include "xml_encoding.h"
#include "xml_tree.h"

namespace letterpress::annotations {
namespace {

constexpr std::string_view kObject = "object";
constexpr std::string_view kXmlFix = "save this XML again with a labelling tool";
constexpr std::string_view kObjectFix = "correct the object or remove it";
constexpr std::string_view kEncodingFix =
    "save this XML as UTF-8, or let its first line say <?xml version=\"1.0\" "
    "encoding=\"ISO-8859-1\"?> if it is that";

// Of UTF-16, what is ASCII, with '?' for all else: entities and tags are. Other texts as they are.
std::string ascii_of(std::string_view xml) {
  const std::string_view start = xml.substr(0, 2);
  const bool little = start == "\xFF\xFE" || start == std::string_view("<\0", 2);
  const bool big = start == "\xFE\xFF" || start == std::string_view("\0<", 2);
  if (!little && !big) return std::string(xml);
  std::string text;
  for (std::size_t i = 0; i + 1 < xml.size(); i += 2) {
    const char low = xml[little ? i : i + 1], high = xml[little ? i + 1 : i];
    text += high == '\0' && low >= 0 ? low : '?';
  }
  return text;
}

// The five entities of XML itself and characters by number are plain text; any other needs a
// DOCTYPE.
std::string foreign_entity(std::string_view xml) {
  if (xml.find('&') == std::string_view::npos) return {};
  constexpr std::array<std::string_view, 6> known{"amp;", "lt;", "gt;", "quot;", "apos;", "#"};
  const std::string text = without_literals(ascii_of(xml));
  for (std::size_t at = text.find('&'); at != std::string::npos; at = text.find('&', at + 1)) {
    const std::string_view rest = std::string_view(text).substr(at + 1);
    bool plain = false;
    for (const std::string_view name : known) plain = plain || rest.starts_with(name);
    if (!plain) return text.substr(at, std::min<std::size_t>(rest.find(';') + 2, 40));
  }
  return {};
}

bool is_doctype(const pugi::xml_node& node) { return node.type() == pugi::node_doctype; }

std::int32_t stated_size(const pugi::xml_node& size, const char* name) {
  const auto value = parse_integer(size.child_value(name));
  return value && is_picture_side(*value) ? static_cast<std::int32_t>(*value) : 0;
}

// Empty: `child` is the last of its name, so that none is passed over.
std::string doubled(const pugi::xml_node& child, const char* name) {
  if (!child.next_sibling(name)) return {};
  return std::string("has more than one <") + name + ">, must be one in each <" +
         child.parent().name() + ">";
}

// One axis, from low..high as written. Returns what is wrong, or nothing.
std::string read_axis(const pugi::xml_node& box, const std::array<const char*, 2>& names,
                      int origin, float& first, float& last) {
  std::array<double, 2> written{};
  for (std::size_t i = 0; i < 2; ++i) {
    const pugi::xml_node child = box.child(names[i]);
    if (!child) return std::string("has no ") + names[i];
    if (std::string fault = doubled(child, names[i]); !fault.empty()) return fault;
    Coordinate coordinate = parse_coordinate(whole_text(child));
    if (!coordinate.fault.empty()) return std::string(names[i]) + " " + coordinate.fault;
    written[i] = coordinate.value;
  }
  const bool proper = written[1] > written[0];
  first = static_cast<float>(written[0] - origin);
  last = static_cast<float>(proper ? written[1] : written[1] - origin);
  return {};
}

// Degrees by which CVAT's box is turned around its centre; 0: none are stated.
Coordinate rotation_of(const pugi::xml_node& object) {
  for (const pugi::xml_node attribute : object.child("attributes").children("attribute")) {
    if (trim(attribute.child_value("name")) == "rotation")
      return parse_coordinate(attribute.child_value("value"));
  }
  return {};
}

// Corners <x1>, <y1>, <x2>, ... as Roboflow and supervision write them beside the bndbox, counted
// from `origin` as it is. Empty: there are none, or one is not a number.
std::vector<Point> polygon_of(const pugi::xml_node& object, int origin) {
  const pugi::xml_node polygon = object.child("polygon");
  std::vector<Point> points;
  for (int i = 1;; ++i) {
    const std::string number = std::to_string(i);
    const pugi::xml_node x = polygon.child(("x" + number).c_str());
    const pugi::xml_node y = polygon.child(("y" + number).c_str());
    if (!x || !y) return points;
    const Coordinate across = parse_coordinate(x.child_value());
    const Coordinate down = parse_coordinate(y.child_value());
    if (!across.fault.empty() || !down.fault.empty()) return {};
    points.push_back({across.value - origin, down.value - origin});
  }
}

// LabelMe 3.0 and its exports by other tools: no bndbox, but <polygon><pt><x/><y/></pt>...,
// counted from 0.
std::string read_points(const pugi::xml_node& polygon, LabelBox& box) {
  BoxAround around;
  for (const pugi::xml_node point : polygon.children("pt")) {
    const Coordinate x = parse_coordinate(point.child_value("x"));
    const Coordinate y = parse_coordinate(point.child_value("y"));
    for (const Coordinate& one : {x, y}) {
      if (!one.fault.empty()) return "pt " + one.fault;
    }
    around.add(x.value, y.value);
  }
  if (!polygon) return "has no bndbox";
  if (around.points() < 3) return "has neither a bndbox nor a polygon of three points";
  box = around.box();
  return {};
}

std::string read_bndbox(const pugi::xml_node& object, int origin, VocPicture& picture,
                        LabelBox& box) {
  const pugi::xml_node bndbox = object.child("bndbox");
  std::string fault = read_axis(bndbox, {"xmin", "xmax"}, origin, box.x1, box.x2);
  if (fault.empty()) fault = read_axis(bndbox, {"ymin", "ymax"}, origin, box.y1, box.y2);
  const Coordinate degrees = rotation_of(object);
  if (fault.empty() && !degrees.fault.empty()) fault = "rotation " + degrees.fault;
  if (!fault.empty()) return fault;
  picture.doubts.at_zero += origin == 1 && (box.x1 == -1 || box.y1 == -1);
  if (degrees.value != 0 && box.x1 < box.x2 && box.y1 < box.y2) {
    box = upright_around(box, degrees.value);
    ++picture.doubts.turned;
  } else {
    // Tools disagree by a pixel about where the box ends.
    box.outline = outline_in(box, polygon_of(object, origin), 1);
  }
  return {};
}

// 1 and 0, as VOC has it, or a word for yes or no.
void read_difficult(const pugi::xml_node& object, VocDoubts& doubts, LabelBox& box) {
  constexpr std::array<std::string_view, 5> kYes{"1", "true", "yes", "y", "t"};
  constexpr std::array<std::string_view, 6> kNo{"", "0", "false", "no", "n", "f"};
  const std::string_view written = trim(object.child_value("difficult"));
  const std::string word = in_small_letters(written);
  const auto number = parse_integer(written);  // "1.0"
  if (number == 1 || std::ranges::find(kYes, word) != kYes.end()) {
    box.flags |= kDifficult;
  } else if (number != 0 && std::ranges::find(kNo, word) == kNo.end()) {
    if (doubts.maybe_difficult++ == 0) doubts.first_maybe = printable(written);
  }
}

std::string read_object(const pugi::xml_node& object, int origin, VocPicture& picture) {
  for (const char* once : {"name", "bndbox"}) {
    if (std::string fault = doubled(object.child(once), once); !fault.empty()) return fault;
  }
  const std::string text = whole_text(object.child("name"));
  const std::string_view name = trim(text);
  if (name.empty()) return "has no name";
  if (const auto fault = class_name_fault(name))
    return "name " + in_quotes(name) + " " + fault->what;
  LabelBox box;
  std::string fault = object.child("bndbox") ? read_bndbox(object, origin, picture, box)
                                             : read_points(object.child("polygon"), box);
  read_difficult(object, picture.doubts, box);
  picture.boxes.push_back(box);
  picture.class_names.emplace_back(name);
  return fault;
}

bool is_object(std::string_view name) {
  return name.size() == kObject.size() && (name[0] == 'o' || name[0] == 'O') &&
         in_small_letters(name) == kObject;
}

// An object that would be passed over, as it is not where objects are, or is called <Object>. A
// <part> of an object, as of a person in VOC's layout task, is none.
std::optional<Reject> unread_object(const XmlTree& tree, std::string_view xml,
                                    const pugi::xml_node& root) {
  // Counting tags is much quicker than a walk over the tree.
  if (tree.result().encoding == pugi::encoding_utf8) {
    const auto read = root.children(kObject.data());
    if (count_objects(xml) == std::distance(read.begin(), read.end())) return std::nullopt;
  }
  const pugi::xml_node object = root.find_node([&](const pugi::xml_node& node) {
    const std::string_view name = node.name();
    return is_object(name) && (name != kObject || node.parent() != root);
  });
  if (!object) return std::nullopt;
  const std::string name = object.name();
  if (name != kObject)
    return Reject{tree.place_of(object), "holds <" + name + ">, must be <object>", "rename it"};
  return Reject{tree.place_of(object),
                "an <object> stands inside <" + printable(object.parent().name()) +
                    ">, must be directly inside <annotation>",
                "move it there"};
}

std::optional<Reject> fault_of(const XmlTree& tree, std::string_view xml,
                               const std::string& where) {
  if (tree.document().find_child(is_doctype))
    return Reject{where, "has a DOCTYPE, which is never followed",
                  "remove the DOCTYPE and its entities"};
  const pugi::xml_parse_result& result = tree.result();
  if (!result) {
    return Reject{where,
                  std::string("is not well-formed XML: ") + result.description() + " at byte " +
                      std::to_string(result.offset),
                  std::string(kXmlFix)};
  }
  if (const auto fault = tree.fault_behind_root())
    return Reject{fault->where, fault->what, fault->fix};
  const std::string entity = foreign_entity(xml);
  if (!entity.empty())
    return Reject{where, "has an entity " + in_quotes(entity) + ", which is never expanded",
                  "write its text in place"};
  const pugi::xml_node root = tree.document().child("annotation");
  if (!root)
    return Reject{where, "has no <annotation>, must be a Pascal VOC XML", std::string(kXmlFix)};
  return unread_object(tree, xml, root);
}

}  // namespace

std::int64_t count_objects(std::string_view text) {
  const std::string xml = ascii_of(text);
  constexpr std::string_view kEnds = "> \t\r\n/";
  std::int64_t n = 0;
  for (std::size_t at = xml.find('<'); at != std::string::npos; at = xml.find('<', at + 1)) {
    const std::string_view tag = std::string_view(xml).substr(at + 1, kObject.size() + 1);
    n += is_object(tag.substr(0, kObject.size())) &&
         kEnds.find(tag.back()) != std::string_view::npos;
  }
  return n;
}

Expected<VocPicture> parse_voc(std::string_view xml, const std::string& where, int origin) {
  if (const auto fault = encoding_fault(xml)) return Reject{where, fault->what, fault->fix};
  const XmlTree tree(xml, where);
  if (auto fault = fault_of(tree, xml, where)) return *std::move(fault);
  const pugi::xml_node root = tree.document().child("annotation");
  VocPicture picture;
  picture.filename = trim(whole_text(root.child("filename")));
  picture.width = stated_size(root.child("size"), "width");
  picture.height = stated_size(root.child("size"), "height");
  if (const pugi::xml_node size = root.child("imagesize")) {  // LabelMe 3.0
    picture.width = stated_size(size, "ncols");
    picture.height = stated_size(size, "nrows");
  }
  int number = 0;
  for (const pugi::xml_node object : root.children("object")) {
    ++number;
    if (trim(object.child_value("deleted")) == "1") {
      ++picture.doubts.deleted;
      continue;
    }
    const std::string fault = read_object(object, origin, picture);
    const bool is_text = is_utf8(object.child_value("name"));
    if (!fault.empty())
      return Reject{where + ", object " + std::to_string(number), fault,
                    std::string(is_text ? kObjectFix : kEncodingFix)};
  }
  return picture;
}

}  // namespace letterpress::annotations
