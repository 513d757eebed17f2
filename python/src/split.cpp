#include "python/src/split.h"

#include <stdexcept>

namespace letterpress::python {
namespace {

std::string range_text(const std::string& what, std::int64_t i, std::int64_t n) {
  return what + " " + std::to_string(i) + " of " + std::to_string(n);
}

}  // namespace

const std::uint8_t* Row::pixels() const {
  return copy_.empty() ? snapshot_->mapped_pixels(place_) : copy_.data();
}

std::vector<std::uint8_t> Row::read_pixels() const {
  std::vector<std::uint8_t> pixels(static_cast<std::size_t>(shard().image_bytes()));
  snapshot_->read_pixels(place_, pixels.data());
  return pixels;
}

void Row::keep(std::vector<std::uint8_t> pixels) {
  if (copy_.empty()) copy_ = std::move(pixels);
}

std::tuple<int, int> Row::source_size() const {
  const auto [width, height] = shard().source_size(place_.row);
  return {width, height};
}

Split::Split(std::shared_ptr<OpenedSnapshot> snapshot, std::string name)
    : snapshot_(std::move(snapshot)),
      name_(std::move(name)),
      pictures_(snapshot_->reader().pictures(name_)) {}

const PictureRows& Split::at(std::int64_t picture) const {
  const auto n = static_cast<std::int64_t>(pictures_.size());
  if (picture < -n || picture >= n)
    throw std::out_of_range(range_text("split '" + name_ + "': picture", picture, n));
  return pictures_[static_cast<std::size_t>(picture < 0 ? picture + n : picture)];
}

std::int64_t Split::views(std::int64_t picture) const {
  return static_cast<std::int64_t>(at(picture).augmented.size());
}

Row Split::row(std::int64_t picture, std::int64_t view) const {
  const PictureRows& rows = at(picture);
  if (view < 0 || view > views(picture))
    throw std::out_of_range(range_text("split '" + name_ + "': view", view, views(picture)));
  return {snapshot_, view == 0 ? rows.clean : rows.augmented[static_cast<std::size_t>(view - 1)]};
}

}  // namespace letterpress::python
