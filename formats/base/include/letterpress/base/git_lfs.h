#pragma once
#include <string_view>

namespace letterpress {

/// How the pointer begins that stands for a file which Git LFS has not fetched
/// (github.com/git-lfs/git-lfs, docs/spec.md).
inline constexpr std::string_view kGitLfsStart = "version https://git-lfs.github.com/";
inline constexpr const char* kIsGitLfsPointer = "is a pointer of Git LFS, not the file itself";
inline constexpr const char* kFetchGitLfs = "fetch it by `git lfs pull`";

inline bool is_git_lfs_pointer(std::string_view head) { return head.starts_with(kGitLfsStart); }

}  // namespace letterpress
