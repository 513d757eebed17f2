#pragma once

namespace letterpress {

/// How boxes become detections where nobody says otherwise, in the program and in exported models.
inline constexpr float kDefaultConfidence = 0.25f;  ///< lower scores are dropped, for people
/// Metrics count down to here; in tiles, what is merged, too.
inline constexpr float kCountedConfidence = 0.001f;
inline constexpr float kDefaultIou = 0.6f;  ///< suppression above this overlap
inline constexpr int kDefaultMaxDetections = 300;

}  // namespace letterpress
