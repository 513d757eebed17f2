#include "letterpress/page/html.h"
#include "letterpress/page/page.h"
#include "preprocess/report/sections.h"

namespace letterpress {

std::string findings_section(const ReportSource& source) {
  const ReportOptions& options = source.options;
  if (!options.findings) return "";
  std::string html;
  for (const std::string& leak : options.findings->leaks)
    html += "<p><span class=\"bad\">▲</span> " + escaped(leak) + "</p>\n";
  if (options.findings->kinds.empty())
    return section("Worth a look", html + "<p class=\"soft\">Lint finds nothing.</p>\n");
  html += "<table><tr><th>kind</th><th class=\"n\">findings</th><th>for instance</th></tr>\n";
  for (const ReportedFindings::Kind& kind : options.findings->kinds) {
    html += "<tr><td>" + escaped(kind.name) + "</td><td class=\"n\">" +
            named_number("finding." + kind.name, kind.n) + "</td><td class=\"wrap\"><b>" +
            escaped(kind.picture) + "</b> " + escaped(kind.what) + "<br><span class=\"soft\">" +
            escaped(kind.fix) + "</span></td></tr>\n";
  }
  return section("Worth a look", html +
                                     "</table>\n<p class=\"soft\"><code>letterpress-preprocess "
                                     "lint</code> names every one.</p>\n");
}

}  // namespace letterpress
