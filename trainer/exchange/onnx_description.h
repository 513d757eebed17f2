#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "letterpress/models/onnx.h"
#include "trainer/checkpoint/checkpoint.h"
#include "trainer/checkpoint/promised.h"

namespace letterpress {

/// An exported file's metadata: all that a program needs to give the network the pixels that it was
/// trained on, and to make of its outputs the detections that predict writes. Values are text, or
/// JSON where they have parts:
///   model, side, classes, snapshot_digest, promise (where one was made)
///   letterbox    LetterboxRule; tiles: TileRule, where frames show tiles
///   pixels       how a frame is made of a picture's file; docs/reference/pixels.md has the
///                arithmetic
///   outputs      by name: columns, order, units
///   suppression  which boxes become detections, and whether the network does it ("in_file")
/// and the keys that Ultralytics' programs look for, where the output is theirs.
std::map<std::string, std::string> describe(const CheckpointInfo& info, const OnnxOptions& options);

/// What whoever predicts has to know of a network beside its arithmetic.
struct NetworkUse {
  int side = 0;  ///< pixels of a frame
  std::vector<std::string> classes{};
  LetterboxRule letterbox{};
  std::optional<TileRule> tiles{};         ///< that frames show; none: whole pictures
  double confidence = kDefaultConfidence;  ///< from which detections count
  std::optional<Promised> promised{};      ///< what that promises
};
NetworkUse use_of(const CheckpointInfo& info);
/// The same of describe()'s metadata, of a file with decoded outputs. Throws Error without the
/// file's name: naming the key, or (configuration) of another kind of outputs.
NetworkUse use_of(const std::map<std::string, std::string>& metadata);

}  // namespace letterpress
