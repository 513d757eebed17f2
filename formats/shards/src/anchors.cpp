#include "letterpress/shards/anchors.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <random>

#include "letterpress/base/error.h"

namespace letterpress {
namespace {

using Size = std::array<double, 2>;
constexpr int kStarts = 5, kMaxRounds = 300;

double iou(const Size& a, const Size& b) {
  const double inside = std::min(a[0], b[0]) * std::min(a[1], b[1]);
  return inside / (a[0] * a[1] + b[0] * b[1] - inside);
}

std::vector<Size> usable(std::span<const std::array<float, 2>> sizes) {
  std::vector<Size> result;
  for (const auto& [width, height] : sizes) {
    if (std::isfinite(width) && std::isfinite(height) && width > 0 && height > 0) result.push_back({width, height});
  }
  if (result.empty()) throw Error("anchors: none of " + std::to_string(sizes.size()) + " boxes has an area; there is nothing to cluster");
  return result;
}

// The standard library's distributions differ between libraries; its engines do not.
double uniform(std::mt19937_64& engine) { return static_cast<double>(engine() >> 11) * 0x1.0p-53; }

// k-means++: each next centre is drawn with a chance proportional to the squared distance from the nearest one so far.
std::vector<Size> first_centres(const std::vector<Size>& sizes, std::size_t k, std::mt19937_64& engine) {
  std::vector<Size> centres{sizes[engine() % sizes.size()]};
  std::vector<double> nearest(sizes.size(), 1);
  while (centres.size() < k) {
    double total = 0;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      nearest[i] = std::min(nearest[i], 1 - iou(sizes[i], centres.back()));
      total += nearest[i] * nearest[i];
    }
    if (total <= 0) break;
    double left = uniform(engine) * total;
    std::size_t chosen = sizes.size();
    for (std::size_t i = 0; i < sizes.size() && (left >= 0 || chosen == sizes.size()); ++i) {
      if (nearest[i] <= 0) continue;
      chosen = i;
      left -= nearest[i] * nearest[i];
    }
    centres.push_back(sizes[chosen]);
  }
  return centres;
}

std::size_t best_centre(const Size& size, const std::vector<Size>& centres) {
  std::size_t best = 0;
  for (std::size_t i = 1; i < centres.size(); ++i) {
    if (iou(size, centres[i]) > iou(size, centres[best])) best = i;
  }
  return best;
}

double median(std::vector<double>& values) {
  const std::size_t middle = values.size() / 2;
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(middle), values.end());
  const double upper = values[middle];
  if (values.size() % 2) return upper;
  return (upper + *std::max_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(middle))) / 2;
}

// Where a centre that owns nothing is of most use.
Size worst_served(const std::vector<Size>& sizes, const std::vector<Size>& centres) {
  const auto served = [&](const Size& size) { return iou(size, centres[best_centre(size, centres)]); };
  return *std::min_element(sizes.begin(), sizes.end(), [&](const Size& a, const Size& b) { return served(a) < served(b); });
}

std::optional<Size> median_size(const std::vector<Size>& sizes, const std::vector<std::size_t>& owner, std::size_t centre) {
  std::vector<double> widths, heights;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (owner[i] != centre) continue;
    widths.push_back(sizes[i][0]);
    heights.push_back(sizes[i][1]);
  }
  if (widths.empty()) return std::nullopt;
  return Size{median(widths), median(heights)};
}

void move_to_medians(const std::vector<Size>& sizes, std::vector<Size>& centres) {
  std::vector<std::size_t> owner(sizes.size(), centres.size());
  for (int round = 0; round < kMaxRounds; ++round) {
    bool changed = false;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      const std::size_t best = best_centre(sizes[i], centres);
      changed |= best != owner[i];
      owner[i] = best;
    }
    if (!changed) break;
    for (std::size_t c = 0; c < centres.size(); ++c) {
      const auto moved = median_size(sizes, owner, c);
      centres[c] = moved ? *moved : worst_served(sizes, centres);
    }
  }
}

double mean_iou(const std::vector<Size>& sizes, const std::vector<Size>& centres) {
  double sum = 0;
  for (const Size& size : sizes) sum += iou(size, centres[best_centre(size, centres)]);
  return sum / static_cast<double>(sizes.size());
}

}  // namespace

std::vector<Size> kmeans_anchors(std::span<const std::array<float, 2>> sizes, int k, std::uint64_t seed) {
  const std::vector<Size> all = usable(sizes);
  const auto wanted = static_cast<std::size_t>(std::max(k, 1));
  std::mt19937_64 engine(seed);
  std::vector<Size> centres;
  double best = -1;
  for (int start = 0; start < kStarts; ++start) {
    std::vector<Size> candidate = first_centres(all, wanted, engine);
    move_to_medians(all, candidate);
    const double fit = mean_iou(all, candidate);
    if (fit > best) centres = std::move(candidate);
    best = std::max(best, fit);
  }
  for (std::size_t i = 0; centres.size() < wanted; ++i) centres.push_back(centres[i]);
  std::sort(centres.begin(), centres.end(),
            [](const Size& a, const Size& b) { return std::pair(a[0] * a[1], a[0]) < std::pair(b[0] * b[1], b[0]); });
  return centres;
}

double mean_best_iou(std::span<const std::array<float, 2>> sizes, std::span<const Size> anchors) {
  const std::vector<Size> all = usable(sizes);
  const std::vector<Size> centres(anchors.begin(), anchors.end());
  if (centres.empty()) throw Error("anchors: mean_best_iou was given none; wanted at least 1");
  return mean_iou(all, centres);
}

}  // namespace letterpress
