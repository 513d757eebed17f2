#pragma once
#include <map>
#include <string>

#include "letterpress/models/onnx.h"
#include "trainer/checkpoint/checkpoint.h"
#include "trainer/checkpoint/promised.h"

namespace letterpress {

/// Whether a file with these options keeps what a checkpoint promises, which was measured at one
/// confidence, with suppression as by default, in float32.
bool keeps_promise(const Promised& promised, const OnnxOptions& options);

/// An exported file's metadata: all that a program needs to give the network the pixels that it was
/// trained on, and to make of its outputs the detections that predict writes. Values are text, or
/// JSON where they have parts:
///   model, side, classes, snapshot_digest, promise (where one was made and is kept,
///   keeps_promise()) letterbox    LetterboxRule; tiles: TileRule, where frames show tiles pixels
///   how a frame is made of a picture's file; docs/reference/pixels.md has the
///                arithmetic
///   outputs      by name: columns, order, units
///   suppression  which boxes become detections, and whether the network does it ("in_file");
///                "before_merging": the score over which boxes of a tile are merged, where frames
///                show tiles; `confidence` then decides over what is merged
/// and the keys that Ultralytics' programs look for, where the output is theirs.
std::map<std::string, std::string> describe(const CheckpointInfo& info, const OnnxOptions& options);

}  // namespace letterpress
