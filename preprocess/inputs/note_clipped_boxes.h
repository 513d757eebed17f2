#pragma once
#include "letterpress/shards/snapshot.h"
#include "preprocess/inputs/build_listener.h"

namespace letterpress {

/// Notes that more than a fifth of the boxes were clipped: a sign that they mean something else
/// than was read.
void note_clipped_boxes(const Accounting& accounting, BuildListener& listener);

}  // namespace letterpress
