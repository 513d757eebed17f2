#include "voc_picture.h"

#include <array>
#include <cmath>
#include <pugixml.hpp>

#include "formats/annotations/files/text.h"
#include "formats/annotations/shared/class_names.h"
#include "formats/annotations/shared/shapes.h"
#include "xml_encoding.h"

namespace letterpress::annotations {
namespace {

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
  constexpr std::array<std::string_view, 6> known{"amp;", "lt;", "gt;", "quot;", "apos;", "#"};
  for (std::size_t at = xml.find('&'); at != std::string_view::npos; at = xml.find('&', at + 1)) {
    const std::string_view rest = xml.substr(at + 1);
    bool plain = false;
    for (const std::string_view name : known) plain = plain || rest.starts_with(name);
    if (!plain) return std::string(xml.substr(at, std::min<std::size_t>(rest.find(';') + 2, 40)));
  }
  return {};
}

bool has_doctype(const pugi::xml_document& document) {
  for (const pugi::xml_node node : document) {
    if (node.type() == pugi::node_doctype) return true;
  }
  return false;
}

std::int32_t stated_size(const pugi::xml_node& size, const char* name) {
  const auto value = parse_integer(size.child_value(name));
  return value && is_picture_side(*value) ? static_cast<std::int32_t>(*value) : 0;
}

// One axis, from low..high as written. Returns what is wrong, or nothing.
std::string read_axis(const pugi::xml_node& box, const std::array<const char*, 2>& names,
                      int origin, float& first, float& last) {
  std::array<double, 2> written{};
  for (std::size_t i = 0; i < 2; ++i) {
    const pugi::xml_node child = box.child(names[i]);
    if (!child) return std::string("has no ") + names[i];
    Coordinate coordinate = parse_coordinate(child.child_value());
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

std::string read_object(const pugi::xml_node& object, int origin, VocPicture& picture) {
  const std::string_view name = trim(object.child_value("name"));
  if (name.empty()) return "has no name";
  if (const auto fault = class_name_fault(name))
    return "name " + in_quotes(name) + " " + fault->what;
  LabelBox box;
  std::string fault = object.child("bndbox") ? read_bndbox(object, origin, picture, box)
                                             : read_points(object.child("polygon"), box);
  const std::string_view difficult = trim(object.child_value("difficult"));
  if (difficult == "1" || difficult == "True" || difficult == "true") box.flags |= kDifficult;
  picture.boxes.push_back(box);
  picture.class_names.emplace_back(name);
  return fault;
}

}  // namespace

void VocDoubts::add(const VocDoubts& other) {
  at_zero += other.at_zero;
  turned += other.turned;
}

std::vector<std::string> VocDoubts::remarks() const {
  std::vector<std::string> lines;
  if (at_zero > 0) {
    lines.push_back(counted(at_zero, "box has", "boxes have") +
                    " an xmin or ymin of 0, but VOC counts from 1: if yours counts from 0, pass "
                    "--voc-origin 0");
  }
  if (turned > 0) {
    lines.push_back(counted(turned, "box is", "boxes are") +
                    " turned (attribute rotation), and read as the upright box around");
  }
  return lines;
}

std::int64_t count_objects(std::string_view text) {
  const std::string xml = ascii_of(text);
  constexpr std::string_view tag = "<object";
  std::int64_t n = 0;
  for (std::size_t at = xml.find(tag); at != std::string_view::npos;
       at = xml.find(tag, at + tag.size())) {
    const char next = at + tag.size() < xml.size() ? xml[at + tag.size()] : '\0';
    n += next == '>' || next == ' ' || next == '\t' || next == '\r' || next == '\n' || next == '/';
  }
  return n;
}

Expected<VocPicture> parse_voc(std::string_view xml, const std::string& where, int origin) {
  if (const auto fault = encoding_fault(xml)) return Reject{where, fault->what, fault->fix};
  pugi::xml_document document;
  const pugi::xml_parse_result result =
      document.load_buffer(xml.data(), xml.size(), pugi::parse_default | pugi::parse_doctype);
  if (has_doctype(document))
    return Reject{where, "has a DOCTYPE, which is never followed",
                  "remove the DOCTYPE and its entities"};
  if (!result) {
    return Reject{where,
                  std::string("is not well-formed XML: ") + result.description() + " at byte " +
                      std::to_string(result.offset),
                  std::string(kXmlFix)};
  }
  const std::string entity = foreign_entity(ascii_of(xml));
  if (!entity.empty())
    return Reject{where, "has an entity " + in_quotes(entity) + ", which is never expanded",
                  "write its text in place"};
  const pugi::xml_node root = document.child("annotation");
  if (!root)
    return Reject{where, "has no <annotation>, must be a Pascal VOC XML", std::string(kXmlFix)};

  VocPicture picture;
  picture.filename = trim(root.child_value("filename"));
  picture.width = stated_size(root.child("size"), "width");
  picture.height = stated_size(root.child("size"), "height");
  if (const pugi::xml_node size = root.child("imagesize")) {  // LabelMe 3.0
    picture.width = stated_size(size, "ncols");
    picture.height = stated_size(size, "nrows");
  }
  int number = 0;
  for (const pugi::xml_node object : root.children("object")) {
    ++number;
    if (trim(object.child_value("deleted")) == "1") continue;
    const std::string fault = read_object(object, origin, picture);
    const bool is_text = is_utf8(object.child_value("name"));
    if (!fault.empty())
      return Reject{where + ", object " + std::to_string(number), fault,
                    std::string(is_text ? kObjectFix : kEncodingFix)};
  }
  return picture;
}

}  // namespace letterpress::annotations
