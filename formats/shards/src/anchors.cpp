#include "letterpress/shards/anchors.h"

#include <immintrin.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <utility>

#include "letterpress/base/error.h"

namespace letterpress {
namespace {

using Size = std::array<double, 2>;
constexpr int kStarts = 5;
// Of each start: that many show which is best, and most of a k-means' rounds come later.
constexpr int kTrialRounds = 10;
constexpr int kMostRounds = 300;

double iou(const Size& a, const Size& b) {
  const double inside = std::min(a[0], b[0]) * std::min(a[1], b[1]);
  return inside / (a[0] * a[1] + b[0] * b[1] - inside);
}

std::vector<Size> usable(std::span<const std::array<float, 2>> sizes) {
  std::vector<Size> result;
  for (const auto& [width, height] : sizes) {
    const float area = width * height;  // in single precision, as an Assignment's
    if (width > 0 && height > 0 && area > 0 && std::isfinite(area))
      result.push_back({width, height});
  }
  if (result.empty())
    throw Error({.where = "anchors",
                 .what = "none of " + std::to_string(sizes.size()) +
                         " boxes has an area, so there is nothing to cluster"});
  return result;
}

// The standard library's distributions differ between libraries; its engines do not.
double uniform(std::mt19937_64& engine) { return static_cast<double>(engine() >> 11) * 0x1.0p-53; }

// k-means++: each next centre is drawn with a chance proportional to the squared distance from the
// nearest one so far.
std::vector<Size> first_centres(const std::vector<Size>& sizes, std::size_t k,
                                std::mt19937_64& engine) {
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

constexpr std::size_t kLanes = 4;

// For each size the centre with the largest IoU, the first of equals; in single precision, as the
// sizes are.
class Assignment {
 public:
  explicit Assignment(const std::vector<Size>& sizes)
      : width_(padded(sizes.size()), 1),
        height_(width_),
        fit_(width_.size()),
        owner_(width_.size()),
        n_(sizes.size()) {
    for (std::size_t i = 0; i < n_; ++i) {
      width_[i] = static_cast<float>(sizes[i][0]);
      height_[i] = static_cast<float>(sizes[i][1]);
    }
  }

  void assign(const std::vector<Size>& centres) {
    centres_.clear();
    for (const Size& centre : centres) {
      const auto width = static_cast<float>(centre[0]), height = static_cast<float>(centre[1]);
      centres_.push_back({width, height, width * height});
    }
    for (std::size_t i = 0; i < width_.size(); i += kLanes) assign_at(i);
  }
  std::span<const std::int32_t> owner() const { return std::span(owner_).first(n_); }
  std::span<const float> fit() const { return std::span(fit_).first(n_); }

 private:
  struct Centre {
    float width, height, area;
  };

  static std::size_t padded(std::size_t n) { return (n + kLanes - 1) / kLanes * kLanes; }

  // In SSE2, which every x86-64 has: the compiler does not vectorise the minimum and the choice.
  void assign_at(std::size_t i) {
    const __m128 width = _mm_loadu_ps(&width_[i]), height = _mm_loadu_ps(&height_[i]),
                 area = _mm_mul_ps(width, height);
    __m128 best = _mm_set1_ps(-1);
    __m128i owner = _mm_setzero_si128();
    std::int32_t c = 0;
    for (const Centre& centre : centres_) {
      const __m128 across = _mm_min_ps(width, _mm_set1_ps(centre.width)),
                   down = _mm_min_ps(height, _mm_set1_ps(centre.height));
      const __m128 inside = _mm_mul_ps(across, down);
      const __m128 fit =
          _mm_div_ps(inside, _mm_sub_ps(_mm_add_ps(area, _mm_set1_ps(centre.area)), inside));
      const __m128i better = _mm_castps_si128(_mm_cmpgt_ps(fit, best));
      owner =
          _mm_or_si128(_mm_and_si128(better, _mm_set1_epi32(c++)), _mm_andnot_si128(better, owner));
      best = _mm_max_ps(fit, best);
    }
    _mm_storeu_ps(&fit_[i], best);
    _mm_storeu_si128(reinterpret_cast<__m128i*>(&owner_[i]), owner);
  }

  std::vector<float> width_, height_, fit_;
  std::vector<std::int32_t> owner_;
  std::vector<Centre> centres_;
  std::size_t n_;
};

// The medians of one side of the sizes that each centre owns, by one pass over that side's order.
class Medians {
 public:
  Medians(const std::vector<Size>& sizes, std::size_t side) : side_(side), order_(sizes.size()) {
    std::iota(order_.begin(), order_.end(), 0);
    std::sort(order_.begin(), order_.end(),
              [&](std::uint32_t a, std::uint32_t b) { return sizes[a][side] < sizes[b][side]; });
    for (const std::uint32_t i : order_) ascending_.push_back(sizes[i][side]);
  }

  // owned: how many sizes each centre owns.
  void move(std::span<const std::int32_t> owner, const std::vector<std::size_t>& owned,
            std::vector<Size>& centres) const {
    std::vector<std::size_t> seen(centres.size(), 0);
    std::vector<double> lower(centres.size());
    for (std::size_t i = 0; i < order_.size(); ++i) {
      const auto c = static_cast<std::size_t>(owner[order_[i]]);
      const std::size_t at = seen[c]++;
      if (at == (owned[c] - 1) / 2) lower[c] = ascending_[i];
      if (at == owned[c] / 2) centres[c][side_] = (lower[c] + ascending_[i]) / 2;
    }
  }

 private:
  const std::size_t side_;
  std::vector<std::uint32_t> order_;
  std::vector<double> ascending_;
};

double mean(std::span<const float> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

// k-means from one start after another over the same sizes.
class Clustering {
 public:
  explicit Clustering(const std::vector<Size>& sizes)
      : sizes_(sizes), assignment_(sizes), widths_(sizes, 0), heights_(sizes, 1) {}

  // Moves the centres to the medians of what they own until nothing changes, at most `rounds`
  // times. Returns the mean IoU of the sizes with their centres.
  double settle(std::vector<Size>& centres, int rounds) {
    const std::span<const std::int32_t> owner = assignment_.owner();
    std::vector<std::int32_t> before;
    assignment_.assign(centres);
    for (int round = 0; round < rounds && !std::ranges::equal(owner, before); ++round) {
      before.assign(owner.begin(), owner.end());
      move_to_medians(centres);
      assignment_.assign(centres);
    }
    return mean(assignment_.fit());
  }

 private:
  void move_to_medians(std::vector<Size>& centres) {
    std::vector<std::size_t> owned(centres.size(), 0);
    for (const std::int32_t c : assignment_.owner()) ++owned[static_cast<std::size_t>(c)];
    widths_.move(assignment_.owner(), owned, centres);
    heights_.move(assignment_.owner(), owned, centres);
    for (std::size_t c = 0; c < centres.size(); ++c) {
      if (owned[c] == 0) centres[c] = worst_served(centres);
    }
  }

  // The best place for a centre that owns nothing.
  Size worst_served(const std::vector<Size>& centres) {
    assignment_.assign(centres);
    const auto worst = std::ranges::min_element(assignment_.fit());
    return sizes_[static_cast<std::size_t>(worst - assignment_.fit().begin())];
  }

  const std::vector<Size>& sizes_;
  Assignment assignment_;
  Medians widths_, heights_;
};

}  // namespace

std::vector<Size> kmeans_anchors(std::span<const std::array<float, 2>> sizes, int k,
                                 std::uint64_t seed) {
  const std::vector<Size> all = usable(sizes);
  const auto wanted = static_cast<std::size_t>(std::max(k, 1));
  std::mt19937_64 engine(seed);
  Clustering clustering(all);
  std::vector<Size> centres;
  double best = -1;
  for (int start = 0; start < kStarts; ++start) {
    std::vector<Size> candidate = first_centres(all, wanted, engine);
    const double fit = clustering.settle(candidate, kTrialRounds);
    if (fit > best) centres = std::move(candidate);
    best = std::max(best, fit);
  }
  (void)clustering.settle(centres, kMostRounds);
  for (std::size_t i = 0; centres.size() < wanted; ++i) centres.push_back(centres[i]);
  std::sort(centres.begin(), centres.end(), [](const Size& a, const Size& b) {
    return std::pair(a[0] * a[1], a[0]) < std::pair(b[0] * b[1], b[0]);
  });
  return centres;
}

double mean_best_iou(std::span<const std::array<float, 2>> sizes, std::span<const Size> anchors) {
  const std::vector<Size> all = usable(sizes);
  const std::vector<Size> centres(anchors.begin(), anchors.end());
  if (centres.empty()) throw Error("anchors: mean_best_iou was given 0, must be at least 1");
  Assignment assignment(all);
  assignment.assign(centres);
  return mean(assignment.fit());
}

}  // namespace letterpress
