#include "preprocess/commands/stored_options.h"

#include <optional>
#include <string>

#include "letterpress/shards/store.h"
#include "preprocess/plan/plan_folder.h"

namespace letterpress {

BuildOptions stored_options(const std::filesystem::path& store) {
  if (store.empty() || !Store::is_at(store)) return {};
  const Store opened = Store::open(store);
  if (const std::optional<Snapshot> snapshot = opened.latest())
    return build_options_from_json(snapshot->configuration_json);
  const std::optional<std::string> interrupted = interrupted_configuration(opened);
  return interrupted ? build_options_from_json(*interrupted) : BuildOptions{};
}

}  // namespace letterpress
