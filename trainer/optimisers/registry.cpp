#include "trainer/optimisers/registry.h"

#include <array>

#include "letterpress/base/registry.h"

namespace letterpress {

extern const OptimiserEntry adam_optimiser, adamw_optimiser, sgd_optimiser;

static constexpr std::array entries{&adam_optimiser, &adamw_optimiser, &sgd_optimiser};

const OptimiserEntry& find_optimiser(const std::string& name) {
  return find_entry(entries, "optimiser", name);
}

std::vector<EntryInfo> optimiser_infos() { return infos_of(entries); }

}  // namespace letterpress
