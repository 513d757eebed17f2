#pragma once
#include <cstdint>
#include <optional>

#include "letterpress/shards/store.h"

namespace letterpress {

/// The snapshot of that generation; nothing: the latest. Throws Error: no_input when nothing was
/// published yet; else as Store does.
Snapshot published_snapshot(const Store& store, std::optional<std::int64_t> generation);

}  // namespace letterpress
