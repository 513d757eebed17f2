#include "picture_finder.h"

#include "formats/annotations/files/text.h"

namespace letterpress::annotations {
namespace fs = std::filesystem;
namespace {

std::string real_folder(const fs::path& folder) {
  std::error_code error;
  fs::path path = fs::weakly_canonical(fs::absolute(folder), error);
  if (error) path = fs::absolute(folder).lexically_normal();
  std::string text = path.string();
  while (text.size() > 1 && text.ends_with('/')) text.pop_back();
  return text;
}

bool lies_under(std::string_view path, std::string_view folder) {
  if (folder.empty()) return false;
  if (folder == "/") return true;
  return path.starts_with(folder) && (path.size() == folder.size() || path[folder.size()] == '/');
}

std::string name_fault(std::string_view name) {
  if (name.empty()) return "the picture's name is empty";
  if (name.find('\0') != std::string_view::npos)
    return "the picture's name " + in_quotes(name) + " holds a NUL byte";
  if (!is_utf8(name)) return "the picture's name " + in_quotes(name) + " is not UTF-8";
  return {};
}

// " (nor 1.jpg, 1.png there)"
std::string others(std::span<const std::string> names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? " (nor " : ", ") + printable(name);
  return text.empty() ? text : text + " there)";
}

}  // namespace

bool stays_below(std::string_view name) {
  return !name.starts_with('/') && name.find("./") == std::string_view::npos &&
         name.find("//") == std::string_view::npos && !name.ends_with("..");
}

struct PictureFinder::Search {
  std::string found{};
  std::string fault{};    // of something that is there but not a file
  std::string refused{};  // the first place outside
  std::string tried{};
  std::string first{};                  // the first place looked at
  const std::string* listed = nullptr;  // the name that `tried` is about
};

PictureFinder::PictureFinder(const FileTree& files, const fs::path& dataset,
                             const std::vector<fs::path>& folders, const AnnotationOptions& options)
    : files_(files), dataset_(real_folder(dataset)), allow_outside_(options.allow_outside) {
  if (!options.root.empty()) root_ = real_folder(options.root);
  for (const fs::path& folder : folders) folders_.push_back({real_folder(folder), false});
  if (!root_.empty()) folders_.push_back({root_, true});
  for (SearchFolder& folder : folders_) folder.allowed = may_read(folder.path);
}

bool PictureFinder::may_read(const fs::path& path) const {
  const std::string& text = path.native();
  if (allow_outside_ || lies_under(text, dataset_) || lies_under(text, root_)) return true;
  // The same folder may be known by another name, through a link above the dataset.
  const std::string parent = path.parent_path().string();
  const auto known = allowed_parents_.find(parent);
  if (known != allowed_parents_.end()) return known->second;
  const std::string real = real_folder(parent);
  return allowed_parents_[parent] = lies_under(real, dataset_) || lies_under(real, root_);
}

Reject PictureFinder::outside(const std::string& where, const std::string& name,
                              const std::string& path) const {
  return {where,
          in_quotes(name) + " leads to " + printable(path, 1000) +
              ", outside the dataset's folder " + dataset_ +
              (root_.empty() ? "" : " and outside --root " + root_),
          "give --allow-outside, or --root with a folder that holds it"};
}

// folder: nullptr for an absolute name. True when the search is over.
bool PictureFinder::try_folder(const SearchFolder* folder, const std::string& name,
                               Search& search) const {
  const bool plain = folder && stays_below(name);
  std::string path = folder ? folder->path + (folder->path == "/" ? "" : "/") + name : name;
  if (!plain) path = fs::path(path).lexically_normal().string();
  if (search.first.empty()) search.first = path;
  if (plain ? !folder->allowed : !may_read(path)) {
    if (search.refused.empty()) search.refused = path;
    return false;
  }
  const std::string fault = files_.file_fault(path);
  if (fault.empty()) return search.found = std::move(path), true;
  if (fault != kMissing) return search.fault = printable(path, 1000) + " " + fault, true;
  // The message names each place once, not again for every other name.
  if (&name == search.listed)
    search.tried += (search.tried.empty() ? "" : ", ") + printable(path, 1000);
  return false;
}

Expected<std::string> PictureFinder::find(std::span<const std::string> names,
                                          const std::string& where) const {
  for (const std::string& name : names) {
    const std::string fault = name_fault(name);
    if (fault.empty()) continue;
    Reject reject{where, fault, "write the path of a picture in UTF-8"};
    reject.name = printable(names.front(), 1000);
    return reject;
  }
  Search search{.listed = &names.front()};
  const auto ends_in = [&](const SearchFolder* folder) {
    for (const std::string& name : names) {
      if ((folder == nullptr) == name.starts_with('/') && try_folder(folder, name, search))
        return true;
    }
    return false;
  };
  bool ended = ends_in(nullptr);
  for (std::size_t i = 0; i < folders_.size() && !ended; ++i) ended = ends_in(&folders_[i]);
  if (!search.found.empty()) return std::move(search.found);
  Reject reject{where, search.fault, "name a picture file"};
  if (search.fault.empty() && !search.refused.empty()) {
    reject = outside(where, names.front(), search.refused);
  } else if (search.fault.empty()) {
    reject = {where,
              "there is no picture " + in_quotes(names.front()) + ", tried " + search.tried +
                  others(names.subspan(1)),
              "restore it, correct the path, or give --root with the folder that paths start from"};
  }
  reject.name = printable(names.front(), 1000);
  reject.path = printable(search.first, 4096);
  return reject;
}

Reject PictureFinder::of_picture(Reject reject, std::span<const std::string> names) const {
  const Expected<std::string> found = find(names, reject.where);
  reject.name = printable(names.front(), 1000);
  reject.path = found ? printable(*found, 4096) : found.reject().path;
  return reject;
}

}  // namespace letterpress::annotations
