#pragma once
#include "samples.h"

namespace letterpress {

/// An <object>. box: "xmin ymin xmax ymax"; rest: more elements.
inline std::string object(const std::string& name, const std::string& box,
                          const std::string& rest = "") {
  std::string text = "<object><name>" + name + "</name>" + rest + "<bndbox>";
  const char* const tags[] = {"xmin", "ymin", "xmax", "ymax"};
  std::size_t at = 0;
  for (const char* tag : tags) {
    const std::size_t end = box.find(' ', at);
    text += std::string("<") + tag + ">" + box.substr(at, end - at) + "</" + tag + ">";
    at = end + 1;
  }
  return text + "</bndbox></object>";
}
/// A whole Annotations file.
inline std::string xml(const std::string& content) {
  return "<?xml version=\"1.0\"?>\n<annotation>" + content + "</annotation>\n";
}

/// A set of Annotations/1.xml and JPEGImages/1.jpg.
struct VocSet {
  TempDir dir;

  VocSet() { write_pictures(dir, {"JPEGImages/1.jpg"}); }
  AnnotationSet read(const std::string& text, AnnotationOptions options = {}) {
    options.format = "voc";
    return read_annotations(dir.write("Annotations/1.xml", text), options);
  }
};

}  // namespace letterpress
