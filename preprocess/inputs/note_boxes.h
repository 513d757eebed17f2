#pragma once
#include "letterpress/shards/snapshot.h"
#include "preprocess/options/build_listener.h"

namespace letterpress {

/// Notes that no picture has a box or a class, or that more than a fifth of the boxes were clipped:
/// signs that other label files were meant, or something else in them.
void note_boxes(const Accounting& accounting, BuildListener& listener);

}  // namespace letterpress
