// CVAT for images 1.1: one XML of all pictures
// (docs.cvat.ai/docs/manual/advanced/formats/format-cvat).
#include <pugixml.hpp>

#include "formats/annotations/files/split_words.h"
#include "formats/annotations/files/text.h"
#include "formats/annotations/shared/format.h"
#include "formats/annotations/shared/stated_pictures.h"
#include "letterpress/base/error.h"
#include "xml_encoding.h"
#include "xml_tree.h"

namespace letterpress::annotations {
extern const AnnotationFormat cvat;
namespace {

std::optional<double> coordinate_of(std::string_view text) {
  const auto number = parse_number(text);
  return number && is_coordinate(*number) ? number : std::nullopt;
}

std::int32_t size_at(const pugi::xml_node& node, const char* name) {
  const auto size = parse_integer(node.attribute(name).value());
  return size && is_picture_side(*size) ? static_cast<std::int32_t>(*size) : 0;
}

// "Train", "Validation": the names of its subsets.
std::string split_of(const std::string& subset) {
  if (std::string split = split_of_name(subset); !split.empty()) return split;
  std::string split = in_small_letters(subset);
  return split == "default" ? "" : split;
}

class CvatReader {
 public:
  CvatReader(const Input& input, const AnnotationOptions& options, AnnotationSet& set)
      : input_(input), path_(input.path.string()), set_(set), pictures_(input, options, set) {}

  void read(const std::string& text) {
    if (const auto fault = encoding_fault(text)) fail(fault->what, fault->fix);
    const XmlTree tree(text, path_);
    if (const pugi::xml_parse_result& result = tree.result(); !result)
      fail("byte " + std::to_string(result.offset) + ": is not whole XML: " + result.description(),
           "copy or export the file again");
    if (const auto fault = tree.fault_behind_root()) throw Error(*fault);
    const pugi::xml_node root = tree.document().child("annotations");
    refuse_unread_images(tree, root);
    if (root.child("track"))
      fail("holds tracks of a video", "export the task as CVAT for images 1.1");
    std::vector<std::string> classes;
    for (const pugi::xpath_node label :
         root.select_nodes("meta/*[self::task or self::project or self::job]/labels/label/name"))
      classes.emplace_back(trim(whole_text(label.node())));
    for (const pugi::xml_node image : root.children("image")) read_image(image);
    around_.add_to(set_.remarks);
    if (tagged_ > 0)
      set_.remarks.push_back(counted(tagged_, "picture has", "pictures have") +
                             " tags, the first " + in_quotes(first_tag_) +
                             ", which are not read; shapes are");
    pictures_.finish(classes);
  }

 private:
  [[noreturn]] void fail(const std::string& what, const std::string& fix) const {
    throw Error({.where = path_, .what = what, .fix = fix});
  }

  // An image that would be passed over: inside <job>, say, or called <Image>.
  static void refuse_unread_images(const XmlTree& tree, const pugi::xml_node& root) {
    const auto is_image = [](const pugi::xml_node& node) {
      return in_small_letters(node.name()) == "image";
    };
    for (const pugi::xml_node child : root.children()) {
      const std::string_view name = child.name();
      if (name == "image" || name == "meta") continue;
      const pugi::xml_node image = is_image(child) ? child : child.find_node(is_image);
      if (!image) continue;
      throw Error({.where = tree.place_of(image),
                   .what = "<" + std::string(image.name()) + "> stands inside <" +
                           printable(image.parent().name()) +
                           ">, must be <image> directly inside <annotations>",
                   .fix = "move it there, or export the file again"});
    }
  }

  void read_image(const pugi::xml_node& image) {
    const std::string name = image.attribute("name").value();
    StatedPicture picture{.names = {name},
                          .where = path_ + ": image " + printable(image.attribute("id").value()),
                          .width = size_at(image, "width"),
                          .height = size_at(image, "height"),
                          .split = split_of(image.attribute("subset").value())};
    if (name.empty())
      picture.fault = Message{.what = "has no name", .fix = "export the file again"};
    start_in_subset(image.attribute("subset").value(), picture);
    for (const pugi::xml_node shape : image.children()) {
      if (std::string_view(shape.name()) != "tag") read_object(shape, picture);
    }
    const pugi::xml_node tag = image.child("tag");  // of the whole picture
    if (tag && tagged_++ == 0) first_tag_ = tag.attribute("label").value();
    pictures_.add(std::move(picture));
  }

  // A project's pictures lie in images/ by subsets, in which names may be equal.
  void start_in_subset(const std::string& subset, StatedPicture& picture) const {
    const std::filesystem::path folder = input_.folder() / "images" / subset;
    if (subset.empty() || !input_.files.is_folder(folder)) return;
    picture.folder = folder;
    picture.name = subset + "/" + picture.names.front();
  }

  void read_object(const pugi::xml_node& shape, StatedPicture& picture) {
    const std::string_view kind = shape.name();
    const auto n = picture.boxes.size() + picture.box_rejects.size() + 1;
    StatedBox box{.class_name = std::string(trim(shape.attribute("label").value()))};
    fault_.clear();
    if (read_shape(shape, kind, box.box)) {
      picture.boxes.push_back(std::move(box));
    } else if (fault_.empty()) {
      picture.box_rejects.push_back({picture.where + ", object " + std::to_string(n),
                                     in_quotes(box.class_name) +
                                         (kind == "points" ? " is of " : " is a ") +
                                         printable(kind) + " without an area",
                                     "draw a rectangle around it", Reject::Scope::box});
    } else {
      picture.boxes.push_back(std::move(box));  // counted
      if (!picture.fault)
        picture.fault = Message{.what = "object " + std::to_string(n) + ": " + fault_,
                                .fix = "correct it, or export the file again"};
    }
  }

  // False with a fault: it holds what is not a number. False without: it states no area.
  bool read_shape(const pugi::xml_node& shape, std::string_view kind, LabelBox& box) {
    const auto at = [&](const char* name) {
      const std::string_view text = shape.attribute(name).value();
      const auto number = coordinate_of(text);
      if (!number && shape.attribute(name) && fault_.empty())
        fault_ = std::string(name) + "=" + in_quotes(text) + " is not a coordinate";
      return number;
    };
    const double degrees = at("rotation").value_or(0);
    if (!fault_.empty()) return false;
    if (kind == "box") {
      const auto x1 = at("xtl"), y1 = at("ytl"), x2 = at("xbr"), y2 = at("ybr");
      if (!x1 || !y1 || !x2 || !y2) return false;
      box = {.x1 = static_cast<float>(*x1),
             .y1 = static_cast<float>(*y1),
             .x2 = static_cast<float>(*x2),
             .y2 = static_cast<float>(*y2)};
      box = upright_around(box, degrees);
      around_.turned += degrees != 0;
    } else if (kind == "ellipse") {
      const auto x = at("cx"), y = at("cy"), rx = at("rx"), ry = at("ry");
      if (!x || !y || !rx || !ry) return false;
      box = around_ellipse(*x, *y, *rx, *ry, degrees);
      ++around_.shapes;
    } else if (kind == "mask") {
      const auto x = at("left"), y = at("top"), w = at("width"), h = at("height");
      if (!x || !y || !w || !h) return false;
      box = box_at(*x, *y, *w, *h);
      ++around_.shapes;
    } else if (kind == "cuboid") {
      return read_cuboid(at, box);
    } else {
      return read_points(shape, kind, box);
    }
    return true;
  }

  // The corners of its front and its back: xtl1, ytl1, ..., xbr2, ybr2.
  template <class At>
  bool read_cuboid(const At& at, LabelBox& box) {
    BoxAround around;
    for (const char* corner : {"tl1", "bl1", "tr1", "br1", "tl2", "bl2", "tr2", "br2"}) {
      const auto x = at(("x" + std::string(corner)).c_str());
      const auto y = at(("y" + std::string(corner)).c_str());
      if (!x || !y) return false;
      around.add(*x, *y);
    }
    box = around.box();
    ++around_.shapes;
    return true;
  }

  // points="1.5,2;3,4;...", of a polygon, a polyline or key points.
  bool read_points(const pugi::xml_node& shape, std::string_view kind, LabelBox& box) {
    std::string_view rest = shape.attribute("points").value();
    BoxAround around;
    while (!rest.empty()) {
      std::string_view point = take_until(rest, ';');
      const std::string_view whole = point;
      const auto x = coordinate_of(take_until(point, ',')), y = coordinate_of(point);
      if (!x || !y) {
        fault_ = "the point " + in_quotes(whole) + " is not two coordinates";
        return false;
      }
      around.add(*x, *y);
    }
    if (kind != "polygon" || around.points() < 3) return false;
    box = around.box();
    ++around_.shapes;
    return true;
  }

  const Input& input_;
  std::string path_;
  AnnotationSet& set_;
  StatedPictures pictures_;
  AroundCounts around_;
  std::int64_t tagged_ = 0;  // pictures with a tag
  std::string first_tag_{};
  std::string fault_{};  // of the shape that is being read
};

Recognition recognise_cvat(const Input& input, const AnnotationOptions&) {
  const bool fits = !input.is_folder && input.head.find("<annotations") != std::string::npos;
  return {fits, fits ? "an XML with <annotations>" : "not an XML with <annotations>"};
}

void read_cvat(const Input& input, const AnnotationOptions& options, AnnotationSet& set) {
  CvatReader(input, options, set).read(input.files.read_text(input.path));
}

}  // namespace

constinit const AnnotationFormat cvat{
    "cvat", "CVAT for images 1.1: one XML; turned boxes and shapes by the box around them",
    recognise_cvat, read_cvat};

}  // namespace letterpress::annotations
