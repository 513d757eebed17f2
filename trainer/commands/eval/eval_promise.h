#pragma once
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <ostream>
#include <span>
#include <string>

#include "letterpress/commandline/flags.h"
#include "trainer/checkpoint/checkpoint.h"
#include "trainer/metrics/promise.h"

namespace letterpress {

/// --promise and --promise-probability.
struct PromiseOptions {
  std::string text{};         ///< "recall=0.98" or "recall=98%"; empty: none
  double probability = 0.95;  ///< over 0, under 1

  /// Nothing without one. Throws Error (usage) that names the flag and what it may be.
  std::optional<Promise> promise() const;
};

const FlagTable<PromiseOptions>& promise_flags();

/// A confidence that keeps it. Throws Error (data) where none does: how many objects and pictures
/// it takes, or how much these pictures let one promise.
KeptPromise kept_or_error(std::span<const PictureResult> pictures, int classes,
                          const Promise& promise);

/// Two lines for people.
void print(const Promise& promise, const KeptPromise& kept, std::ostream& out);
nlohmann::json json_of(const Promise& promise, const KeptPromise& kept);

/// Throws Error (cannot_create) before anything is measured, when the checkpoint's folder cannot be
/// written.
void check_can_keep(const std::filesystem::path& file);

/// Writes it into the checkpoint that was measured, whole or not at all: `predict` counts
/// detections from that confidence on, and an exported model says it. Throws Error (busy) when
/// `file` holds another checkpoint by now.
void keep_in(const std::filesystem::path& file, const CheckpointInfo& measured,
             const Promise& promise, const KeptPromise& kept);

}  // namespace letterpress
