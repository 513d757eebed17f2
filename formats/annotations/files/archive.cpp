#include "archive.h"

#include <algorithm>
#include <array>
#include <utility>

#include "input.h"
#include "letterpress/base/error.h"
#include "letterpress/base/picture_extension.h"
#include "tar_headers.h"
#include "text.h"

namespace letterpress::annotations {
namespace fs = std::filesystem;
namespace {

// "./a//b" -> "a/b"; empty when the name leads outside the archive.
std::string below(const std::string& name) {
  const std::string text = fs::path(name).lexically_normal().generic_string();
  const bool outside = text.starts_with('/') || text == ".." || text.starts_with("../") ||
                       text.find('\0') != std::string::npos;
  return outside || text == "." ? std::string() : text;
}

std::string without_slash(std::string text) {
  while (text.size() > 1 && text.ends_with('/')) text.pop_back();
  return text;
}

bool by_name(const ArchiveMember& a, const ArchiveMember& b) { return a.name < b.name; }

// Members in the archive's order become a table; what cannot be read in place is a reject.
class Collector {
 public:
  Collector(std::string archive, std::vector<ArchiveMember>& members, std::vector<Reject>& rejects)
      : archive_(std::move(archive)), members_(members), rejects_(rejects) {}

  void add(const TarEntry& entry) {
    const std::string name = below(entry.name);
    if (name.empty())
      return refuse(entry, "leads outside the archive",
                    "pack it again with paths below one folder");
    switch (entry.kind) {
      case TarKind::file:
        return members_.push_back({name, entry.offset, entry.length});
      case TarKind::hard_link:
        return link(entry, name);
      case TarKind::symbolic_link:
        return refuse(entry, "is a symbolic link, which an archive read in place does not follow",
                      "pack it again with tar --dereference");
      case TarKind::sparse:
        return refuse(entry, "is stored sparse, so its bytes are not in one piece",
                      "pack it again without tar --sparse");
      case TarKind::other:
        return;
    }
  }

 private:
  void link(const TarEntry& entry, const std::string& name) {
    const std::string target = below(entry.link);
    const auto found =
        std::find_if(members_.rbegin(), members_.rend(),
                     [&](const ArchiveMember& member) { return member.name == target; });
    if (found == members_.rend())
      return refuse(entry,
                    "is a link to " + in_quotes(entry.link) + ", which is not in the archive",
                    "pack both");
    members_.push_back({name, found->offset, found->length});
  }

  void refuse(const TarEntry& entry, const std::string& what, const std::string& fix) {
    if (entry.kind == TarKind::other || !has_picture_extension(entry.name)) return;
    rejects_.push_back({archive_ + ": member " + in_quotes(entry.name), what, fix});
  }

  std::string archive_;
  std::vector<ArchiveMember>& members_;
  std::vector<Reject>& rejects_;
};

}  // namespace

Archive::Archive(const fs::path& path)
    : typed_(without_slash(path.lexically_normal().string())), real_(fs::canonical(path).string()) {
  Collector collector(printable(path.string(), 1000), members_, rejects_);
  TarHeaders headers(path);
  while (const auto entry = headers.next()) collector.add(*entry);
  std::stable_sort(members_.begin(), members_.end(), by_name);
  std::vector<ArchiveMember> last;
  for (ArchiveMember& member : members_) {
    if (!last.empty() && last.back().name == member.name) last.pop_back();
    last.push_back(std::move(member));
  }
  members_ = std::move(last);
}

const ArchiveMember* Archive::find(std::string_view name) const {
  const auto place = std::lower_bound(
      members_.begin(), members_.end(), name,
      [](const ArchiveMember& member, std::string_view text) { return member.name < text; });
  return place != members_.end() && place->name == name ? &*place : nullptr;
}

bool Archive::has_folder(std::string_view name) const {
  if (name.empty()) return true;
  const std::string prefix = std::string(name) + "/";
  const auto place = std::lower_bound(
      members_.begin(), members_.end(), prefix,
      [](const ArchiveMember& member, const std::string& text) { return member.name < text; });
  return place != members_.end() && place->name.starts_with(prefix);
}

bool Archive::locate(const std::string& path, std::string& name) const {
  const bool plain = path.find("./") == std::string::npos && path.find("//") == std::string::npos &&
                     !path.ends_with('.');
  const std::string text = without_slash(plain ? path : fs::path(path).lexically_normal().string());
  for (const std::string* archive : {&typed_, &real_}) {
    if (!text.starts_with(*archive)) continue;
    if (text.size() == archive->size()) return name.clear(), true;
    if (text[archive->size()] == '/') return name = text.substr(archive->size() + 1), true;
  }
  return false;
}

std::optional<Archive> archive_on_the_way(const fs::path& path) {
  for (fs::path part = path; part.has_relative_path(); part = part.parent_path()) {
    std::error_code ignored;
    const fs::file_status status = fs::status(part, ignored);
    if (fs::is_directory(status)) return std::nullopt;
    if (!fs::is_regular_file(status)) continue;
    return is_archive(look_at({}, part).head) ? std::optional<Archive>(part) : std::nullopt;
  }
  return std::nullopt;
}

}  // namespace letterpress::annotations
