#pragma once
#include <functional>

#include "letterpress/base/hash.h"
#include "letterpress/shards/plan.h"
#include "preprocess/pictures/picture.h"
#include "preprocess/recipe/recipe.h"

namespace letterpress {

/// A picture that is read again must be the one that was planned. hash: reads its bytes. Throws
/// InputChanged when it throws Error, or when the bytes are others than the plan's.
void require_planned(const LedgerEntry& entry, const std::function<Hash128()>& hash);

[[noreturn]] void throw_picture_changed(const LedgerEntry& entry);

/// Of any size: the plan let it pass.
Expected<PictureInfo> probe_planned(const PictureBytes& bytes, const LedgerEntry& entry,
                                    const Recipe& recipe);

}  // namespace letterpress
