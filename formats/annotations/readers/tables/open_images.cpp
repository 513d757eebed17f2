// Open Images: a box a row as shares of the picture, classes as codes that
// class-descriptions-boxable.csv names (storage.googleapis.com/openimages/web/download.html).
#include <array>
#include <map>
#include <unordered_map>

#include "formats/annotations/files/text.h"
#include "formats/annotations/pictures/names_by_id.h"
#include "formats/annotations/shared/csv_records.h"
#include "formats/annotations/shared/format.h"
#include "formats/annotations/shared/stated_pictures.h"
#include "letterpress/base/picture_extension.h"

namespace letterpress::annotations {
extern const AnnotationFormat open_images;
namespace {
namespace fs = std::filesystem;

constexpr std::string_view kHeader = "ImageID,Source,LabelName,Confidence,XMin,XMax,YMin,YMax";

class OpenImagesReader {
 public:
  OpenImagesReader(const Input& input, const AnnotationOptions& options, AnnotationSet& set)
      : input_(input), set_(set), pictures_(input, options, set) {
    read_names();
  }

  void read(const std::string& text) {
    CsvRecords records(text);
    while (records.next()) {
      const CsvRecord& record = records.record();
      if (columns_.empty()) {
        for (std::size_t i = 0; i < record.fields.size(); ++i)
          columns_.emplace(record.fields[i], i);
      } else {
        read_row(record);
      }
    }
    for (StatedPicture& picture : found_) pictures_.add(std::move(picture));
    set_.remarks.push_back(
        names_.empty() ? "no class-descriptions-boxable.csv beside it: classes keep their codes"
                       : "classes are named by " + names_from_);
    note_nameless();
    pictures_.finish();
  }

 private:
  // "/m/011k07,Tortoise"
  void read_names() {
    for (const char* file : {"class-descriptions-boxable.csv",
                             "oidv7-class-descriptions-boxable.csv", "class-descriptions.csv"}) {
      const fs::path path = input_.folder() / file;
      if (!names_.empty() || !input_.files.exists(path)) continue;
      names_from_ = file;
      const std::string text = input_.files.read_text(path);
      for (CsvRecords records(text); records.next();) {
        const auto& fields = records.record().fields;
        if (fields.size() == 2) names_.emplace(fields[0], fields[1]);
      }
    }
  }

  void note_nameless() {
    if (nameless_.empty()) return;
    std::int64_t boxes = 0;
    for (const auto& [code, n] : nameless_) boxes += n;
    set_.remarks.push_back(
        counted(static_cast<std::int64_t>(nameless_.size()), "code is", "codes are") + " not in " +
        names_from_ + ", the first " + in_quotes(nameless_.begin()->first) + ": " +
        counted(boxes, "box is", "boxes are") +
        " of a class that is called by its code; add its line there, or pass --rename-class");
  }

  std::string field(const CsvRecord& record, const char* column) const {
    const auto place = columns_.find(column);
    return place != columns_.end() && place->second < record.fields.size()
               ? record.fields[place->second]
               : std::string();
  }

  void read_row(const CsvRecord& record) {
    const std::string id = field(record, "ImageID");
    const std::string where = input_.path.string() + ":" + std::to_string(record.line);
    const auto [place, is_new] = places_.emplace(id, found_.size());
    if (is_new) {
      found_.push_back({.where = where, .normalised = true});
      std::vector<std::string>& names = found_.back().names;
      names = picture_names_by_id(id, "");
      if (has_picture_extension(id)) names.insert(names.begin(), id);
    }
    StatedPicture& picture = found_[place->second];
    LabelBox box;
    for (const auto& [column, side] :
         {std::pair{"XMin", &box.x1}, {"XMax", &box.x2}, {"YMin", &box.y1}, {"YMax", &box.y2}}) {
      const Coordinate coordinate = parse_coordinate(field(record, column));
      if (!coordinate.fault.empty())
        picture.fault = Message{
            .what = "line " + std::to_string(record.line) + ": " + column + " " + coordinate.fault,
            .fix = "correct this row"};
      *side = static_cast<float>(coordinate.value);
    }
    if (field(record, "IsGroupOf") == "1") box.flags |= kCrowd;
    const std::string code = field(record, "LabelName");
    const auto name = names_.find(code);
    if (!names_.empty() && name == names_.end()) ++nameless_[code];
    picture.boxes.push_back({box, name == names_.end() ? code : name->second});
  }

  const Input& input_;
  AnnotationSet& set_;
  StatedPictures pictures_;
  std::map<std::string, std::string> names_;
  std::string names_from_;
  std::map<std::string, std::int64_t> nameless_;  // boxes by codes that have no name there
  std::map<std::string, std::size_t> columns_;
  std::unordered_map<std::string, std::size_t> places_;
  std::vector<StatedPicture> found_;
};

Recognition recognise_open_images(const Input& input, const AnnotationOptions&) {
  const bool fits = !input.is_folder && input.head.starts_with(kHeader);
  return {fits, (fits ? "its header starts with " : "its header does not start with ") +
                    std::string(kHeader)};
}

void read_open_images(const Input& input, const AnnotationOptions& options, AnnotationSet& set) {
  OpenImagesReader(input, options, set).read(input.files.read_text(input.path));
}

}  // namespace

constinit const AnnotationFormat open_images{
    "open-images", "Open Images: its CSV of boxes; class-descriptions-boxable.csv names the codes",
    recognise_open_images, read_open_images};

}  // namespace letterpress::annotations
