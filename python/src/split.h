#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "python/src/opened_snapshot.h"

namespace letterpress::python {

/// A row for Python. Thread-safe but for keep(), which the interpreter's lock guards.
class Row {
 public:
  /// Owners of `snapshot`: Python's objects, this among them.
  Row(std::shared_ptr<OpenedSnapshot> snapshot, const RowPlace& place)
      : snapshot_(std::move(snapshot)),
        place_(place),
        source_to_frame_(shard().letterbox(place.row).m) {}

  const std::shared_ptr<OpenedSnapshot>& snapshot() const noexcept { return snapshot_; }
  const ShardReader& shard() const { return snapshot_->shard(place_); }
  const RowPlace& place() const noexcept { return place_; }
  std::size_t side() const { return static_cast<std::size_t>(shard().spec().side); }
  std::size_t count() const { return static_cast<std::size_t>(shard().box_count(place_.row)); }
  /// uint8 [S, S, 3] as long as this lives: mapped, or what keep() was given; null before. Throws
  /// as OpenedSnapshot does.
  const std::uint8_t* pixels() const;
  std::vector<std::uint8_t> read_pixels() const;  ///< where they are not mapped
  void keep(std::vector<std::uint8_t> pixels);    ///< ignored when it has some
  std::int32_t label() const { return shard().label(place_.row); }
  std::int32_t view() const { return shard().view(place_.row); }
  /// None where pictures are whole.
  std::optional<std::int32_t> tile() const {
    return shard().spec().tiled ? std::optional(shard().tile(place_.row)) : std::nullopt;
  }
  std::uint64_t picture_id() const { return shard().picture_id(place_.row); }
  const std::string& picture() const { return shard().name(place_.row); }
  std::tuple<int, int> source_size() const;
  const std::array<double, 6>& source_to_frame() const noexcept { return source_to_frame_; }
  std::string place_text() const { return snapshot_->describe(place_); }

 private:
  std::shared_ptr<OpenedSnapshot> snapshot_;
  RowPlace place_;
  std::array<double, 6> source_to_frame_;
  std::vector<std::uint8_t> copy_{};
};

/// The pictures of a split for Python.
class Split {
 public:
  /// Throws Error that lists the splits there are.
  Split(std::shared_ptr<OpenedSnapshot> snapshot, std::string name);

  const std::shared_ptr<OpenedSnapshot>& snapshot() const noexcept { return snapshot_; }
  const std::string& name() const noexcept { return name_; }
  std::size_t size() const noexcept { return pictures_.size(); }
  /// As Python counts: -1 is the last. Throws std::out_of_range.
  std::int64_t views(std::int64_t picture) const;
  Row row(std::int64_t picture, std::int64_t view) const;
  Row clean_row(std::int64_t picture) const { return row(picture, 0); }

 private:
  const PictureRows& at(std::int64_t picture) const;

  std::shared_ptr<OpenedSnapshot> snapshot_;
  std::string name_;
  std::vector<PictureRows> pictures_;
};

}  // namespace letterpress::python
