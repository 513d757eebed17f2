#include "voc_recognition.h"

#include "formats/annotations/files/disk_walk.h"
#include "formats/annotations/files/split_words.h"
#include "formats/annotations/files/text.h"
#include "voc_ids.h"

namespace letterpress::annotations {
extern const AnnotationFormat yolo;

namespace {
namespace fs = std::filesystem;

bool is_voc(std::string_view head) {
  return head.find("<annotation>") != std::string_view::npos ||
         head.find("<annotation ") != std::string_view::npos || head.starts_with("\xFF\xFE");
}

// Whether the first XMLs of a folder are all of another format; one may be damaged.
bool holds_other_xmls(const FileTree& files, const fs::path& folder) {
  constexpr int kLookedAt = 3;
  constexpr std::int64_t kHead = 64 << 10;
  int looked_at = 0;
  for (const std::string& name : files.names_in(folder)) {
    if (!matches(name, ".xml") || is_left_by_a_system(name)) continue;
    const std::string head = files.read_head(folder / name, kHead);
    if (is_voc(head) || head.find('<') == std::string::npos) return false;
    if (++looked_at == kLookedAt) break;
  }
  return true;
}

// The first folder of XMLs in Annotations: Annotations/train; or, of several, in the folder of a
// split: train/n01440764.
std::string folder_with_xmls(const FileTree& files, const fs::path& folder) {
  if (files.holds_file(folder, ".xml")) return {};
  const bool of_split = !split_of_folders(folder.filename().string()).empty();
  if (!of_split && !is_annotations_folder(folder)) return {};
  const bool is_vocs = in_small_letters(folder.filename().string()) == "annotations";
  std::string first;
  int n = 0;
  for (const std::string& name : files.names_in(folder)) {
    if (is_left_by_a_system(name + "/") || !files.is_folder(folder / name)) continue;
    if (!files.holds_file(folder / name, ".xml")) {
      if (is_vocs || of_split) continue;
      return {};  // labels/ of folders of classes, say: its splits are looked at
    }
    if (n++ == 0) first = name;
  }
  return of_split && n < 2 ? "" : first;
}

Recognition recognise_xml_folder(const Input& input) {
  fs::path folder = voc_xml_folder_in(input.files, input.path);
  std::string in = folder == input.path ? "" : " in Annotations";
  const std::string inner = folder_with_xmls(input.files, folder);
  if (!inner.empty()) {
    in = " in folders of " + printable(folder.filename().string()) + ", the first " +
         printable(inner);
    folder /= inner;
  }
  if (!input.files.holds_file(folder, ".xml"))
    return {false,
            "a folder without XMLs in it, in Annotations or in folders of one that is called after "
            "labels"};
  if (holds_other_xmls(input.files, folder))
    return {false, "a folder with XMLs" + in + " without <annotation>"};
  return {true, "a folder with XMLs" + in};
}

}  // namespace

Recognition recognise_voc(const Input& input, const AnnotationOptions& options) {
  const std::string name = printable(input.path.filename().string());
  if (input.is_folder) return recognise_xml_folder(input);
  if (matches(input.path.filename().string(), ".xml")) {
    const bool voc = is_voc(input.head);
    return {voc, voc ? name + " is an XML with <annotation>" : "an XML without <annotation>"};
  }
  if (!input.is_text) return {false, "holds NUL bytes, must be a list of ids or an XML"};
  const std::string_view whole_lines =
      std::string_view(input.head)
          .substr(0, input.is_whole ? std::string::npos : input.head.rfind('\n'));
  const VocIdList ids = read_voc_ids(whole_lines, name);
  const char* folder = voc_folder_of_ids(input.files, input.path, ids);
  if (!folder)
    return {false,
            "its lines are not ids of XMLs in ../../Annotations, ../Annotations, Annotations or "
            "beside it"};
  // A list of pictures that have labels of YOLO beside the XMLs is YOLO's.
  if (ids.has_picture_paths && yolo.recognise(input, options).fits)
    return {false, "lists pictures that have label files of YOLO"};
  return {true, name + " lists ids that are files in " + folder +
                    (ids.has_column ? ", with a column -1, 0, 1 for one class: all its pictures "
                                      "are read, all their boxes count"
                                    : "")};
}

}  // namespace letterpress::annotations
