#include "preprocess/likeness/blur.h"

#include <algorithm>
#include <vector>

#include "letterpress/base/cpu.h"

namespace letterpress {
namespace {

using Weights = std::span<const std::uint16_t>;

// 0..n-1 as they are, -1 -> 1, n -> n - 2.
int mirrored(int i, int n) {
  if (n == 1) return 0;
  while (i < 0 || i >= n) i = i < 0 ? -i : 2 * n - 2 - i;
  return i;
}

// line: uint8 [n + weights - 1]; sums: [n], below 2^16 since the weights add up to 256.
[[gnu::always_inline]] inline void fold_across(const std::uint8_t* line, int n, Weights weights,
                                               std::uint16_t* sums) {
  std::fill_n(sums, n, std::uint16_t{0});
  for (const std::uint16_t weight : weights) {
    for (int x = 0; x < n; ++x) sums[x] = static_cast<std::uint16_t>(sums[x] + weight * line[x]);
    ++line;
  }
}

[[gnu::always_inline]] inline void fold_down(std::span<const std::uint16_t* const> lines, int n,
                                             Weights weights, std::uint32_t* sums,
                                             std::uint8_t* out) {
  std::fill_n(sums, n, std::uint32_t{1} << 15);
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const std::uint32_t weight = weights[i];
    const std::uint16_t* const line = lines[i];
    for (int x = 0; x < n; ++x) sums[x] += weight * line[x];
  }
  for (int x = 0; x < n; ++x) out[x] = static_cast<std::uint8_t>(sums[x] >> 16);
}

[[gnu::always_inline]] inline void fold(const cv::Mat& grey, Weights weights, cv::Mat& out) {
  const int width = grey.cols, height = grey.rows, reach = static_cast<int>(weights.size()) / 2;
  cv::Mat across(height, width, CV_16U);
  std::vector<std::uint8_t> line(static_cast<std::size_t>(width) + weights.size());
  for (int y = 0; y < height; ++y) {
    const std::uint8_t* const row = grey.ptr(y);
    std::copy_n(row, width, line.data() + reach);
    for (int i = 1; i <= reach; ++i) {
      line[static_cast<std::size_t>(reach - i)] = row[mirrored(-i, width)];
      line[static_cast<std::size_t>(reach + width - 1 + i)] = row[mirrored(width - 1 + i, width)];
    }
    fold_across(line.data(), width, weights, across.ptr<std::uint16_t>(y));
  }
  std::vector<const std::uint16_t*> lines(weights.size());
  std::vector<std::uint32_t> sums(static_cast<std::size_t>(width));
  for (int y = 0; y < height; ++y) {
    for (int i = -reach; i <= reach; ++i)
      lines[static_cast<std::size_t>(reach + i)] =
          across.ptr<std::uint16_t>(mirrored(y + i, height));
    fold_down(lines, width, weights, sums.data(), out.ptr(y));
  }
}

using Fold = void (*)(const cv::Mat& grey, Weights weights, cv::Mat& out);

void fold_in_sse2(const cv::Mat& grey, Weights weights, cv::Mat& out) { fold(grey, weights, out); }
[[gnu::target("avx2")]] void fold_in_avx2(const cv::Mat& grey, Weights weights, cv::Mat& out) {
  fold(grey, weights, out);
}

}  // namespace

cv::Mat blurred(const cv::Mat& grey, Weights weights) {
  static const Fold fold_all = runs_avx2() ? fold_in_avx2 : fold_in_sse2;
  cv::Mat out(grey.rows, grey.cols, CV_8U);
  fold_all(grey, weights, out);
  return out;
}

}  // namespace letterpress
