#include "trainer/fit/opening/repeated_pictures.h"

#include "trainer/loader/class_balance.h"

namespace letterpress {
namespace {

bool has_no_boxes(const SnapshotReader& reader, const PictureRows& picture) {
  const ShardReader& shard = reader.shard(picture.clean.shard);
  return shard.box_count(picture.clean.row) == 0 && shard.label(picture.clean.row) < 0;
}

std::uint32_t mean_of_measured(const std::vector<std::uint32_t>& losses) {
  std::uint64_t sum = 0, n = 0;
  for (const std::uint32_t loss : losses) {
    sum += loss;
    n += loss > 0 ? 1 : 0;
  }
  return n == 0 ? 1 : static_cast<std::uint32_t>(sum / n);
}

}  // namespace

RepeatedPictures repeated_pictures(const SnapshotReader& reader,
                                   const std::vector<PictureRows>& pictures,
                                   const FitOptions& options) {
  RepeatedPictures repeated;
  if (is_balanced(options.sample)) {
    ClassBalance balance = balance_classes(reader, pictures, options.rare_below);
    repeated.rare = to_string(balance, reader.snapshot().classes);
    repeated.factors = std::move(balance.factors);
  }
  if (options.hard_negatives == 0) return repeated;
  for (std::size_t i = 0; i < pictures.size(); ++i)
    if (has_no_boxes(reader, pictures[i])) repeated.backgrounds.push_back(i);
  return repeated;
}

Repeats repeats_of(const RepeatedPictures& repeated, std::size_t pictures,
                   const std::vector<std::uint32_t>& losses, double share) {
  Repeats repeats{.factors = repeated.factors};
  if (repeated.backgrounds.empty()) return repeats;
  const std::uint32_t unmeasured = mean_of_measured(losses);
  repeats.share = share;
  repeats.weights.resize(pictures, 0);
  for (std::size_t i = 0; i < repeated.backgrounds.size(); ++i) {
    const bool is_measured = i < losses.size() && losses[i] > 0;
    repeats.weights[repeated.backgrounds[i]] = is_measured ? losses[i] : unmeasured;
  }
  return repeats;
}

}  // namespace letterpress
