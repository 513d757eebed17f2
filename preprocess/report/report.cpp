#include "preprocess/report/report.h"

#include <filesystem>

#include "letterpress/page/html.h"
#include "letterpress/page/page.h"
#include "preprocess/report/sections.h"

namespace letterpress {
namespace {

std::string tiles(const ReportSource& source) {
  const Snapshot& snapshot = source.reader.snapshot();
  const auto train = source.contents.splits.find("train");
  const std::int64_t rows = train == source.contents.splits.end()
                                ? 0
                                : train->second.pictures + train->second.augmented_rows;
  return "<div class=\"tiles\">\n" +
         tile("pictures stored", grouped(snapshot.accounting.pictures_stored)) +
         (source.contents.only_labels()
              ? std::string()
              : tile("boxes stored", grouped(snapshot.accounting.boxes_stored))) +
         tile("classes",
              named_number("classes", static_cast<std::int64_t>(snapshot.classes.size()))) +
         tile("rows to train on", named_number("rows", rows)) +
         tile("shards", named_number("shards", static_cast<std::int64_t>(snapshot.shards.size()))) +
         tile("rejected pictures", grouped(snapshot.accounting.pictures_rejected)) + "</div>\n";
}

}  // namespace

std::string report_html(const Store& store, const SnapshotReader& reader,
                        const ReportOptions& options) {
  const Contents contents = count_contents(reader);
  const Snapshot& snapshot = reader.snapshot();
  const bool whole = !snapshot.accounting.tiles, has_boxes = !contents.only_labels();
  const Shapes shapes = whole ? count_shapes(reader) : Shapes();
  const ReportSource source{store, reader, contents, shapes, options};
  const std::string name = std::filesystem::absolute(store.folder()).lexically_normal().string();
  const std::string generation = std::to_string(snapshot.generation);
  std::string html = "<h1>Snapshot " + generation + "</h1>\n<p class=\"soft\"><code>" +
                     escaped(name) + "</code> · " + std::to_string(snapshot.identity.side) + " × " +
                     std::to_string(snapshot.identity.side) + " pixels · recipe " +
                     escaped(snapshot.identity.recipe_name) + " · " +
                     std::to_string(snapshot.views) + " augmented views</p>\n" + tiles(source);
  html += accounting_section(source) + findings_section(source) + changes_section(source) +
          contents_section(source);
  if (has_boxes) html += balance_section(source) + sizes_section(source);
  if (has_boxes && whole) html += places_section(source) + augmented_section(source);
  if (whole) html += pictures_section(source);
  html += samples_section(source) + rejects_section(source) + settings_section(source);
  return whole_page(name + ", snapshot " + generation, html);
}

}  // namespace letterpress
