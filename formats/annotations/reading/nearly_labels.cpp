#include "nearly_labels.h"

#include <algorithm>
#include <array>
#include <span>
#include <vector>

#include "formats/annotations/files/disk_walk.h"
#include "formats/annotations/files/text.h"
#include "formats/annotations/readers/tables/csv_columns.h"
#include "formats/annotations/readers/tables/csv_rows.h"
#include "letterpress/base/git_lfs.h"
#include "letterpress/base/picture_extension.h"

namespace letterpress::annotations {
namespace fs = std::filesystem;
namespace {

enum class FileKind { table, json, xml, lines };

std::optional<FileKind> labels_called(std::string_view name) {
  using enum FileKind;
  constexpr std::array<std::pair<std::string_view, FileKind>, 7> kEndings{{{".csv", table},
                                                                           {".tsv", table},
                                                                           {".json", json},
                                                                           {".jsonl", json},
                                                                           {".ndjson", json},
                                                                           {".xml", xml},
                                                                           {".txt", lines}}};
  const auto* const known =
      std::ranges::find_if(kEndings, [&](const auto& one) { return matches(name, one.first); });
  return known == kEndings.end() ? std::nullopt : std::optional(known->second);
}

bool holds_any(std::string_view text, std::initializer_list<std::string_view> words) {
  return std::ranges::any_of(words, [&](auto word) { return text.find(word) != text.npos; });
}

// https://huggingface.co/docs/datasets/image_dataset: metadata.csv has no objects.
bool is_of_image_folder(const fs::path& path, const CsvRecord& header) {
  return path.filename() == "metadata.csv" &&
         std::ranges::find(header.fields, "file_name") != header.fields.end();
}

std::optional<Message> fault_of_header(const fs::path& path, const CsvRecord& header) {
  const std::string where = path.string() + ":" + std::to_string(header.line);
  if (is_of_image_folder(path, header))
    return Message{where, "is the metadata.csv of an ImageFolder, of which metadata.jsonl is read",
                   "write boxes as metadata.jsonl; for classes of whole pictures make a folder "
                   "for each class"};
  try {
    csv_columns(header, where);
  } catch (const Error& error) {
    return error.message();
  }
  return std::nullopt;
}

// is_named: it is the --input, so that it is meant to hold labels.
std::optional<Message> fault_of_table(const Input& file, bool is_named) {
  const std::string head = with_line_feeds(file.head);
  CsvRecords records = records_below(csv_preamble(head), head);
  if (!records.next()) return std::nullopt;
  const CsvRecord& first = records.record();
  const auto is_value = [](const std::string& field) {
    return parse_number(field).has_value() || has_picture_extension(field);
  };
  if (std::ranges::none_of(first.fields, is_value)) {
    const bool is_header = first.fields.size() > 1 && (is_named || known_words(first) > 0);
    return is_header ? fault_of_header(file.path, first) : std::nullopt;
  }
  if (std::ranges::none_of(first.fields, has_picture_extension)) return std::nullopt;
  return Message{file.path.string() + ":" + std::to_string(first.line),
                 "got " + counted(std::ssize(first.fields), "field", "fields") +
                     " without a header above, must be " + CsvColumns{}.names,
                 "write these, or a header that names the columns"};
}

std::optional<Message> fault_of_json(const Input& file, bool is_named) {
  constexpr std::size_t kShown = 40;
  const std::string_view head = trim(file.head);
  if (!head.starts_with('{') && !head.starts_with('[')) return std::nullopt;
  const bool is_list = head.starts_with('[');
  if (is_list && holds_any(head, {"\"image_id\""}) && holds_any(head, {"\"score\""}))
    return Message{file.path.string(), "is a list of COCO detections with their scores, not labels",
                   "name the JSON that has \"images\" and \"annotations\""};
  if (is_named || !holds_any(head, {"box", "label", "annotation", "categor", "class"}))
    return std::nullopt;
  return Message{file.path.string(),
                 "is a JSON that begins with " + in_quotes(head.substr(0, kShown)) +
                     ", as no JSON does that is read",
                 "export it again, as COCO say"};
}

std::optional<Message> fault_of_xml(const Input& file) {
  std::string_view rest = file.head;
  while (!take_until(rest, '<').empty() || !rest.empty()) {
    if (rest.starts_with('?') || rest.starts_with('!')) continue;
    const std::string root(rest.substr(0, rest.find_first_of(" \t\r\n/>")));
    if (root.empty() || root == "annotation" || root == "annotations") break;
    return Message{file.path.string(),
                   "its root is <" + printable(root) +
                       ">, must be <annotation> of Pascal VOC or <annotations> of CVAT",
                   "export it again as one of these"};
  }
  return std::nullopt;
}

// captain-whu.github.io/DOTA/dataset.html: four corners, class and difficulty, below two lines of
// its source and scale.
std::optional<Message> fault_of_lines(const Input& file) {
  constexpr int kLooks = 20;
  constexpr std::size_t kCorners = 8;
  Lines lines(file.head);
  for (int i = 0; i < kLooks && lines.next(); ++i) {
    std::string_view rest = lines.text();
    std::vector<std::string_view> fields;
    for (std::string_view field = take_field(rest); !field.empty(); field = take_field(rest))
      fields.push_back(field);
    if (fields.size() < kCorners + 1 || fields.size() > kCorners + 2) continue;
    const auto is_number = [](std::string_view field) { return parse_number(field).has_value(); };
    if (std::ranges::count_if(std::span(fields).first(kCorners), is_number) != kCorners ||
        is_number(fields[kCorners]))
      continue;
    return Message{file.path.string() + ":" + std::to_string(lines.number()),
                   "is a line of DOTA, x1 y1 x2 y2 x3 y3 x4 y4 class difficult, which is not read",
                   "convert it to YOLO's oriented boxes: class id and the corners as shares of the "
                   "picture"};
  }
  return std::nullopt;
}

std::optional<Message> fault_of_file(const Input& file, FileKind kind, bool is_named) {
  if (is_git_lfs_pointer(file.head))
    return Message{file.path.string(), kIsGitLfsPointer, kFetchGitLfs};
  if (!file.is_text) return std::nullopt;
  if (kind == FileKind::table) return fault_of_table(file, is_named);
  if (kind == FileKind::json) return fault_of_json(file, is_named);
  if (kind == FileKind::lines) return fault_of_lines(file);
  return is_named ? std::nullopt : fault_of_xml(file);
}

// The files of the folder, then those of the folders there.
std::vector<std::string> files_near(const Input& folder) {
  constexpr std::size_t kMost = 200;
  std::vector<std::string> files, folders{""};
  for (std::size_t i = 0; i < std::min(folders.size(), kMost); ++i) {
    std::size_t n = 0;
    for (const std::string& name : folder.files.names_in(folder.path / folders[i])) {
      const std::string path = folders[i] + name;
      if (is_left_by_a_system(name)) continue;
      if (labels_called(name) && folder.files.file_fault((folder.path / path).string()).empty()) {
        if (++n <= kMost) files.push_back(path);
      } else if (i == 0 && !has_picture_extension(name) &&
                 folder.files.is_folder(folder.path / name) && !is_left_by_a_system(name + "/")) {
        folders.push_back(name + "/");
      }
    }
  }
  return files;
}

}  // namespace

std::optional<NearlyLabels> nearly_labels(const Input& input) {
  if (!input.is_folder) {
    const std::optional<FileKind> kind = labels_called(input.path.filename().string());
    const auto fault = kind ? fault_of_file(input, *kind, true) : std::nullopt;
    return fault ? std::optional(NearlyLabels{{}, *fault}) : std::nullopt;
  }
  const std::vector<std::string> files = files_near(input);
  for (const FileKind kind : {FileKind::table, FileKind::json, FileKind::xml, FileKind::lines}) {
    for (const std::string& name : files) {
      if (labels_called(name) != kind) continue;
      const Input file = look_at(input.files, input.path / name);
      if (auto fault = fault_of_file(file, kind, false))
        return NearlyLabels{name, *std::move(fault)};
    }
  }
  return std::nullopt;
}

}  // namespace letterpress::annotations
