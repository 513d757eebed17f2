#pragma once
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "letterpress/base/error.h"

namespace letterpress {

/// Calls visit with the name of each entry of a folder, in no order. Throws Error naming the folder
/// when it cannot be read: std::filesystem's own iterator forgets the name on the way.
void visit_names(const std::filesystem::path& folder,
                 const std::function<void(std::string_view name)>& visit);
/// The same names, sorted.
std::vector<std::string> names_in(const std::filesystem::path& folder);
std::vector<std::filesystem::path> entries_of(const std::filesystem::path& folder);  ///< as paths

/// The Error, naming the path, for one of std::filesystem's own.
Error error_of(const std::filesystem::filesystem_error& refused);

/// Calls visit with the name of each entry of a folder and what it is, as readdir has it (DT_REG;
/// DT_UNKNOWN where the file system does not say), in no order and without a further call for any
/// of them. Throws Error naming the folder when it cannot be read.
using VisitEntry = std::function<void(std::string_view name, unsigned char type)>;
void visit_entries(const std::string& folder, const VisitEntry& visit);
/// The same; none where this user sees no folder (says_absent() of look.h).
void visit_entries_if_any(const std::string& folder, const VisitEntry& visit);

/// The folder that holds a file; "." for a bare name.
std::filesystem::path folder_of(const std::filesystem::path& file);

}  // namespace letterpress
