#include "trainer/commands/eval/eval_promise.h"

#include <unistd.h>

#include <array>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <nlohmann/json.hpp>

#include "letterpress/base/error.h"
#include "letterpress/commandline/flag_value.h"
#include "trainer/checkpoint/promised.h"

namespace letterpress {
namespace {

std::string percent(double value) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.4g %%", 100 * value);
  return text.data();
}

/// "2,400 objects, about 400 pictures like these".
std::string what_it_takes(const BrokenPromise& broken) {
  std::string text = std::to_string(broken.objects_needed) + " objects";
  if (broken.objects == 0) return text;
  const double pictures =
      std::ceil(static_cast<double>(broken.objects_needed) * static_cast<double>(broken.pictures) /
                static_cast<double>(broken.objects));
  return text + ", about " + std::to_string(static_cast<std::int64_t>(pictures)) +
         " pictures like these";
}

[[noreturn]] void refuse_promise(const Promise& promise, const BrokenPromise& broken) {
  const std::string here = std::to_string(broken.objects) + " objects in " +
                           std::to_string(broken.pictures) + " pictures";
  const std::string instead =
      broken.recall_at_most > 0
          ? "; or promise less: " + percent(broken.recall_at_most) + " hold here"
          : "";
  const std::string where = "--promise recall=" + percent(promise.recall);
  if (broken.objects < broken.objects_needed)
    throw Error({.where = where,
                 .what = "cannot be kept with " + here + ", it takes " + what_it_takes(broken) +
                         ", and more where some are missed",
                 .fix = "measure on a larger split" + instead},
                Exit::data);
  throw Error({.where = where,
               .what = "the model misses " + std::to_string(broken.missed) + " of " + here +
                       " at every confidence, too many to promise that",
               .fix = "train longer or on more pictures" + instead},
              Exit::data);
}

}  // namespace

std::optional<Promise> PromiseOptions::promise() const {
  if (text.empty()) return std::nullopt;
  constexpr std::string_view kStart = "recall=";
  const auto recall =
      text.starts_with(kStart) ? share_of(text.substr(kStart.size())) : std::nullopt;
  if (recall && *recall > 0 && *recall < 1) return Promise{*recall, probability};
  throw Error("--promise is '" + text +
                  "', must be recall=SHARE with a share over 0 and under 1, for instance "
                  "recall=0.98",
              Exit::usage);
}

const FlagTable<PromiseOptions>& promise_flags() {
  using F = Flag<PromiseOptions>;
  static const FlagTable<PromiseOptions> table = FlagTable<PromiseOptions>().add(
      {F("promise", &PromiseOptions::text,
         "recall=0.98: the confidence at which that share of the objects is found in samples like "
         "these pictures; kept in the checkpoint, so that `predict` goes by it")
           .says("recall=SHARE")
           .filled()
           .check([](const PromiseOptions& options) { options.promise(); }),
       F("promise-probability", &PromiseOptions::probability,
         "share of such samples in which the promise holds")
           .between(0.5, 0.999)});
  return table;
}

KeptPromise kept_or_error(std::span<const PictureResult> pictures, int classes,
                          const Promise& promise) {
  const PromiseResult result = keep_promise(pictures, classes, promise);
  if (!result.kept) refuse_promise(promise, result.broken);
  return *result.kept;
}

void print(const Promise& promise, const KeptPromise& kept, std::ostream& out) {
  std::array<char, 512> text{};
  std::snprintf(text.data(), text.size(),
                "\npromise: at least %s of the objects are found in %s of samples like this one, "
                "with confidence %.4f\n  here it misses %lld of %lld objects, up to %lld may be; "
                "%.3f false detections per picture, %.3f to %.3f over many\n",
                percent(promise.recall).c_str(), percent(promise.probability).c_str(),
                kept.confidence, static_cast<long long>(kept.missed),
                static_cast<long long>(kept.objects), static_cast<long long>(kept.allowed),
                kept.false_per_picture, kept.false_low, kept.false_high);
  out << text.data();
}

nlohmann::json json_of(const Promise& promise, const KeptPromise& kept) {
  return {{"recall", promise.recall},
          {"probability", promise.probability},
          {"confidence", kept.confidence},
          {"pictures", kept.pictures},
          {"objects", kept.objects},
          {"missed", kept.missed},
          {"allowed", kept.allowed},
          {"objects_per_draw", kept.objects_per_draw},
          {"false_per_picture", kept.false_per_picture},
          {"false_per_picture_interval", {kept.false_low, kept.false_high}}};
}

void check_can_keep(const std::filesystem::path& file) {
  const std::filesystem::path folder = std::filesystem::absolute(file).parent_path();
  if (::access(folder.c_str(), W_OK) == 0) return;
  throw Error({.where = folder.string(),
               .what = std::string("cannot be written (") + std::strerror(errno) +
                       "), so that the checkpoint cannot keep the promise",
               .fix = "copy the checkpoint to a folder of your own and measure it there"},
              Exit::cannot_create);
}

void keep_in(const std::filesystem::path& file, const CheckpointInfo& measured,
             const Promise& promise, const KeptPromise& kept) {
  Checkpoint checkpoint = read_checkpoint(file);
  if (checkpoint.info.step != measured.step || checkpoint.info.position != measured.position)
    throw Error({.where = file.string(),
                 .what = "was written anew while it was measured, the promise is not kept in it",
                 .fix = "measure it again when its training has ended"},
                Exit::busy);
  // `predict` counts what lies above its confidence, the promise what equals it too.
  const auto confidence = static_cast<float>(kept.confidence);
  set_promised(checkpoint.info, {.recall = promise.recall,
                                 .probability = promise.probability,
                                 .confidence = std::nextafter(confidence, 0.0F),
                                 .false_per_picture = kept.false_per_picture});
  write_checkpoint(file, checkpoint);
}

}  // namespace letterpress
