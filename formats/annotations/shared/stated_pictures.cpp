#include "stated_pictures.h"

#include <algorithm>
#include <set>
#include <utility>

#include "class_names.h"
#include "formats/annotations/files/text.h"

namespace letterpress::annotations {
namespace {

std::int64_t objects_of(const StatedPicture& picture) {
  return static_cast<std::int64_t>(picture.boxes.size() + picture.box_rejects.size());
}

std::optional<Message> class_fault(const StatedPicture& picture) {
  for (const StatedBox& box : picture.boxes) {
    if (box.class_name.empty())
      return Message{.what = "an object has no class", .fix = "label it or remove it"};
    if (const auto fault = class_name_fault(box.class_name))
      return Message{.what = "class " + in_quotes(box.class_name) + " " + fault->what,
                     .fix = fault->fix};
  }
  return std::nullopt;
}

std::optional<Message> split_fault(const std::string& split) {
  if (split.empty() || can_name_split(split)) return std::nullopt;
  return Message{.what = "its split is called " + in_quotes(split),
                 .fix = "use a name without slashes and blanks"};
}

// The name of a picture with the folder that it starts in, where it was not found there; else
// empty.
std::string name_with_folder(const StatedPicture& picture, const std::filesystem::path& input,
                             const Item& item) {
  if (picture.folder.empty() || !picture.name.empty() || item.name.starts_with('/')) return {};
  const std::filesystem::path folder = picture.folder.lexically_relative(input);
  std::string whole = (folder / item.name).lexically_normal().string();
  const bool leads_there = whole.starts_with("..") || item.path.ends_with("/" + whole);
  return leads_there ? "" : std::move(whole);
}

}  // namespace

PictureFinder& StatedPictures::finder_of(const StatedPicture& picture) {
  const std::filesystem::path own = input_.folder();
  const std::filesystem::path folder = picture.folder.empty() ? own : picture.folder;
  // KITTI's image_2 lies beside the folder of labels that was named.
  const bool beside = folder != own && folder.parent_path() == own.parent_path();
  const std::filesystem::path dataset = beside ? own.parent_path() : own;
  return finders_
      .try_emplace(folder, input_.files, dataset, std::vector{folder}, options_,
                   input_.is_folder ? std::filesystem::path() : input_.path)
      .first->second;
}

Expected<std::string> StatedPictures::find(const StatedPicture& picture) {
  PictureFinder& finder = finder_of(picture);
  if (picture.earlier_name.empty()) return finder.find(picture.names, picture.where);
  return finder.find_renamed(picture.names, picture.earlier_name, picture.where);
}

void StatedPictures::refuse(const StatedPicture& picture, Reject reject) {
  if (picture.names.empty())
    return reject_picture(set_, std::move(reject), objects_of(picture), picture.split);
  std::vector<std::string> names = picture.names;
  if (!picture.earlier_name.empty()) names.push_back(picture.earlier_name);
  reject_picture(set_, finder_of(picture).of_picture(std::move(reject), names), objects_of(picture),
                 picture.split);
}

void StatedPictures::add(StatedPicture picture) {
  const std::int64_t n = objects_of(picture);
  count(picture);
  if (!picture.fault) picture.fault = class_fault(picture);
  if (!picture.fault) picture.fault = split_fault(picture.split);
  if (picture.fault)
    return refuse(picture, {picture.where, picture.fault->what, picture.fault->fix});
  if (n > options_.max_boxes)
    return refuse(picture, too_many_boxes(picture.where, n, options_.max_boxes));
  Expected<std::string> path = find(picture);
  if (!path) return reject_picture(set_, path.reject(), n, picture.split);
  Item item;
  if (!picture.earlier_name.empty()) picture.names.push_back(picture.earlier_name);
  item.name = picture.name.empty() ? name_of(*path, picture.names) : picture.name;
  item.path = std::move(*path);
  std::ranges::replace(item.name, '\\', '/');
  std::string whole = name_with_folder(picture, input_.folder(), item);
  if (!whole.empty()) names_apart_.add(set_.items.size(), std::move(whole));
  item.where = std::move(picture.where);
  item.width = picture.width;
  item.height = picture.height;
  item.normalised = picture.normalised;
  item.split = std::move(picture.split);
  std::vector<std::string> names;
  for (StatedBox& box : picture.boxes) {
    item.boxes.push_back(std::move(box.box));
    names.push_back(std::move(box.class_name));
  }
  set_.boxes_found += n;
  set_.unlabelled += !picture.labelled;
  set_.boxes_rejected += static_cast<std::int64_t>(picture.box_rejects.size());
  std::ranges::move(picture.box_rejects, std::back_inserter(set_.rejects));
  names_.push_back(std::move(names));
  add_picture(set_, std::move(item));
  splits_.add(picture.split_word);
}

void StatedPictures::count(const StatedPicture& picture) {
  not_annotated_ += !picture.labelled;
  skipped_ += picture.skipped;
  empty_ += picture.labelled && objects_of(picture) == 0;
}

void StatedPictures::add_unlabelled_remark() const {
  if (not_annotated_ == 0) return;
  set_.remarks.push_back((are_tasks_ ? "tasks" : "pictures") +
                         std::string(" without a box: not annotated ") +
                         std::to_string(not_annotated_) +
                         (are_tasks_ ? " (skipped " + std::to_string(skipped_) + ")" : "") +
                         ", empty " + std::to_string(empty_));
}

void StatedPictures::set_class_list(const std::vector<std::string>& listed) {
  set_.lists_classes = !options_.classes.empty() || !listed.empty();
  if (!options_.classes.empty()) {
    set_.classes = read_class_names(input_.files, options_.classes);
    return;
  }
  check_class_names(listed, input_.path.string());
  set_.classes = listed;
  std::set<std::string> others;
  for (const auto& names : names_) others.insert(names.begin(), names.end());
  for (const std::string& name : listed) others.erase(name);
  set_.classes.insert(set_.classes.end(), others.begin(), others.end());
}

void StatedPictures::finish(const std::vector<std::string>& listed) {
  FindNotes notes;
  for (const auto& [folder, finder] : finders_) notes.add(finder.notes());
  notes.add_to(set_.remarks);
  names_apart_.settle(set_);
  add_unlabelled_remark();
  splits_.settle(input_, options_, set_);
  set_class_list(listed);
  name_boxes(set_, names_);
}

}  // namespace letterpress::annotations
