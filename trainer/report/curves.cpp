#include "letterpress/page/line_chart.h"
#include "letterpress/page/page.h"
#include "trainer/report/sections.h"

namespace letterpress {
namespace {

/// The columns that exist, over the epochs.
std::vector<ChartLine> lines_of(const RunResults& results, const std::vector<std::string>& names) {
  const std::vector<double>& epochs = results.columns.front();
  std::vector<ChartLine> lines;
  for (const std::string& name : names) {
    const std::vector<double>* const values = results.find(name);
    if (!values) continue;
    ChartLine& line = lines.emplace_back(ChartLine{.name = name});
    for (std::size_t i = 0; i < epochs.size(); ++i)
      line.points.push_back({epochs[i], (*values)[i]});
  }
  return lines;
}

}  // namespace

std::string curves_section(const RunResults& results) {
  if (results.columns.front().empty())
    return section("Training", "<p>No epoch is finished yet.</p>\n");
  std::vector<std::string> losses = results.term_names();
  if (losses.size() > 1) losses.emplace_back("loss");
  const auto chart = [&](const std::string& title, const std::vector<std::string>& names) {
    return LineChart{
        .title = title, .x_axis = "epoch", .lines = lines_of(results, names), .whole_x = true};
  };
  losses.emplace_back("val_loss");
  LineChart loss = chart("losses per picture; val_loss is of the validation pictures", losses);
  loss.powers = true;
  std::vector<std::string> measured{"map50", "map50_95", "precision", "recall", "top1"};
  if (const std::string goal = results.goal(); !goal.empty()) measured.push_back(goal);
  LineChart metrics = chart("metrics of the validation pictures", measured);
  metrics.y_range = {0, 1};
  LineChart waiting = chart("share of time waiting for data, percent", {"data_wait_percent"});
  waiting.y_range = {0, 100};
  std::string html = "<div class=\"charts\">\n" + line_chart(loss) + line_chart(metrics) +
                     line_chart(chart("learning rate", {"lr"})) +
                     line_chart(chart("pictures per second, while training", {"images_per_s"})) +
                     line_chart(waiting);
  return section("Training", html + "</div>\n");
}

}  // namespace letterpress
