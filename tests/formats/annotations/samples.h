#pragma once
#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "letterpress/annotations/annotations.h"
#include "letterpress/annotations/picture_files.h"
#include "letterpress/base/error.h"
#include "tests/contains.h"
#include "tests/temp_dir.h"

namespace letterpress {

/// A picture that label readers do not open.
inline void write_pictures(const TempDir& dir, const std::vector<std::string>& names) {
  for (const std::string& name : names) dir.write(name, "");
}

/// The message and exit code with which reading fails; "" and done when it does not.
struct Failure {
  std::string message;
  Exit exit = Exit::done;
};
inline Failure failure_of(const std::filesystem::path& input,
                          const AnnotationOptions& options = {}) {
  try {
    read_annotations(input, options);
  } catch (const Error& error) {
    return {error.what(), error.exit()};
  }
  return {};
}

inline std::string text_of(const std::filesystem::path& file) {
  std::ostringstream text;
  text << std::ifstream(file, std::ios::binary).rdbuf();
  return text.str();
}

/// The bytes of a picture, as a build reads them.
inline std::string picture_text(const Item& item, const std::filesystem::path& unpacked = {}) {
  std::vector<std::byte> bytes;
  PictureFiles(unpacked).read(item.path, item.offset, item.length, bytes);
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// packed.zip in `folder`, with what is called so there, as Python's zipfile packs it.
inline std::filesystem::path zipped_by_python(const std::filesystem::path& folder,
                                              const std::string& names) {
  const std::string pack =
      "cd " + folder.string() + " && python3 -m zipfile -c packed.zip " + names + " > /dev/null";
  REQUIRE(std::system(pack.c_str()) == 0);
  return folder / "packed.zip";
}

/// A label file of Pascal VOC: a cat.
inline constexpr const char* kCatXml =
    "<annotation><object><name>cat</name><bndbox><xmin>2</xmin><ymin>3</ymin><xmax>9</xmax>"
    "<ymax>8</ymax></bndbox></object></annotation>";

/// "train/labels.csv train\n" of each part of a folder, then the remarks.
inline std::string text_of(const LabelParts& parts, const std::filesystem::path& folder,
                           const std::vector<std::string>& remarks) {
  std::string text;
  for (const LabelPart& part : parts.parts)
    text += part.labels.lexically_relative(folder).string() + " " + part.split + "\n";
  for (const std::string& remark : remarks) text += remark + "\n";
  return text;
}

/// The only reject of a set, as text; a failed check when there is none or more.
inline std::string only_reject(const AnnotationSet& set) {
  REQUIRE(set.rejects.size() == 1);
  return to_string(set.rejects.front());
}

}  // namespace letterpress
