#pragma once
#include <filesystem>
#include <string>

#include "trainer/exchange/exporter.h"

namespace letterpress {

/// Refuses, before any work, an export that would write over something else: --out, and what is
/// written beside it or has another ending. Throws Error (cannot_create) naming the file.
/// checkpoint: the one that is exported.
void check_export_files(const ExporterEntry& exporter, const std::string& out,
                        const std::filesystem::path& checkpoint);

}  // namespace letterpress
