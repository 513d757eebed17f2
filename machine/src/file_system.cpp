#include "letterpress/machine/file_system.h"

#include <sys/vfs.h>

#include <algorithm>
#include <cstdint>
#include <iterator>

namespace letterpress {
namespace {

struct Known {
  std::uint32_t magic;  // statfs(2), linux/magic.h
  const char* name;
  bool local, is_memory = false;
};
constexpr Known kKnown[] = {{0xEF53, "ext4", true},
                            {0x58465342, "xfs", true},
                            {0x9123683E, "btrfs", true},
                            {0x01021994, "tmpfs", true, true},
                            {0x2FC12FC1, "zfs", true},
                            {0xF2F52010, "f2fs", true},
                            {0x794C7630, "overlay", true},
                            {0xCA451A4E, "bcachefs", true},
                            {0x858458F6, "ramfs", true, true},
                            {0x4D44, "vfat", true},
                            {0x2011BAB0, "exfat", true},
                            {0x6969, "nfs", false},
                            {0xFE534D42, "smb", false},
                            {0xFF534D42, "cifs", false},
                            {0x65735546, "fuse", false},
                            {0x01021997, "9p", false},
                            {0x0BD00BD0, "lustre", false},
                            {0x00C36400, "ceph", false},
                            {0x47504653, "gpfs", false},
                            {0x19830326, "beegfs", false}};

}  // namespace

FileSystem file_system_of(const std::filesystem::path& path) {
  struct statfs status {};
  const bool examined = ::statfs(path.c_str(), &status) == 0;
  const auto magic = static_cast<std::uint32_t>(status.f_type);
  const auto* const found = std::find_if(std::begin(kKnown), std::end(kKnown),
                                         [&](const auto& one) { return one.magic == magic; });
  if (!examined || found == std::end(kKnown)) return {.name = "an unknown file system"};
  return {found->name, found->local, found->is_memory};
}

}  // namespace letterpress
