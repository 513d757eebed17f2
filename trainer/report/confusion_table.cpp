#include "letterpress/page/html.h"
#include "trainer/report/sections.h"

namespace letterpress {
namespace {

constexpr std::size_t kMostClasses = 30, kLetters = 18;

}  // namespace

std::string confusion_table(const std::vector<std::string>& names,
                            const std::vector<std::int64_t>& counts) {
  const std::size_t n = names.size();
  if (n > kMostClasses)
    return "<p>" + std::to_string(n) +
           " classes are too many for a table; <code>eval --json</code> prints it.</p>\n";
  std::string html = "<table class=\"confusion\"><tr><th>labelled \\ found</th>";
  for (const std::string& name : names)
    html += "<th class=\"n\" title=\"" + escaped(name) + "\">" +
            escaped(shortened(name, kLetters)) + "</th>";
  html += "</tr>\n";
  for (std::size_t ground_truth = 0; ground_truth < n; ++ground_truth) {
    html += "<tr><th>" + escaped(names[ground_truth]) + "</th>";
    for (std::size_t found = 0; found < n; ++found) {
      const std::int64_t count = counts[ground_truth * n + found];
      const char* const style = ground_truth == found ? " diagonal" : count > 0 ? " wrong" : "";
      html += "<td class=\"n" + std::string(style) + "\"" +
              attribute("labelled", names[ground_truth]) + attribute("found", names[found]) +
              attribute("n", std::to_string(count)) + ">" + (count > 0 ? grouped(count) : "·") +
              "</td>";
    }
    html += "</tr>\n";
  }
  return html + "</table>\n";
}

}  // namespace letterpress
