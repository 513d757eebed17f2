#include "broken_splits.h"

#include <algorithm>
#include <set>

#include "formats/annotations/files/disk_walk.h"
#include "formats/annotations/files/split_words.h"
#include "formats/annotations/files/text.h"
#include "letterpress/base/error.h"
#include "letterpress/base/git_lfs.h"

namespace letterpress::annotations {
namespace fs = std::filesystem;
namespace {

class BrokenSplits {
 public:
  BrokenSplits(const Input& folder, const std::vector<InsideFolder>& found,
               const AnnotationOptions& options)
      : folder_(folder), options_(options) {
    for (const InsideFolder& one : found) {
      splits_.insert(one.split);
      found_.emplace_back(words_without_split(one.name), &one);
    }
  }

  void refuse() const {
    if (splits_.contains("") || !splits_.contains("train")) return;
    for (const std::string& name : folder_.files.names_in(folder_.path)) {
      if (is_left_by_a_system(name)) continue;
      if (!folder_.files.is_folder(folder_.path / name)) {
        look(name);
        continue;
      }
      look_at_folder(name);
      for (const std::string& file : folder_.files.names_in(folder_.path / name))
        if (!is_left_by_a_system(file)) look(name + "/" + file);
    }
  }

 private:
  // That it is called as, but for its split, which is none of those found; nullptr: none.
  const InsideFolder* called_as(const std::string& name) const {
    const std::string split = split_in(name);
    if (split.empty() || splits_.contains(split)) return nullptr;
    const std::vector<std::string> words = words_without_split(name);
    const auto like = std::ranges::find(
        found_, words, &std::pair<std::vector<std::string>, const InsideFolder*>::first);
    return like == found_.end() ? nullptr : like->second;
  }

  void look(const std::string& name) const {
    const InsideFolder* like = called_as(name);
    const fs::path path = folder_.path / name;
    if (!like || like->input.is_folder || !folder_.files.file_fault(path.string()).empty()) return;
    const Input input = look_at(folder_.files, path);
    if (like->format->recognise(input, options_).fits) return;
    const bool may_be_names = matches(name, ".txt") || matches(name, ".csv");
    refuse_file(input, *like, !may_be_names);
  }

  void look_at_folder(const std::string& name) const {
    const InsideFolder* like = called_as(name);
    if (!like || !like->input.is_folder || std::string_view(like->format->name) != "voc") return;
    const fs::path path = folder_.path / name;
    if (like->format->recognise(look_at(folder_.files, path), options_).fits) return;
    for (const std::string& file : folder_.files.names_in(path)) {
      if (matches(file, ".xml") && !is_left_by_a_system(file))
        return refuse_file(look_at(folder_.files, path / file), *like, true);
    }
  }

  void refuse_file(const Input& file, const InsideFolder& like, bool are_labels) const {
    const auto [what, fix] = broken_content(file);
    if (what.empty() && !are_labels) return;
    const std::string why = like.format->recognise(file, options_).why;
    throw Error({.where = file.path.string(),
                 .what = (what.empty() ? "is not read as " + std::string(like.format->name) + " (" +
                                             why + ")"
                                       : what) +
                         ", but " + printable(like.name) + " is " + like.format->name,
                 .fix = fix + ", or remove it to leave this split out"});
  }

  const Input& folder_;
  const AnnotationOptions& options_;
  std::set<std::string> splits_;
  std::vector<std::pair<std::vector<std::string>, const InsideFolder*>> found_;
};

}  // namespace

BrokenContent broken_content(const Input& file) {
  if (is_git_lfs_pointer(file.head)) return {kIsGitLfsPointer, kFetchGitLfs};
  const std::string_view text = trim(file.head);
  const std::string fix = "restore it";
  if (text.empty() && file.is_whole) return {"is empty", fix};
  if (!file.is_text && !is_utf16(file.head)) return {"holds NUL bytes", fix};
  const std::string start = in_small_letters(text.substr(0, 20));
  if (start.starts_with("<!doctype html") || start.starts_with("<html"))
    return {"holds a page of HTML", fix};
  return {"", fix};
}

void refuse_broken_splits(const Input& folder, const std::vector<InsideFolder>& found,
                          const AnnotationOptions& options) {
  BrokenSplits(folder, found, options).refuse();
}

}  // namespace letterpress::annotations
