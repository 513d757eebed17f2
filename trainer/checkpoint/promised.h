#pragma once
#include <optional>

namespace letterpress {

struct CheckpointInfo;

/// The confidence from which on a checkpoint's detections count, and what it promises; `eval
/// --promise` writes it. Kept among the checkpoint's metrics, so that older programs read it too.
struct Promised {
  double recall = 0, probability = 0;  ///< of objects found; of samples in which that holds
  double confidence = 0;               ///< detections with at least this score count
  double false_per_picture = 0;
};
void set_promised(CheckpointInfo& info, const Promised& promised);
/// None where nothing was promised, or a value is not a share.
std::optional<Promised> promised_of(const CheckpointInfo& info);

}  // namespace letterpress
