#pragma once
#include <cstdint>
#include <vector>

namespace letterpress {

/// What comes more often than once in an epoch. The lists are of each picture, in their order.
struct Repeats {
  std::vector<float> factors{};  ///< times in an epoch, 1 or more, on average over epochs; empty: 1
  std::vector<std::uint32_t> weights{};  ///< how `share` is dealt out: in proportion; 0: nothing of
                                         ///< it; empty or all 0: there are no such places
  double share = 0;                      ///< of an epoch's places, 0 to under 1

  bool any() const { return !factors.empty() || share > 0; }
};

/// The places of an epoch and whose they are: each picture has one for every whole of its factor.
/// What the factors have beyond that, rounded in sum, and the share are dealt out anew in each
/// epoch by circular systematic sampling (Madow 1949): the pictures' weights end to end make a
/// ring, and evenly spaced points on it, which begin elsewhere in each epoch, choose. So a
/// picture's number of such places is its expected one, rounded down or up, every epoch has the
/// same number of places, and any of them is found without going through those before.
class EpochPlaces {
 public:
  /// pictures >= 1. Throws std::logic_error for lists of other lengths or numbers out of range.
  EpochPlaces(std::int64_t pictures, const Repeats& repeats);
  std::int64_t size() const noexcept { return size_; }
  struct Holder {
    std::int64_t picture;
    std::int64_t repeat;  ///< 0 for its first place; another number for each of its others
    bool operator==(const Holder&) const = default;
  };
  /// 0 <= place < size(). key: of the epoch. O(log pictures).
  Holder at(std::int64_t place, std::uint64_t key) const;

 private:
  /// Weights end to end, and how many points choose among them.
  struct Ring {
    std::vector<std::uint64_t> ends{};  ///< of each picture, ascending; the last one is the length
    std::int64_t points = 0;
    std::int64_t picture_at(std::int64_t point, std::uint64_t key, std::uint64_t turn) const;
  };
  static Ring ring_of(const std::vector<std::uint32_t>& weights);

  std::vector<std::int64_t> ends_{};  ///< of each picture's whole places; empty: one each
  Ring parts_{}, share_{};
  std::int64_t whole_ = 0, size_ = 0;
};

}  // namespace letterpress
