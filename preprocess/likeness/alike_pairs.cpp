#include "preprocess/likeness/alike_pairs.h"

#include <tbb/blocked_range.h>
#include <tbb/enumerable_thread_specific.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_sort.h>

#include <algorithm>
#include <array>
#include <bit>
#include <tuple>

#include "letterpress/base/cpu.h"
#include "preprocess/likeness/agreement.h"

namespace letterpress {
namespace {

constexpr int kTables = 6;
constexpr int kShared = 32;            // corners at one place of a table, about
constexpr std::size_t kCompared = 64;  // of those that follow a corner at its place
constexpr std::uint32_t kHits = 3;     // corners that two pictures share before they are compared

struct Entry {
  std::uint64_t bits = 0;
  std::uint32_t place = 0;
  std::int32_t picture = 0;

  auto order() const { return std::tie(place, picture, bits); }
};

// Bits that make up the place in a table: every table takes others, spread over all 64.
std::uint32_t place_of(std::uint64_t bits, int table, int width) {
  // Odd steps visit all 64 bits.
  constexpr std::array<unsigned, kTables> kSteps{1, 5, 11, 23, 37, 51};
  std::uint32_t place = 0;
  unsigned bit = static_cast<unsigned>(table) * 11;
  for (int i = 0; i < width; ++i, bit += kSteps[static_cast<std::size_t>(table)])
    place = place << 1 | static_cast<std::uint32_t>(bits >> (bit % 64) & 1);
  return place;
}

std::vector<Entry> table_of(std::span<const Look> looks, int table, int width,
                            std::size_t corners) {
  std::vector<Entry> entries;
  entries.reserve(corners);
  for (std::size_t i = 0; i < looks.size(); ++i) {
    for (const Corner& corner : looks[i])
      entries.push_back(
          {corner.bits, place_of(corner.bits, table, width), static_cast<std::int32_t>(i)});
  }
  tbb::parallel_sort(entries.begin(), entries.end(),
                     [](const Entry& a, const Entry& b) { return a.order() < b.order(); });
  return entries;
}

using Pairs = std::vector<std::pair<std::int32_t, std::int32_t>>;

// Of pictures that share a corner, one for each corner shared by an entry from `first` to `end`.
[[gnu::always_inline]] inline void add_range(const std::vector<Entry>& entries, std::size_t first,
                                             std::size_t end, Pairs& hits) {
  for (std::size_t i = first; i < end; ++i) {
    const std::size_t last = std::min(entries.size(), i + 1 + kCompared);
    for (std::size_t j = i + 1; j < last && entries[j].place == entries[i].place; ++j) {
      if (entries[i].picture != entries[j].picture &&
          std::popcount(entries[i].bits ^ entries[j].bits) <= kCornerBits)
        hits.emplace_back(entries[i].picture, entries[j].picture);
    }
  }
}

using AddRange = void (*)(const std::vector<Entry>& entries, std::size_t first, std::size_t end,
                          Pairs& hits);

void add_in_sse2(const std::vector<Entry>& entries, std::size_t first, std::size_t end,
                 Pairs& hits) {
  add_range(entries, first, end, hits);
}
[[gnu::target("avx2,popcnt")]] void add_in_avx2(const std::vector<Entry>& entries,
                                                std::size_t first, std::size_t end, Pairs& hits) {
  add_range(entries, first, end, hits);
}

void add_hits(const std::vector<Entry>& entries, tbb::enumerable_thread_specific<Pairs>& hits) {
  static const AddRange add = runs_avx2() ? add_in_avx2 : add_in_sse2;
  tbb::parallel_for(
      tbb::blocked_range<std::size_t>(0, entries.size(), 4096),
      [&](const auto& range) { add(entries, range.begin(), range.end(), hits.local()); });
}

// Second pictures of hits, by the first: those of picture i are from begins[i] to begins[i + 1].
struct Hits {
  std::vector<std::size_t> begins;
  std::vector<std::int32_t> others;
};

Hits by_first(std::size_t pictures, const tbb::enumerable_thread_specific<Pairs>& hits) {
  Hits sorted{std::vector<std::size_t>(pictures + 1), {}};
  std::size_t sum = 0;
  for (const Pairs& part : hits) {
    for (const auto& [a, b] : part) ++sorted.begins[static_cast<std::size_t>(a)];
    sum += part.size();
  }
  sorted.others.resize(sum);
  for (std::size_t i = pictures + 1; i-- > 0;) sum = sorted.begins[i] = sum - sorted.begins[i];
  std::vector<std::size_t> next = sorted.begins;
  for (const Pairs& part : hits) {
    for (const auto& [a, b] : part) sorted.others[next[static_cast<std::size_t>(a)]++] = b;
  }
  return sorted;
}

Pairs candidates(std::span<const Look> looks) {
  std::size_t corners = 0;
  for (const Look& look : looks) corners += look.size();
  const int width = std::clamp(
      static_cast<int>(std::bit_width(corners / static_cast<std::size_t>(kShared))), 8, 30);
  tbb::enumerable_thread_specific<Pairs> hits;
  for (int table = 0; table < kTables; ++table)
    add_hits(table_of(looks, table, width, corners), hits);
  const Hits sorted = by_first(looks.size(), hits);
  Pairs result;
  std::vector<std::uint32_t> shared(looks.size());
  for (std::size_t i = 0; i < looks.size(); ++i) {
    const std::span others(sorted.others.data() + sorted.begins[i],
                           sorted.begins[i + 1] - sorted.begins[i]);
    const std::size_t first = result.size();
    for (const std::int32_t other : others) {
      if (++shared[static_cast<std::size_t>(other)] == kHits)
        result.emplace_back(static_cast<std::int32_t>(i), other);
    }
    for (const std::int32_t other : others) shared[static_cast<std::size_t>(other)] = 0;
    std::sort(result.begin() + static_cast<std::ptrdiff_t>(first), result.end());
  }
  return result;
}

}  // namespace

std::vector<AlikePair> alike_pairs(std::span<const Look> looks) {
  const Pairs pairs = candidates(looks);
  std::vector<AlikePair> judged(pairs.size());
  tbb::parallel_for(tbb::blocked_range<std::size_t>(0, pairs.size(), 64), [&](const auto& range) {
    for (std::size_t i = range.begin(); i < range.end(); ++i) {
      const auto [a, b] = pairs[i];
      const Agreement agreement = agreeing_corners(looks[static_cast<std::size_t>(a)],
                                                   looks[static_cast<std::size_t>(b)], kAgreeing);
      judged[i] = {a, b, agreement.is_of_one_scene() ? agreement.corners : 0};
    }
  });
  std::erase_if(judged, [](const AlikePair& pair) { return pair.corners == 0; });
  return judged;
}

}  // namespace letterpress
