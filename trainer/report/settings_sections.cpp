#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

#include "letterpress/page/html.h"
#include "letterpress/page/page.h"
#include "trainer/report/sections.h"

namespace letterpress {
namespace {

std::string row(const std::string& name, const std::string& value) {
  return "<tr><th>" + escaped(name) + "</th><td class=\"wrap\"" + attribute("setting", name) +
         "><code>" + escaped(value) + "</code></td></tr>\n";
}

}  // namespace

std::string model_section(const OpenedRun& run) {
  const CheckpointInfo& info = run.checkpoint.info;
  const GraphSize size = measure(info.graph);
  const Snapshot& snapshot = run.reader.snapshot();
  std::string anchors;
  for (std::size_t i = 0; i + 1 < info.graph.anchors.size(); i += 2)
    anchors += (anchors.empty() ? "" : " ") + fixed(info.graph.anchors[i], 1) + "x" +
               fixed(info.graph.anchors[i + 1], 1);
  std::string html =
      "<table>" + row("model", info.graph.model) + row("parameters", grouped(size.parameters)) +
      row("GFLOPs", fixed(size.gflops, 3)) + row("side", std::to_string(info.graph.side)) +
      row("loss", info.graph.loss) + (anchors.empty() ? "" : row("anchors", anchors)) +
      row("classes", fmt::format("{}: {}", info.classes.size(), fmt::join(info.classes, ", "))) +
      row("checkpoint", run.file.string() + ", epoch " + std::to_string(info.epochs_done) +
                            ", step " + std::to_string(info.step));
  html += row("trained on", "snapshot " + std::to_string(info.snapshot_generation) + ", digest " +
                                info.snapshot_digest) +
          row("examined on", "snapshot " + std::to_string(snapshot.generation) + " of " +
                                 run.store.folder().string() + ", digest " +
                                 snapshot.logical_digest.hex());
  return section("Model and dataset", html + "</table>\n");
}

std::string configuration_section(const OpenedRun& run) {
  if (run.flags.is_null())
    return section("Configuration",
                   "<p>The checkpoint does not say with which flags it was trained.</p>\n");
  std::string html = "<table>";
  const auto text = [](const nlohmann::json& value) {
    return value.is_string() ? value.get<std::string>() : value.dump();
  };
  for (const auto& [flag, value] : run.flags.items()) {
    if (flag != "used") html += row("--" + flag, text(value));
  }
  if (run.flags.contains("used") && run.flags.at("used").is_object()) {
    for (const auto& [name, value] : run.flags.at("used").items())
      html += row(name + " used", text(value));
  }
  return section("Configuration", html + "</table>\n");
}

}  // namespace letterpress
