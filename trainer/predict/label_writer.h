#pragma once
#include <string>

#include "letterpress/base/error.h"
#include "letterpress/base/file.h"
#include "trainer/predict/output_format.h"

namespace letterpress {

/// The part that formats with a label file per picture share. Text: (options, findings) -> the
/// file's content.
template <std::string (*Text)(const OutputOptions&, const PictureFindings&)>
class LabelWriter : public OutputWriter {
 public:
  LabelWriter(const OutputOptions& options, const char* extension, bool lists_classes)
      : options_(options), extension_(extension), lists_classes_(lists_classes) {
    if (lists_classes_) check_classes();
  }

  bool is_labelled(const PictureInput& picture) const override {
    return !options_.overwrite &&
           std::filesystem::exists(label_file(options_.out, picture, extension_));
  }

  void add(const PictureFindings& findings) override {
    const std::filesystem::path file = label_file(options_.out, findings.picture, extension_);
    make_folders(file.parent_path());
    replace_file(file, Text(options_, findings));
  }

  /// Ids have no meaning without the list of classes.
  std::filesystem::path finish() override {
    if (lists_classes_) replace_file(classes_file(), classes_text());
    return options_.out;
  }

 private:
  std::filesystem::path classes_file() const { return options_.out / "classes.txt"; }

  std::string classes_text() const {
    std::string text;
    for (const std::string& name : options_.classes) text += name + "\n";
    return text;
  }

  // Label files that are kept would be read with other classes.
  void check_classes() const {
    if (!std::filesystem::exists(classes_file()) || read_file(classes_file()) == classes_text())
      return;
    throw Error(
        {.where = classes_file().string(),
         .what = "lists classes other than the model's, and the label files there use those",
         .fix = "name another --out, or remove them"},
        Exit::configuration);
  }

  OutputOptions options_;
  const char* extension_;
  bool lists_classes_;
};

}  // namespace letterpress
