#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "trainer/metrics/picture_result.h"

namespace letterpress {

/// What is promised of pictures that nobody has seen yet: a share `recall` of their objects is
/// found (IoU .5, right class; an unseen one never is), and that holds in a share `probability` of
/// such samples.
struct Promise {
  double recall = 0;          ///< over 0, under 1
  double probability = 0.95;  ///< over 0, under 1
};

/// The confidence that keeps a promise, and what it costs on the pictures that it was taken from.
struct KeptPromise {
  double confidence = 0;  ///< detections with at least this score count
  std::int64_t pictures = 0, objects = 0, missed = 0;
  std::int64_t allowed = 0;      ///< most objects that may be missed here
  double objects_per_draw = 1;   ///< how many objects are missed together, 1 where independent
  double false_per_picture = 0;  ///< wrong detections
  double false_low = 0, false_high = 0;  ///< of its mean over many pictures, 95 % of such intervals
};

/// Why no confidence keeps it.
struct BrokenPromise {
  std::int64_t objects = 0, pictures = 0;
  std::int64_t objects_needed = 0;  ///< that the promise takes; more than `objects`: too few here
  std::int64_t missed = 0;          ///< at every confidence
  double recall_at_most = 0;        ///< the best promise that these pictures carry, 0: none
};

struct PromiseResult {
  std::optional<KeptPromise> kept{};
  BrokenPromise broken{};  ///< where not kept
};
/// The highest confidence at which, and at every lower one, `calibration` misses few enough
/// objects, by two bounds that hold for any number of pictures:
///  - in expectation (conformal risk control, arXiv:2208.02814, theorem 1): pictures are
///    exchangeable, and no other picture has more objects than the fullest one here;
///  - in a share `probability` of samples of as many objects: of the objects of both samples
///    together, by ascending confidence of what finds them, each is as likely to be in one as in
///    the other, so that the number of those in front of the last one missed here follows the
///    hypergeometric distribution. Objects of one picture that are missed together count as fewer
///    (their design effect, Kish, Survey Sampling, 1965).
/// Crowds are not objects. Pictures without objects count for false detections only.
PromiseResult keep_promise(std::span<const PictureResult> calibration, int classes,
                           const Promise& promise);

/// Most objects that one of two equal samples of `objects` may miss so that the other one misses
/// more than a share `1 - recall` with a probability of `1 - probability` at most; -1: none, not
/// even 0. Independent objects.
std::int64_t allowed_misses(double objects, const Promise& promise);

}  // namespace letterpress
