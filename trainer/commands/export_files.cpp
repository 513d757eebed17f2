#include "trainer/commands/export_files.h"

#include "letterpress/base/error.h"
#include "letterpress/commandline/output_file.h"

namespace letterpress {
namespace fs = std::filesystem;
namespace {

bool is_there(const fs::path& file) {
  std::error_code ignored;
  return fs::exists(file, ignored) && fs::file_size(file, ignored) > 0;
}

}  // namespace

void check_export_files(const ExporterEntry& exporter, const std::string& out,
                        const fs::path& checkpoint) {
  const auto check = [&](const std::string& file, const FileKind& kind) {
    check_is_not_input("--out", file, checkpoint.string(), "the checkpoint that is exported");
    check_output_file("--out", file, kind);
  };
  const auto with = [&](const BesideFile& file) {
    return fs::path(out).replace_extension(file.extension);
  };
  const BesideFile& first = exporter.beside.front();
  check(out, {exporter.kind, exporter.mark, exporter.mark_at});
  for (const BesideFile& file : exporter.beside) {
    if (!file.extension) return;
    check(with(file).string(), {file.kind, file.mark});
    if (!file.mark.empty() || !is_there(with(file)) || is_there(with(first))) continue;
    throw Error({.where = "--out " + with(file).string(),
                 .what = "is there, without the " + with(first).filename().string() +
                         " of an export: it may be something else",
                 .fix = "name another file, or remove it"},
                Exit::cannot_create);
  }
}

}  // namespace letterpress
