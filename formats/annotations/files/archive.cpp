#include "archive.h"

#include <algorithm>
#include <array>
#include <unordered_map>
#include <utility>

#include "file_tree.h"
#include "letterpress/base/bytes_text.h"
#include "letterpress/base/error.h"
#include "letterpress/base/look.h"
#include "letterpress/base/picture_extension.h"
#include "tar_headers.h"
#include "text.h"
#include "uncompress.h"
#include "unpacked_tar.h"

namespace letterpress::annotations {
namespace fs = std::filesystem;
namespace {

constexpr const char* kPackBelow = "pack it again with paths below one folder";
constexpr std::int64_t kHead = 512;  // bytes that tell what a file is

// "./a//b" -> "a/b"; empty when the name leads outside the archive.
std::string below(const std::string& name) {
  const std::string text = fs::path(name).lexically_normal().generic_string();
  const bool outside = text.starts_with('/') || text == ".." || text.starts_with("../") ||
                       text.find('\0') != std::string::npos;
  return outside || text == "." ? std::string() : text;
}

bool by_name(const ArchiveMember& a, const ArchiveMember& b) { return a.name < b.name; }

// Members in the archive's order become a table; what cannot be read in place is a reject.
class Collector {
 public:
  Collector(std::string archive, std::vector<ArchiveMember>& members, std::vector<Reject>& rejects)
      : archive_(std::move(archive)), members_(members), rejects_(rejects) {}

  void add(const ZipEntry& entry) {
    if (entry.name.ends_with('/')) return;
    const std::string name = below(entry.name);
    if (name.empty()) return refuse_outside(entry.name);
    if (entry.symbolic_link) return refuse_link(entry.name, "zip without --symlinks");
    if (has_picture_extension(name)) {
      const Message fault = ZipArchive::fault(entry);
      if (!fault.what.empty()) return refuse(entry.name, fault.what, fault.fix);
    }
    members_.push_back({name, entry.header, entry.bytes});
  }

  void add(const TarEntry& entry) {
    if (entry.kind == TarKind::other) return;
    const std::string name = below(entry.name);
    if (name.empty()) return refuse_outside(entry.name);
    switch (entry.kind) {
      case TarKind::file:
        return members_.push_back({name, entry.offset, entry.length});
      case TarKind::hard_link:
        return link(entry, name);
      case TarKind::symbolic_link:
        return refuse_link(entry.name, "tar --dereference");
      case TarKind::sparse:
        return refuse(entry.name, "is stored sparse, so its bytes are not in one piece",
                      "pack it again without tar --sparse");
      case TarKind::other:
        return;
    }
  }

  // Throws Error where nothing is left to be read.
  void finish(std::vector<std::string>& remarks) const {
    const std::string first = "the first " + in_quotes(first_outside_);
    if (outside_ > 0 && members_.empty())
      throw Error({.where = archive_,
                   .what = "the names of " + counted(outside_, "file", "files") +
                           " in it lead outside the archive, " + first +
                           ", and no others are there",
                   .fix = kPackBelow});
    if (others_outside_ > 0)
      remarks.push_back("names of " + counted(outside_, "file", "files") +
                        " lead outside the archive, " + first + ": they are not read; " +
                        kPackBelow);
    if (links_ > 0)
      remarks.push_back(counted(links_, "symbolic link is", "symbolic links are") +
                        " not followed in the archive, the first " + in_quotes(first_link_) +
                        ": labels and folders behind them are not read; pack it again with tar "
                        "--dereference, or zip without --symlinks");
  }

 private:
  void link(const TarEntry& entry, const std::string& name) {
    // Looked up from the first link on; of two members of one name the later one counts.
    for (; placed_ < members_.size(); ++placed_) places_[members_[placed_].name] = placed_;
    const auto found = places_.find(below(entry.link));
    if (found == places_.end())
      return refuse(entry.name,
                    "is a link to " + in_quotes(entry.link) + ", which is not in the archive",
                    "pack both");
    const ArchiveMember& member = members_[found->second];
    members_.push_back({name, member.offset, member.length});
  }

  void refuse_outside(const std::string& name) {
    if (outside_++ == 0) first_outside_ = name;
    others_outside_ += !has_picture_extension(name);
    refuse(name, "leads outside the archive", kPackBelow);
  }

  void refuse_link(const std::string& name, const std::string& command) {
    if (!has_picture_extension(name) && links_++ == 0) first_link_ = name;
    refuse(name, "is a symbolic link, which an archive read in place does not follow",
           "pack it again with " + command);
  }

  void refuse(const std::string& name, const std::string& what, const std::string& fix) {
    if (!has_picture_extension(name)) return;
    rejects_.push_back({archive_ + ": member " + in_quotes(name), what, fix});
  }

  std::string archive_;
  std::vector<ArchiveMember>& members_;
  std::vector<Reject>& rejects_;
  std::unordered_map<std::string, std::size_t> places_;  // in members_, of the first placed_
  std::size_t placed_ = 0;
  std::int64_t outside_ = 0, others_outside_ = 0;  // names that lead outside; but for pictures
  std::string first_outside_;
  std::int64_t links_ = 0;  // symbolic ones that are no pictures
  std::string first_link_;
};

bool is_archive_name(const std::string& name) {
  const std::string extension = in_small_letters(fs::path(name).extension().string());
  constexpr std::array<std::string_view, 9> archives{".zip", ".tar", ".tgz", ".gz", ".bz2",
                                                     ".xz",  ".zst", ".7z",  ".rar"};
  return std::ranges::find(archives, extension) != archives.end();
}

// By a password, or to us by a compression: then it is so for all that an archive is of use for.
bool is_locked(const ZipEntry& entry) {
  constexpr std::uint16_t kStored = 0, kDeflated = 8;
  const bool unread = entry.method != kStored && entry.method != kDeflated;
  return entry.encrypted || (unread && has_picture_extension(entry.name));
}

[[noreturn]] void refuse_locked(const fs::path& path, const ZipEntry& entry) {
  Message message = ZipArchive::fault(entry);
  message.where = path.string() + ": member " + in_quotes(entry.name);
  throw Error(message);
}

}  // namespace

bool is_zip(std::string_view head) {
  // PK\7\8 begins the first of several parts, PK00 an archive of which one part was enough.
  return head.starts_with("PK\x03\x04") || head.starts_with("PK\x05\x06") ||
         head.starts_with("PK\x07\x08") || head.starts_with("PK00PK");
}

bool is_archive(std::string_view head) {
  return is_tar(head) || is_zip(head) || compression_of(head);
}

Archive::Archive(const fs::path& path, const fs::path& unpacked)
    : typed_(without_slash(path.lexically_normal().string())), real_(fs::canonical(path).string()) {
  const std::string head = FileTree().read_head(path, kHead);
  const Compression* const compression = compression_of(head);
  const fs::path file = compression ? unpacked_tar(path, *compression, unpacked) : path;
  file_ = File::open_to_read(file);
  if (compression) compressed_ = static_cast<std::int64_t>(fs::file_size(path));
  Collector collector(printable(path.string(), 1000), members_, rejects_);
  if (is_zip(head)) {
    zip_ = std::make_unique<const ZipArchive>(path);
    for (const ZipEntry& entry : zip_->entries()) {
      if (is_locked(entry)) refuse_locked(path, entry);
      collector.add(entry);
    }
  } else {
    TarHeaders headers(file);
    while (const auto entry = headers.next()) collector.add(*entry);
  }
  collector.finish(remarks_);
  keep_last_of_each();
  for (const ArchiveMember& member : members_) {
    if (is_archive_name(member.name)) nested_.push_back(member.name);
  }
}

void Archive::keep_last_of_each() {
  std::stable_sort(members_.begin(), members_.end(), by_name);
  std::vector<ArchiveMember> last;
  std::int64_t n = 0;
  std::string first;
  for (ArchiveMember& member : members_) {
    if (!last.empty() && last.back().name == member.name) {
      if (!have_equal_bytes(last.back(), member) && n++ == 0) first = member.name;
      last.pop_back();
    }
    last.push_back(std::move(member));
  }
  members_ = std::move(last);
  if (n > 0)
    remarks_.push_back(counted(n, "file is", "files are") +
                       " in the archive twice with other content, of which the last is read: the "
                       "first " +
                       in_quotes(first));
}

bool Archive::have_equal_bytes(const ArchiveMember& one, const ArchiveMember& other) const {
  if (one.length != other.length) return false;
  if (one.offset == other.offset) return true;
  if (zip_) return zip_->at(one.offset)->checksum == zip_->at(other.offset)->checksum;
  constexpr std::int64_t kAtOnce = 1 << 16;
  std::vector<std::byte> a, b;
  for (std::int64_t at = 0; at < one.length; at += kAtOnce) {
    a.resize(static_cast<std::size_t>(std::min(kAtOnce, one.length - at)));
    b.resize(a.size());
    file_.read_at(one.offset + at, a);
    file_.read_at(other.offset + at, b);
    if (a != b) return false;
  }
  return true;
}

// Before memory is taken for all of a member.
void Archive::check_expansion(const ArchiveMember& member) const {
  constexpr std::int64_t kLargest = std::int64_t{64} << 20, kDensest = 64;
  if (!zip_ && compressed_ == 0) return;
  const std::int64_t stored = zip_ ? zip_->at(member.offset)->stored : compressed_;
  if (member.length <= kLargest || member.length / kDensest <= stored) return;
  throw Error({.where = printable(real_, 1000) + ": member " + in_quotes(member.name),
               .what = "expands from " + bytes_text(static_cast<double>(stored)) + " to " +
                       bytes_text(static_cast<double>(member.length)) +
                       ", and a text is read into memory as a whole",
               .fix = "unpack the archive first, and name the folder"});
}

void Archive::read(const ArchiveMember& member, std::span<std::byte> bytes) const {
  check_expansion(member);
  if (!zip_) return file_.read_at(member.offset, bytes);
  zip_->read(*zip_->at(member.offset), bytes);
}

std::string Archive::read_head(const ArchiveMember& member, std::int64_t n) const {
  const auto length = static_cast<std::size_t>(std::min(n, member.length));
  if (zip_ || length == static_cast<std::size_t>(member.length)) check_expansion(member);
  if (zip_) return zip_->read(*zip_->at(member.offset)).substr(0, length);
  std::string head(length, '\0');
  file_.read_at(member.offset, std::as_writable_bytes(std::span(head)));
  return head;
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

std::optional<Archive> archive_on_the_way(const fs::path& path, const fs::path& unpacked) {
  for (fs::path part = path; part.has_relative_path(); part = part.parent_path()) {
    const fs::file_type type = type_at(part);
    if (type == fs::file_type::directory) return std::nullopt;
    if (type != fs::file_type::regular) continue;
    if (!is_archive(FileTree().read_head(part, kHead))) return std::nullopt;
    return std::optional<Archive>(std::in_place, part, unpacked);
  }
  return std::nullopt;
}

}  // namespace letterpress::annotations
