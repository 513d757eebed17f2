#include "yolo_other_labels.h"

#include "formats/annotations/files/disk_walk.h"
#include "formats/annotations/files/input.h"
#include "formats/annotations/files/text.h"
#include "letterpress/base/picture_extension.h"

namespace letterpress::annotations {
namespace {

std::string folder_in(const std::string& path) { return path.substr(0, path.rfind('/')); }

bool hold_one_text(const FileTree& files, const std::string& one, const std::string& other) {
  const Expected<std::string> first = read_label_file(files, one);
  const Expected<std::string> second = read_label_file(files, other);
  return first && second && *first == *second;
}

}  // namespace

const OtherLabels::Folder& OtherLabels::labels_in(const std::string& folder) {
  const auto [known, is_new] = folders_.try_emplace(folder);
  if (!is_new) return known->second;
  for (std::string& name : files_.names_in(folder)) {
    if (is_left_by_a_system(name)) continue;
    const bool is_other = matches(name, ".xml") || matches(name, ".json");
    if (!is_other && !matches(name, ".txt")) continue;
    Labels& labels = is_other ? known->second.others : known->second.texts;
    labels[std::string(without_extension(name))].push_back(std::move(name));
  }
  return known->second;
}

std::optional<Message> OtherLabels::look(const std::vector<std::string>& paths,
                                         const std::string& taken) {
  if (taken.empty()) {
    note_other_format(paths);
    return std::nullopt;
  }
  bool has_other = false;
  for (const std::string& path : paths) {
    const std::string folder = folder_in(path);
    const Labels& labels = labels_in(folder).texts;
    const auto own = labels.find(std::string(without_extension(last_part(path))));
    if (own == labels.end()) continue;
    for (const std::string& name : own->second) {
      const std::string other = folder + "/" + name;
      if (other == taken || hold_one_text(files_, taken, other)) continue;
      if (folder == folder_in(taken))
        return Message{.what = "has two label files, " + in_quotes(last_part(taken)) + " and " +
                               in_quotes(name) + ", in " + printable(folder, 1000),
                       .fix = "keep the right one"};
      if (!has_other && n_++ == 0)
        first_ = printable(other, 1000) + " beside " + printable(taken, 1000);
      has_other = true;
    }
  }
  return std::nullopt;
}

void OtherLabels::note_other_format(const std::vector<std::string>& paths) {
  for (const std::string& path : paths) {
    const Labels& labels = labels_in(folder_in(path)).others;
    const auto own = labels.find(std::string(without_extension(last_part(path))));
    if (own == labels.end()) continue;
    if (other_formats_++ == 0)
      first_other_format_ = printable(folder_in(path) + "/" + own->second.front(), 1000);
    return;
  }
}

void OtherLabels::add_to(std::vector<std::string>& remarks) const {
  if (other_formats_ > 0)
    remarks.push_back(counted(other_formats_, "picture without a label file of YOLO has",
                              "pictures without a label file of YOLO have") +
                      " one of another format, which is not read: the first, " +
                      first_other_format_ + "; save it as YOLO, or it has no boxes");
  if (n_ == 0) return;
  remarks.push_back(counted(n_, "picture has", "pictures have") +
                    " a second label file with another text, which is not read: the first, " +
                    first_ + ", which is; remove the wrong one");
}

}  // namespace letterpress::annotations
