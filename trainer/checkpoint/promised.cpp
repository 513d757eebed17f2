#include "trainer/checkpoint/promised.h"

#include "trainer/checkpoint/checkpoint.h"

namespace letterpress {
namespace {

constexpr const char *kRecall = "promise_recall", *kProbability = "promise_probability",
                     *kConfidence = "promise_confidence", *kFalse = "promise_false_per_picture";

}  // namespace

void set_promised(CheckpointInfo& info, const Promised& promised) {
  info.metrics[kRecall] = promised.recall;
  info.metrics[kProbability] = promised.probability;
  info.metrics[kConfidence] = promised.confidence;
  info.metrics[kFalse] = promised.false_per_picture;
}

std::optional<Promised> promised_of(const CheckpointInfo& info) {
  const auto share = [&](const char* name) -> std::optional<double> {
    const auto found = info.metrics.find(name);
    if (found == info.metrics.end() || !(found->second >= 0 && found->second <= 1))
      return std::nullopt;
    return found->second;
  };
  const auto recall = share(kRecall), probability = share(kProbability),
             confidence = share(kConfidence);
  if (!recall || !probability || !confidence) return std::nullopt;
  const auto wrong = info.metrics.find(kFalse);
  return Promised{*recall, *probability, *confidence,
                  wrong == info.metrics.end() ? 0 : wrong->second};
}

}  // namespace letterpress
