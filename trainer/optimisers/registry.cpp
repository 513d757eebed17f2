#include "trainer/optimisers/registry.h"

#include <array>

#include "letterpress/base/error.h"
#include "letterpress/base/suggest.h"

namespace letterpress {

extern const OptimiserEntry adam_optimiser, adamw_optimiser, sgd_optimiser;

static constexpr std::array entries{&adam_optimiser, &adamw_optimiser, &sgd_optimiser};

const OptimiserEntry& find_optimiser(const std::string& name) {
  for (const OptimiserEntry* entry : entries)
    if (entry->name == name) return *entry;
  std::vector<std::string> known;
  for (const OptimiserEntry* entry : entries) known.push_back(entry->name);
  throw Error(unknown_name("optimiser", name, known), Exit::usage);
}

std::vector<OptimiserInfo> optimiser_infos() {
  std::vector<OptimiserInfo> infos;
  for (const OptimiserEntry* entry : entries) infos.push_back({entry->name, entry->help});
  return infos;
}

}  // namespace letterpress
