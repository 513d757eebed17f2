#include "letterpress/page/html.h"
#include "letterpress/page/page.h"
#include "trainer/report/sections.h"

namespace letterpress {

std::string class_sections(const OpenedRun& run, const Validation& validation) {
  const std::vector<std::string>& classes = run.checkpoint.info.classes;
  std::vector<std::int64_t> counts(classes.size() * classes.size(), 0);
  std::int64_t labelled = 0, right = 0;
  for (std::size_t i = 0; i < validation.pictures.size(); ++i) {
    const RowPlace& place = validation.losses[i].place;
    const std::int32_t label = run.reader.shard(place.shard).label(place.row),
                       found = validation.classes[i];
    if (label < 0) continue;
    ++labelled;
    right += label == found;
    ++counts[static_cast<std::size_t>(label) * classes.size() + static_cast<std::size_t>(found)];
  }
  const double top1 = labelled > 0 ? static_cast<double>(right) / static_cast<double>(labelled) : 0;
  const std::string text = "<p>top-1 <b" + attribute("top1", fixed(top1, 6)) + ">" +
                           fixed(top1, 4) + "</b>: " + grouped(right) + " of " + grouped(labelled) +
                           " pictures get the class that they are labelled with.</p>\n";
  return section("Validation", text + "<h3>Confusion</h3>\n" + confusion_table(classes, counts));
}

}  // namespace letterpress
