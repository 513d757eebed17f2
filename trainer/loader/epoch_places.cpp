#include "trainer/loader/epoch_places.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include "trainer/loader/sample_stream.h"

namespace letterpress {
namespace {

constexpr double kOne = 65536;  // a factor of 1 in the weights of what is beyond it

void check(std::int64_t pictures, const Repeats& repeats) {
  const auto n = static_cast<std::size_t>(pictures);
  const bool fits = (repeats.factors.empty() || repeats.factors.size() == n) &&
                    (repeats.weights.empty() || repeats.weights.size() == n);
  const bool in_range =
      repeats.share >= 0 && repeats.share < 1 &&
      std::all_of(repeats.factors.begin(), repeats.factors.end(),
                  [](float factor) { return factor >= 1 && std::isfinite(factor); });
  if (pictures < 1 || !fits || !in_range)
    throw std::logic_error("EpochPlaces: repeats that are not of these " +
                           std::to_string(pictures) + " pictures, or out of range");
}

template <class Ends, class T>
std::int64_t owner_of(const Ends& ends, T place) {
  return std::upper_bound(ends.begin(), ends.end(), place) - ends.begin();
}

}  // namespace

EpochPlaces::Ring EpochPlaces::ring_of(const std::vector<std::uint32_t>& weights) {
  Ring ring;
  std::uint64_t sum = 0;
  ring.ends.reserve(weights.size());
  for (const std::uint32_t weight : weights) ring.ends.push_back(sum += weight);
  if (sum == 0) ring.ends.clear();
  return ring;
}

EpochPlaces::EpochPlaces(std::int64_t pictures, const Repeats& repeats) : whole_(pictures) {
  check(pictures, repeats);
  if (!repeats.factors.empty()) {
    std::vector<std::uint32_t> beyond;
    whole_ = 0;
    for (const float factor : repeats.factors) {
      const double whole = std::floor(static_cast<double>(factor));
      ends_.push_back(whole_ += static_cast<std::int64_t>(whole));
      beyond.push_back(
          static_cast<std::uint32_t>(std::lround((static_cast<double>(factor) - whole) * kOne)));
    }
    parts_ = ring_of(beyond);
    if (!parts_.ends.empty())
      parts_.points = std::llround(static_cast<double>(parts_.ends.back()) / kOne);
  }
  size_ = whole_ + parts_.points;
  share_ = ring_of(repeats.weights);
  if (!share_.ends.empty())
    share_.points = std::llround(repeats.share / (1 - repeats.share) * static_cast<double>(size_));
  size_ += share_.points;
}

std::int64_t EpochPlaces::Ring::picture_at(std::int64_t point, std::uint64_t key,
                                           std::uint64_t turn) const {
  const std::uint64_t length = ends.back(), n = static_cast<std::uint64_t>(points),
                      i = static_cast<std::uint64_t>(point);
  // floor(i * length / n) without a product that may exceed 64 bits.
  const std::uint64_t from_first = i * (length / n) + i * (length % n) / n;
  const std::uint64_t begin = Permutation(length, key)(turn % length);
  return owner_of(ends, (begin + from_first) % length);
}

EpochPlaces::Holder EpochPlaces::at(std::int64_t place, std::uint64_t key) const {
  if (place < whole_) {
    if (ends_.empty()) return {place, 0};
    const std::int64_t picture = owner_of(ends_, place);
    const std::int64_t first = picture == 0 ? 0 : ends_[static_cast<std::size_t>(picture) - 1];
    return {picture, place - first};
  }
  const std::int64_t further = place - whole_;
  const bool is_part = further < parts_.points;
  const std::int64_t picture = is_part ? parts_.picture_at(further, key, 0)
                                       : share_.picture_at(further - parts_.points, key, 1);
  // The points of a picture are neighbours: so are these numbers.
  const std::int64_t whole_of_picture =
      ends_.empty() ? 1
                    : ends_[static_cast<std::size_t>(picture)] -
                          (picture == 0 ? 0 : ends_[static_cast<std::size_t>(picture) - 1]);
  return {picture, is_part ? whole_of_picture : whole_of_picture + 1 + further - parts_.points};
}

}  // namespace letterpress
