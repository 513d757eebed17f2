#include "picture_finder.h"

#include <algorithm>

#include "formats/annotations/files/text.h"
#include "letterpress/base/picture_extension.h"

namespace letterpress::annotations {
namespace fs = std::filesystem;
namespace {

std::string written_folder(const fs::path& folder) {
  return without_slash(fs::absolute(folder).lexically_normal().string());
}

std::string real_folder(const fs::path& folder) {
  std::error_code error;
  const fs::path path = fs::weakly_canonical(fs::absolute(folder), error);
  return error ? written_folder(folder) : without_slash(path.string());
}

std::vector<std::string> real_folders(const std::vector<fs::path>& folders,
                                      const std::vector<fs::path>& more = {}) {
  std::vector<std::string> paths;
  for (const std::vector<fs::path>* list : {&folders, &more}) {
    for (const fs::path& folder : *list) paths.push_back(real_folder(folder));
  }
  return paths;
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

const std::string& name_of(std::string_view path, std::span<const std::string> names) {
  const auto found = std::ranges::find(names, last_part(path), last_part);
  return found == names.end() ? names.front() : *found;
}

struct PictureFinder::Search {
  std::string found{}, name{};  // the file, and which of the names leads there
  std::string fault{};          // of something that is there but not a file
  std::string refused{};        // the first place outside
  std::string tried{};
  std::string first{};                  // the first place looked at
  std::size_t folder = 0;               // the last one looked into
  const std::string* listed = nullptr;  // the name that `tried` is about
};

PictureFinder::PictureFinder(const FileTree& files, const fs::path& dataset,
                             const std::vector<fs::path>& folders, const AnnotationOptions& options,
                             const fs::path& labels)
    : files_(files),
      dataset_(real_folder(dataset)),
      roots_(real_folders(options.roots)),
      inside_(real_folders({dataset}, options.roots)),
      allow_outside_(options.allow_outside),
      lost_(files, real_folders(folders, options.roots), folders.size(), labels.filename().string(),
            dataset_),
      twins_(files) {
  inside_.push_back(written_folder(dataset));
  for (const fs::path& root : options.roots) inside_.push_back(written_folder(root));
  for (std::string& folder : real_folders(folders, options.roots))
    folders_.push_back({std::move(folder), false});
  for (SearchFolder& folder : folders_) folder.allowed = may_read(folder.path);
}

bool PictureFinder::is_inside(std::string_view path) const {
  return std::ranges::any_of(inside_, [&](const auto& folder) { return lies_under(path, folder); });
}

bool PictureFinder::may_read(const fs::path& path) const {
  if (allow_outside_ || is_inside(path.native())) return true;
  // The same folder may be known by another name, through a link above the dataset.
  const std::string parent = path.parent_path().string();
  const auto known = allowed_parents_.find(parent);
  if (known != allowed_parents_.end()) return known->second;
  return allowed_parents_[parent] = is_inside(real_folder(parent));
}

Reject PictureFinder::outside(const std::string& where, const std::string& name,
                              const std::string& path) const {
  std::string outside_roots;
  for (const std::string& root : roots_) outside_roots += " and outside --root " + root;
  return {where,
          in_quotes(name) + " leads to " + printable(path, 1000) +
              ", outside the dataset's folder " + dataset_ + outside_roots,
          "give --allow-outside, or --root with a folder that holds it"};
}

std::string PictureFinder::file_fault(const std::string& path) const {
  const bool is_listed = !files_.archive() && listed_.contains(path);
  return is_listed ? std::string() : files_.file_fault(path);
}

// folder: nullptr for an absolute name.
std::string PictureFinder::place_in(const SearchFolder* folder, const std::string& name) {
  std::string path = folder ? folder->path + (folder->path == "/" ? "" : "/") + name : name;
  return folder && stays_below(name) ? path : fs::path(path).lexically_normal().string();
}

// True when the search is over.
bool PictureFinder::try_folder(const SearchFolder* folder, const std::string& name,
                               Search& search) const {
  const bool plain = folder && stays_below(name);
  std::string path = place_in(folder, name);
  if (search.first.empty()) search.first = path;
  const bool allowed = plain ? folder->allowed : may_read(path);
  const std::string fault = file_fault(path);
  if (!allowed) {
    // A place on another machine, which is nowhere here, is not a place outside.
    if (search.refused.empty() && fault != kMissing) search.refused = path;
    return false;
  }
  if (fault.empty()) return search.found = std::move(path), search.name = name, true;
  if (fault != kMissing) return search.fault = printable(path, 1000) + " " + fault, true;
  // The message names each place once, not again for every other name.
  if (&name == search.listed)
    search.tried += (search.tried.empty() ? "" : ", ") + printable(path, 1000);
  return false;
}

PictureFinder::Search PictureFinder::look_up(std::span<const std::string> names) const {
  Search search{.listed = &names.front()};
  const auto ends_in = [&](const SearchFolder* folder) {
    for (const std::string& name : names) {
      if ((folder == nullptr) == name.starts_with('/') && try_folder(folder, name, search))
        return true;
    }
    return false;
  };
  bool ended = ends_in(nullptr);
  for (std::size_t i = 0; i < folders_.size() && !ended; ++i) {
    ended = ends_in(&folders_[i]);
    search.folder = i;
  }
  return search;
}

// Several roots are as one folder: a name must lead to one file in them.
std::string PictureFinder::in_other_root(const Search& search) const {
  if (roots_.size() < 2 || search.found.empty() || search.folder + roots_.size() < folders_.size())
    return {};
  for (std::size_t i = search.folder + 1; i < folders_.size(); ++i) {
    const std::string other = place_in(&folders_[i], search.name);
    if (other != search.found && file_fault(other).empty()) return other;
  }
  return {};
}

void PictureFinder::guess_first(std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) guesses_.push_back(folders_[i].path);
}

std::string PictureFinder::in_other_guess(const Search& search) {
  const bool is_guess = search.folder < guesses_.size() && !search.name.starts_with('/');
  if (search.found.empty() || !is_guess) return {};
  return lost_.other_of(search.found, search.name, guesses_);
}

Reject PictureFinder::missing(const Search& search, std::span<const std::string> names,
                              const std::string& where) const {
  Reject reject{where, search.fault, "name a picture file"};
  if (search.fault.empty() && !search.refused.empty()) {
    reject = outside(where, names.front(), search.refused);
  } else if (search.fault.empty()) {
    reject = {where,
              "there is no picture " + in_quotes(names.front()) + ", tried " +
                  (search.tried.empty() ? printable(search.first, 1000) : search.tried) +
                  others(names.subspan(1)),
              "restore it, correct the path, or give --root with the folder that paths start from"};
    reject.is_missing = true;
  }
  reject.name = printable(names.front(), 1000);
  reject.path = printable(search.first, 4096);
  return reject;
}

Reject PictureFinder::two_pictures(std::string_view one, std::string_view other,
                                   std::span<const std::string> names,
                                   const std::string& where) const {
  return of_picture({where,
                     "names " + in_quotes(without_extension(one)) + " without an extension, and " +
                         in_quotes(one) + " and " + in_quotes(other) + " are there",
                     "write the extension"},
                    names);
}

Expected<std::string> PictureFinder::find_as_written(std::span<const std::string> names,
                                                     const std::string& where) const {
  Search search = look_up(names);
  if (!search.found.empty()) return std::move(search.found);
  return missing(search, names, where);
}

bool PictureFinder::has_exactly(const std::string& name) {
  return !look_up(std::span(&name, 1)).found.empty() || lost_.has_exactly(name);
}

Expected<std::string> PictureFinder::find(std::span<const std::string> names,
                                          const std::string& where) {
  return settle(look_up(names), names, where);
}

Expected<std::string> PictureFinder::find_stated(std::span<const std::string> names,
                                                 const std::string& where) {
  const auto stated = names.first(1);
  const Search search = look_up(stated);
  return search.found.empty() ? find(names, where) : settle(search, stated, where);
}

Expected<std::string> PictureFinder::find_renamed(std::vector<std::string> names,
                                                  const std::string& earlier,
                                                  const std::string& where) {
  const bool is_there = !look_up(names).found.empty() || lost_.has(names);
  if (!is_there) names.push_back(earlier);
  return find(names, where);
}

Expected<std::string> PictureFinder::settle(const Search& search,
                                            std::span<const std::string> names,
                                            const std::string& where) {
  for (const std::string& name : names) {
    const std::string fault = name_fault(name);
    if (fault.empty()) continue;
    Reject reject{where, fault, "write the path of a picture in UTF-8"};
    reject.name = printable(names.front(), 1000);
    return reject;
  }
  const auto refuse = [&](const std::string& what, const std::string& fix) {
    Reject reject{where, what, fix};
    reject.name = printable(names.front(), 1000);
    reject.path = printable(search.first, 4096);
    return reject;
  };
  if (const std::string other = in_other_root(search); !other.empty()) {
    return refuse(in_quotes(names.front()) + " is both " + printable(search.found, 1000) + " and " +
                      printable(other, 1000),
                  "give each split its own folder: --root val=FOLDER");
  }
  // ../images/1.jpg leads out of the folder of labels, to one of pictures near it.
  const bool is_near = !search.refused.empty() && lost_.lies_near(search.refused);
  if (!search.fault.empty() || (!search.refused.empty() && !is_near))
    return missing(search, names, where);
  const std::string& as_written = is_near ? search.refused : search.found;
  const FoundPicture picture =
      as_written.empty() ? lost_.find(names) : FoundPicture{as_written, in_other_guess(search)};
  const std::string& found = picture.path;
  if (found.empty()) return lost_.note_lost(names.front()), missing(search, names, where);
  if (!picture.other.empty()) {
    return refuse(in_quotes(names.front()) + " is both " + printable(found, 1000) + " and " +
                      printable(picture.other, 1000),
                  "give --root with the folder whose pictures the labels are of");
  }
  if (const std::string twin = twins_.other_of(found, names); !twin.empty())
    return two_pictures(name_of(found, names), name_of(twin, names), names, where);
  return found;
}

Reject PictureFinder::of_picture(Reject reject, std::span<const std::string> names) const {
  const Search search = look_up(names);
  reject.name = printable(name_of(search.found, names), 1000);
  reject.path = printable(search.found.empty() ? search.first : search.found, 4096);
  return reject;
}

}  // namespace letterpress::annotations
