#include "preprocess/likeness/alike_pairs.h"

#include <tbb/blocked_range.h>
#include <tbb/enumerable_thread_specific.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_sort.h>

#include <algorithm>
#include <array>
#include <bit>
#include <tuple>

#include "preprocess/likeness/agreement.h"

namespace letterpress {
namespace {

constexpr int kTables = 6;
constexpr int kShared = 32;            // corners at one place of a table, about
constexpr std::size_t kCompared = 64;  // of those that follow a corner at its place
constexpr std::size_t kHits = 3;       // corners that two pictures share before they are compared

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

using Pair = std::pair<std::int32_t, std::int32_t>;
using Pairs = std::vector<Pair>;

// Of pictures that share a corner, one for each corner shared.
void add_hits(const std::vector<Entry>& entries, tbb::enumerable_thread_specific<Pairs>& hits) {
  tbb::parallel_for(
      tbb::blocked_range<std::size_t>(0, entries.size(), 4096), [&](const auto& range) {
        Pairs& mine = hits.local();
        for (std::size_t i = range.begin(); i < range.end(); ++i) {
          const std::size_t end = std::min(entries.size(), i + 1 + kCompared);
          for (std::size_t j = i + 1; j < end && entries[j].place == entries[i].place; ++j) {
            if (entries[i].picture != entries[j].picture &&
                std::popcount(entries[i].bits ^ entries[j].bits) <= kCornerBits)
              mine.emplace_back(entries[i].picture, entries[j].picture);
          }
        }
      });
}

Pairs candidates(std::span<const Look> looks) {
  std::size_t corners = 0;
  for (const Look& look : looks) corners += look.size();
  const int width = std::clamp(
      static_cast<int>(std::bit_width(corners / static_cast<std::size_t>(kShared))), 8, 30);
  tbb::enumerable_thread_specific<Pairs> hits;
  for (int table = 0; table < kTables; ++table)
    add_hits(table_of(looks, table, width, corners), hits);
  Pairs all;
  for (const Pairs& part : hits) all.insert(all.end(), part.begin(), part.end());
  tbb::parallel_sort(all.begin(), all.end());
  Pairs result;
  for (std::size_t i = 0, end = 0; i < all.size(); i = end) {
    for (end = i; end < all.size() && all[end] == all[i];) ++end;
    if (end - i >= kHits) result.push_back(all[i]);
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
      judged[i] = {
          a, b,
          agreeing_corners(looks[static_cast<std::size_t>(a)], looks[static_cast<std::size_t>(b)])};
    }
  });
  std::erase_if(judged, [](const AlikePair& pair) { return pair.corners < kAgreeing; });
  return judged;
}

}  // namespace letterpress
