#include "trainer/report/report.h"

#include <cmath>

#include "letterpress/base/error.h"
#include "letterpress/page/html.h"
#include "letterpress/page/page.h"
#include "trainer/report/sections.h"

namespace letterpress {
namespace {

/// The largest value of a column and its epoch: two columns may be best in two of them. "–" where
/// there is none.
std::string best_tile(const RunResults& results, const std::string& column,
                      const std::string& name) {
  const std::vector<double>& values = *results.find(column);
  double best = -1, epoch = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!std::isfinite(values[i]) || values[i] <= best) continue;
    best = values[i];
    epoch = results.columns.front()[i];
  }
  return best < 0 ? tile(name, "–") : tile(name + ", epoch " + fixed(epoch, 0), fixed(best, 4));
}

std::string tiles(const OpenedRun& run, const RunResults& results) {
  std::string html = "<div class=\"tiles\">\n";
  // What best.safetensors was chosen by comes first.
  if (const std::string goal = results.goal(); !goal.empty())
    html += best_tile(results, goal, "best " + escaped(goal));
  for (const auto& [column, name] :
       {std::pair{"map50", "best mAP50"}, std::pair{"map50_95", "best mAP50-95"},
        std::pair{"top1", "best top-1"}})
    if (results.find(column)) html += best_tile(results, column, name);
  const std::vector<double>&rates = *results.find("images_per_s"),
        &waits = *results.find("data_wait_percent");
  html += tile("epochs", std::to_string(results.columns.front().size()));
  if (!rates.empty())
    html += tile("pictures/s, last epoch", fixed(rates.back(), 1)) +
            tile("waited for data", fixed(waits.back(), 1) + " %");
  return html + tile("parameters", grouped(measure(run.checkpoint.info.graph).parameters)) +
         "</div>\n";
}

RunResults results_of(const std::filesystem::path& folder) {
  if (std::filesystem::is_directory(folder)) return read_results(folder / "results.csv");
  throw Error(
      {.where = "--run " + folder.string(),
       .what = "is a checkpoint",
       .fix = "the page is about a run, name its folder (with --worst a checkpoint is enough)"},
      Exit::no_input);
}

}  // namespace

std::optional<std::string> run_report(const OpenedRun& run, const std::filesystem::path& folder,
                                      const RunReportOptions& options) {
  const RunResults results = results_of(folder);
  const CheckpointInfo& info = run.checkpoint.info;
  const std::string name = std::filesystem::absolute(folder).lexically_normal().string();
  std::string html = "<h1>" + escaped(info.graph.model) + "</h1>\n<p class=\"soft\"><code>" +
                     escaped(name) + "</code> · " + std::to_string(info.graph.side) + " × " +
                     std::to_string(info.graph.side) + " pixels · " +
                     std::to_string(info.classes.size()) + " classes</p>\n" + tiles(run, results) +
                     curves_section(results);
  if (options.pictures.empty()) {
    html += section("Validation", "<p>There are no validation pictures.</p>\n");
  } else {
    const auto validation = look_at_validation(run, options);
    if (!validation) return std::nullopt;
    html += validation->results.empty() ? class_sections(run, *validation)
                                        : detection_sections(run, *validation);
    html += pictures_section(run, *validation, options.shown);
  }
  return whole_page(info.graph.model + ", " + name,
                    html + model_section(run) + configuration_section(run));
}

}  // namespace letterpress
