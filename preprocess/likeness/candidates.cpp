#include "preprocess/likeness/candidates.h"

#include <tbb/blocked_range.h>
#include <tbb/enumerable_thread_specific.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_sort.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cstdlib>
#include <numeric>
#include <string>
#include <tuple>
#include <utility>

#include "letterpress/base/error.h"
#include "letterpress/base/split_mix.h"

namespace letterpress {
namespace {

constexpr std::size_t kTables = 4;
constexpr int kKeyBits = 20;            // of a corner's 64
constexpr std::size_t kNeighbours = 4;  // of a corner, the nearest
constexpr int kApart = 6;  // pixels: what is nearer may be the same corner, of another level
constexpr std::uint32_t kFollowing = 32;  // looks with the same key that a look is compared with
constexpr std::uint32_t kLeast = 3;       // of a candidate's weight

// A corner and one of its neighbours, as places in a look, and one of eight directions.
struct Neighbours {
  std::uint8_t corner, other, direction;
};

// Axes and diagonals lie in the middle of their sectors: what stands upright stays in its one when
// a corner is found a pixel beside.
std::uint8_t direction_of(int dx, int dy) {
  const int x = std::abs(dx), y = std::abs(dy);
  const int is_left = dx < 0, is_up = dy < 0;
  if (70 * y < 29 * x) return static_cast<std::uint8_t>(is_left);  // tan 22.5 degrees = 0.414
  if (70 * x < 29 * y) return static_cast<std::uint8_t>(2 + is_up);
  return static_cast<std::uint8_t>(4 + is_left + 2 * is_up);
}

std::vector<Neighbours> neighbours_of(const Look& look) {
  assert(look.size() <= kLookCorners);
  std::vector<Neighbours> result;
  result.reserve(look.size() * kNeighbours);
  std::array<std::uint32_t, kLookCorners> others;  // square of the distance << 8 | place
  for (std::size_t i = 0; i < look.size(); ++i) {
    std::size_t n = 0;
    for (std::size_t j = 0; j < look.size(); ++j) {
      const int dx = look[j].x - look[i].x, dy = look[j].y - look[i].y;
      const int square = dx * dx + dy * dy;
      if (square >= kApart * kApart)
        others[n++] = static_cast<std::uint32_t>(square) << 8 | static_cast<std::uint32_t>(j);
    }
    const auto nearest = others.begin() + static_cast<std::ptrdiff_t>(std::min(n, kNeighbours));
    std::partial_sort(others.begin(), nearest, others.begin() + static_cast<std::ptrdiff_t>(n));
    for (auto other = others.begin(); other != nearest; ++other) {
      const std::size_t j = *other & 255;
      result.push_back({static_cast<std::uint8_t>(i), static_cast<std::uint8_t>(j),
                        direction_of(look[j].x - look[i].x, look[j].y - look[i].y)});
    }
  }
  return result;
}

// The bits of a corner, and those of its neighbour, that a table's keys are made of.
struct Masks {
  std::uint64_t corner, other;
};

Masks masks_of(std::size_t table) {
  std::uint64_t state = table << 32;
  const auto next = [&] {
    std::uint64_t mask = 0;
    while (std::popcount(mask) < kKeyBits)
      mask |= std::uint64_t{1} << (mixed(state += kSplitMixStep) % 64);
    return mask;
  };
  const std::uint64_t corner = next();
  return {corner, next()};
}

std::uint64_t key_of(const Look& look, const Neighbours& pair, const Masks& masks) {
  const std::uint64_t corner = mixed(look[pair.corner].bits & masks.corner);
  const std::uint64_t directed = mixed(corner + pair.direction);
  return mixed(directed + (look[pair.other].bits & masks.other));
}

// What makes the tables' keys.
struct Source {
  std::span<const Look> looks;
  std::vector<std::vector<Neighbours>> neighbours{};  // of each look
  std::vector<std::size_t> begins{};                  // of a look's keys among all
};

Source source_of(std::span<const Look> looks) {
  Source source{.looks = looks};
  source.neighbours.resize(looks.size());
  tbb::parallel_for(std::size_t{0}, looks.size(),
                    [&](std::size_t i) { source.neighbours[i] = neighbours_of(looks[i]); });
  source.begins.reserve(looks.size() + 1);
  source.begins.push_back(0);
  for (const auto& pairs : source.neighbours)
    source.begins.push_back(source.begins.back() + pairs.size());
  return source;
}

// A key's upper half << 32 | its look; ascending, each once.
std::vector<std::uint64_t> sorted_keys(const Source& source, std::size_t table) {
  const Masks masks = masks_of(table);
  std::vector<std::uint64_t> keys(source.begins.back());
  tbb::parallel_for(std::size_t{0}, source.looks.size(), [&](std::size_t i) {
    std::uint64_t* key = keys.data() + source.begins[i];
    for (const Neighbours& pair : source.neighbours[i])
      *key++ = key_of(source.looks[i], pair, masks) >> 32 << 32 | i;
  });
  tbb::parallel_sort(keys.begin(), keys.end());
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
  return keys;
}

// Entries of one key follow one another, by picture.
struct Entry {
  std::int32_t picture = 0;
  std::uint16_t following = 0;  // entries of the same key, kFollowing at most
  std::uint16_t weight = 0;     // the more, the fewer have the key
};

// Of the keys that several looks have.
std::vector<Entry> entries_of(std::span<const std::uint64_t> keys) {
  const auto same = [](std::uint64_t a, std::uint64_t b) { return a >> 32 == b >> 32; };
  std::size_t shared = 0;
  for (std::size_t i = 0; i < keys.size(); ++i)
    shared += (i > 0 && same(keys[i - 1], keys[i])) ||
              (i + 1 < keys.size() && same(keys[i], keys[i + 1]));
  std::vector<Entry> entries;
  entries.reserve(shared);
  for (std::size_t first = 0, end = 0; first < keys.size(); first = end) {
    while (end < keys.size() && same(keys[first], keys[end])) ++end;
    const auto n = static_cast<std::uint32_t>(end - first);
    if (n == 1) continue;
    const auto weight = static_cast<std::uint16_t>(std::max(1U, 128 / std::bit_floor(n)));
    for (std::uint32_t i = 1; i <= n; ++i) {
      entries.push_back({static_cast<std::int32_t>(keys[first + i - 1]),
                         static_cast<std::uint16_t>(std::min(n - i, kFollowing)), weight});
    }
  }
  return entries;
}

struct Table {
  std::vector<Entry> entries;
  std::vector<std::uint32_t> places{};  // of a picture's entries: from begins[i] to begins[i + 1]
  std::vector<std::uint32_t> begins{};
};

Table table_of(std::vector<Entry> entries, std::size_t pictures) {
  Table table{.entries = std::move(entries)};
  table.begins.resize(pictures + 1);
  for (const Entry& entry : table.entries) ++table.begins[static_cast<std::size_t>(entry.picture)];
  std::exclusive_scan(table.begins.begin(), table.begins.end(), table.begins.begin(), 0U);
  table.places.resize(table.entries.size());
  std::vector<std::uint32_t> next = table.begins;
  for (std::uint32_t i = 0; i < table.entries.size(); ++i)
    table.places[next[static_cast<std::size_t>(table.entries[i].picture)]++] = i;
  return table;
}

// What a thread counts in: the weight of each picture that shares keys with the one at hand.
struct Shared {
  std::vector<std::uint32_t> weights;
  std::vector<std::int32_t> pictures{};  // whose weight is not 0

  void add(const Table& table, std::size_t picture) {
    for (std::uint32_t i = table.begins[picture]; i < table.begins[picture + 1]; ++i) {
      const Entry* entry = &table.entries[table.places[i]];
      for (const Entry* const last = entry + entry->following; entry != last;) {
        ++entry;
        std::uint32_t& weight = weights[static_cast<std::size_t>(entry->picture)];
        if (weight == 0) pictures.push_back(entry->picture);
        weight += entry->weight;
      }
    }
  }

  std::vector<std::int32_t> take_heaviest() {
    const auto weight_of = [&](std::int32_t i) { return weights[static_cast<std::size_t>(i)]; };
    std::vector<std::int32_t> found;
    for (const std::int32_t i : pictures) {
      if (weight_of(i) >= kLeast) found.push_back(i);
    }
    const std::size_t n = std::min(found.size(), kCandidates);
    const auto end = found.begin() + static_cast<std::ptrdiff_t>(n);
    std::partial_sort(found.begin(), end, found.end(), [&](std::int32_t a, std::int32_t b) {
      return std::tuple(weight_of(b), a) < std::tuple(weight_of(a), b);
    });
    for (const std::int32_t i : pictures) weights[static_cast<std::size_t>(i)] = 0;
    pictures.clear();
    return {found.begin(), end};
  }
};

}  // namespace

std::vector<std::vector<std::int32_t>> candidates_of(std::span<const Look> looks,
                                                     const StopRequest& stop) {
  constexpr std::size_t kMost = 25'000'000;  // places of their entries have 32 bits
  if (looks.size() > kMost) {
    throw Error({.where = "--group auto",
                 .what = std::to_string(looks.size()) + " pictures are more than it compares, " +
                         std::to_string(kMost),
                 .fix = "say by --group what belongs together"},
                Exit::usage);
  }
  const Source source = source_of(looks);
  std::vector<Table> tables;
  for (std::size_t i = 0; i < kTables && !stop; ++i)
    tables.push_back(table_of(entries_of(sorted_keys(source, i)), looks.size()));
  std::vector<std::vector<std::int32_t>> found(looks.size());
  tbb::enumerable_thread_specific<Shared> workspaces(
      [&] { return Shared{std::vector<std::uint32_t>(looks.size())}; });
  tbb::parallel_for(tbb::blocked_range<std::size_t>(0, looks.size(), 64), [&](const auto& range) {
    Shared& shared = workspaces.local();
    for (std::size_t i = range.begin(); i < range.end() && !stop; ++i) {
      for (const Table& table : tables) shared.add(table, i);
      found[i] = shared.take_heaviest();
    }
  });
  return found;
}

}  // namespace letterpress
