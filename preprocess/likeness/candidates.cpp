#include "preprocess/likeness/candidates.h"

#include <tbb/blocked_range.h>
#include <tbb/enumerable_thread_specific.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_sort.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdlib>
#include <tuple>

#include "preprocess/likeness/split_mix.h"

namespace letterpress {
namespace {

constexpr std::size_t kTables = 4;
constexpr int kKeyBits = 20;            // of a corner's 64
constexpr std::size_t kNeighbours = 4;  // of a corner, the nearest
constexpr int kApart = 6;  // pixels: what is nearer may be the same corner, of another level
constexpr std::uint32_t kFollowing = 32;  // looks with the same key that a look is compared with
constexpr std::uint32_t kLeast = 3;       // of a candidate's weight

// A corner and one of its neighbours: places in a look, and one of 16 directions.
struct Neighbours {
  std::uint8_t corner, other, direction;
};

std::uint8_t direction_of(int dx, int dy) {
  const int x = std::abs(dx), y = std::abs(dy);
  const int smaller = std::min(x, y), larger = std::max(x, y);
  const int is_oblique = 29 * larger < 70 * smaller;  // tan 22.5 degrees = 0.414
  return static_cast<std::uint8_t>((dx < 0) | (dy < 0) << 1 | (y > x) << 2 | is_oblique << 3);
}

std::vector<Neighbours> neighbours_of(const Look& look) {
  std::vector<Neighbours> result;
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
  std::uint64_t state = 2 * table << 32;
  const auto next = [&] {
    std::uint64_t mask = 0;
    while (std::popcount(mask) < kKeyBits) mask |= std::uint64_t{1} << (mixed(++state) % 64);
    return mask;
  };
  const std::uint64_t corner = next();
  return {corner, next()};
}

std::uint64_t key_of(const Look& look, const Neighbours& pair, const Masks& masks) {
  const std::uint64_t corner = mixed((look[pair.corner].bits & masks.corner) + pair.direction);
  return mixed(corner + (look[pair.other].bits & masks.other));
}

// Entries of one key follow one another, by picture.
struct Entry {
  std::int32_t picture = 0;
  std::uint16_t following = 0;  // entries of the same key, kFollowing at most
  std::uint16_t weight = 0;     // the more, the fewer have the key
};

struct Table {
  std::vector<Entry> entries;
  std::vector<std::uint32_t> places;  // of a picture's entries: from begins[i] to begins[i + 1]
  std::vector<std::uint32_t> begins;
};

// Keys' upper halves and pictures, in this order. Each key is one of several entries at least.
std::vector<std::uint64_t> sorted_keys(std::span<const Look> looks,
                                       std::span<const std::vector<Neighbours>> neighbours,
                                       std::size_t table) {
  const Masks masks = masks_of(table);
  std::vector<std::size_t> begins{0};
  for (const auto& pairs : neighbours) begins.push_back(begins.back() + pairs.size());
  std::vector<std::uint64_t> keys(begins.back());
  tbb::parallel_for(std::size_t{0}, looks.size(), [&](std::size_t i) {
    std::uint64_t* key = &keys[begins[i]];
    for (const Neighbours& pair : neighbours[i])
      *key++ = key_of(looks[i], pair, masks) >> 32 << 32 | i;
  });
  tbb::parallel_sort(keys.begin(), keys.end());
  return keys;
}

Table table_of(std::span<const std::uint64_t> keys, std::size_t pictures) {
  Table table;
  for (std::size_t first = 0, end = 0; first < keys.size(); first = end) {
    while (end < keys.size() && keys[end] >> 32 == keys[first] >> 32) ++end;
    const auto n = static_cast<std::uint32_t>(end - first);
    if (n == 1) continue;
    const auto weight = static_cast<std::uint16_t>(std::max(1U, 128 / std::bit_floor(n)));
    for (std::uint32_t i = 1; i <= n; ++i) {
      table.entries.push_back({static_cast<std::int32_t>(keys[first + i - 1]),
                               static_cast<std::uint16_t>(std::min(n - i, kFollowing)), weight});
    }
  }
  table.begins.resize(pictures + 1);
  for (const Entry& entry : table.entries) ++table.begins[static_cast<std::size_t>(entry.picture)];
  auto sum = static_cast<std::uint32_t>(table.entries.size());
  table.places.resize(sum);
  for (std::size_t i = pictures + 1; i-- > 0;) sum = table.begins[i] = sum - table.begins[i];
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
        if (static_cast<std::size_t>(entry->picture) == picture) continue;
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

std::vector<std::vector<std::int32_t>> candidates_of(std::span<const Look> looks) {
  std::vector<std::vector<Neighbours>> neighbours(looks.size());
  tbb::parallel_for(std::size_t{0}, looks.size(),
                    [&](std::size_t i) { neighbours[i] = neighbours_of(looks[i]); });
  std::vector<Table> tables;
  for (std::size_t i = 0; i < kTables; ++i)
    tables.push_back(table_of(sorted_keys(looks, neighbours, i), looks.size()));
  std::vector<std::vector<std::int32_t>> found(looks.size());
  tbb::enumerable_thread_specific<Shared> workspaces(
      [&] { return Shared{std::vector<std::uint32_t>(looks.size())}; });
  tbb::parallel_for(tbb::blocked_range<std::size_t>(0, looks.size(), 64), [&](const auto& range) {
    Shared& shared = workspaces.local();
    for (std::size_t i = range.begin(); i < range.end(); ++i) {
      for (const Table& table : tables) shared.add(table, i);
      found[i] = shared.take_heaviest();
    }
  });
  return found;
}

}  // namespace letterpress
