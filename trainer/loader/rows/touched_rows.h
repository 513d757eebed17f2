#pragma once
#include <atomic>
#include <cstdint>
#include <vector>

#include "letterpress/shards/store.h"

namespace letterpress {

/// One bit per row of every shard: whether its checksum was verified. Thread-safe, lock-free.
class TouchedRows {
 public:
  explicit TouchedRows(const std::vector<std::int64_t>& rows_of_shards) {
    std::int64_t total = 0;
    for (const std::int64_t rows : rows_of_shards) {
      first_.push_back(total);
      total += rows;
    }
    words_ = std::vector<std::atomic<std::uint64_t>>(static_cast<std::size_t>(total / 64 + 1));
  }

  // Relaxed: the bit guards no other memory; two readers that meet here check the row twice.
  bool contains(const RowPlace& place) const {
    return (word(place).load(std::memory_order_relaxed) & bit(place)) != 0;
  }
  void insert(const RowPlace& place) {
    word(place).fetch_or(bit(place), std::memory_order_relaxed);
  }

 private:
  std::int64_t index(const RowPlace& place) const {
    return first_[static_cast<std::size_t>(place.shard)] + place.row;
  }
  std::uint64_t bit(const RowPlace& place) const { return std::uint64_t{1} << (index(place) % 64); }
  const std::atomic<std::uint64_t>& word(const RowPlace& place) const {
    return words_[static_cast<std::size_t>(index(place) / 64)];
  }
  std::atomic<std::uint64_t>& word(const RowPlace& place) {
    return words_[static_cast<std::size_t>(index(place) / 64)];
  }

  std::vector<std::int64_t> first_;
  std::vector<std::atomic<std::uint64_t>> words_;
};

}  // namespace letterpress
