#pragma once
#include <sstream>
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
    write_classes();  // before the first label, which would mean nothing without it
    const std::filesystem::path file = label_file(options_.out, findings.picture, extension_);
    make_folders(file.parent_path());
    replace_file(file, Text(options_, findings));
  }

  std::filesystem::path finish() override {
    write_classes();
    return options_.out;
  }

 private:
  std::filesystem::path classes_file() const { return options_.out / kClassList; }

  std::string classes_text() const {
    std::string text;
    for (const std::string& name : options_.classes) text += name + "\n";
    return text;
  }

  // One that is there lists the same: somebody's editor may have written it.
  void write_classes() {
    if (!lists_classes_ || has_classes_) return;
    replace_file(classes_file(), classes_text());
    has_classes_ = true;
  }

  // With "\n" behind each name, as ours.
  static std::string as_ours(const std::string& text) {
    std::string names;
    std::istringstream lines(text.starts_with("\xEF\xBB\xBF") ? text.substr(3) : text);
    for (std::string line; std::getline(lines, line);) {
      if (line.ends_with('\r')) line.pop_back();
      if (!line.empty()) names += line + "\n";
    }
    return names;
  }

  // Label files that are kept would be read with other classes.
  void check_classes() {
    if (!std::filesystem::exists(classes_file())) return;
    has_classes_ = as_ours(read_file(classes_file())) == classes_text();
    if (has_classes_) return;
    throw Error(
        {.where = classes_file().string(),
         .what = "lists classes other than the model's, and the label files there use those",
         .fix = "name another --out, or remove them"},
        Exit::configuration);
  }

  OutputOptions options_;
  const char* extension_;
  bool lists_classes_, has_classes_ = false;
};

}  // namespace letterpress
