#pragma once
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "trainer/detection/detection.h"
#include "trainer/predict/inputs.h"

namespace letterpress {

/// What was found in one picture.
struct PictureFindings {
  PictureInput picture{};
  int width = 0, height = 0;            ///< pixels, after EXIF orientation
  std::vector<Detection> detections{};  ///< pixels of the picture, best first
};

struct OutputOptions {
  std::filesystem::path out{};         ///< an existing folder
  std::vector<std::string> classes{};  ///< of the model, by id
  bool overwrite = false;              ///< replace existing label files
};

/// Takes findings picture by picture. One thread.
class OutputWriter {
 public:
  virtual ~OutputWriter() = default;
  /// Whether the picture already has labels that must not be replaced: then it need not be
  /// predicted.
  virtual bool is_labelled(const PictureInput&) const { return false; }
  virtual void add(const PictureFindings& findings) = 0;
  /// Writes what belongs to all pictures together. Returns the file or folder to show.
  virtual std::filesystem::path finish() = 0;
};

/// A way to write findings. A new one is one file that ends in its entry, one line in the registry
/// and its test.
struct OutputFormatEntry {
  const char* name;
  const char* help;
  bool by_name;  ///< a label file per picture with the picture's name: names must differ
  /// The folder below `out` for pictures with drawn boxes; empty: `out` itself, but where `build`
  /// reads that: it would take a drawing for its picture.
  const char* drawings;
  std::unique_ptr<OutputWriter> (*make)(const OutputOptions& options);
  bool tells_names = false;    ///< one file that knows pictures by their names alone
  bool lists_classes = false;  ///< in classes.txt, which no picture's labels may be
  const char* file = "";       ///< the one file of all pictures; empty: there is none
  std::filesystem::path drawings_folder(const std::filesystem::path& out) const {
    return *drawings ? out / drawings : out;
  }
};
std::span<const OutputFormatEntry* const> output_formats();
/// Throws Error (usage) listing the known names, nearest first.
const OutputFormatEntry& find_output_format(const std::string& name);

/// Of a format that lists classes: one name per line, by id.
inline constexpr const char* kClassList = "classes.txt";

/// "<out>/<name>" with another extension.
std::filesystem::path label_file(const std::filesystem::path& out, const PictureInput& picture,
                                 const char* extension);
/// Throws Error (usage) when a picture is named twice, whose detections would count twice.
void check_named_once(const std::vector<PictureInput>& pictures);
/// Throws Error (usage) naming the two when two pictures have one name, which is all that a file of
/// many pictures says of them.
void check_picture_names(const std::vector<PictureInput>& pictures);
/// Throws Error (usage) naming the two when two pictures would have the same label file, and the
/// one whose labels would be the format's list of classes.
void check_label_names(const std::vector<PictureInput>& pictures, const OutputFormatEntry& format);

}  // namespace letterpress
