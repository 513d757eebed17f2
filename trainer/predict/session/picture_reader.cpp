#include "trainer/predict/session/picture_reader.h"

#include <utility>

#include "letterpress/base/error.h"
#include "letterpress/base/file.h"

namespace letterpress {
namespace {

Reject reject_of(const std::string& file, const Message& failure) {
  return {file, failure.what, failure.fix.empty() ? "is it a readable file?" : failure.fix};
}

}  // namespace

void PictureReader::run() {
  const auto n = static_cast<std::int64_t>(reading_.inputs.size());
  while (!reading_.stop) {
    const std::int64_t input = reading_.next++;
    if (input >= n) break;
    take(input);
  }
  reading_.batches.leave_reading();
}

void PictureReader::take(std::int64_t number) {
  const PictureInput& input = reading_.inputs[static_cast<std::size_t>(number)];
  const bool labelled = reading_.writer.is_labelled(input);
  std::optional<Reject> reject;
  if (!labelled) reject = examine(input);
  const bool usable = !labelled && !reject;
  const PictureAdmission::Hold hold(
      reading_.admission, number,
      usable ? std::int64_t{open_->info.width} * open_->info.height : 0);
  if (usable) reject = decode_picture();
  reading_.batches.await_turn(number);
  if (usable && !reject) {
    render();
    return;
  }
  reading_.batches.add_without_frames({.reject = std::move(reject)});
  reading_.batches.pass_turn();
}

std::optional<Reject> PictureReader::examine(const PictureInput& input) {
  const std::string where = input.file.string();
  try {
    read_file(where, bytes_);
  } catch (const Error& error) {
    return reject_of(where, error.message());
  }
  const Expected<PictureInfo> info = probe(bytes_, where, reading_.limits);
  if (!info) return info.reject();
  open_ = std::make_unique<OpenPicture>();
  open_->input = input;
  open_->info = *info;
  return std::nullopt;
}

std::optional<Reject> PictureReader::decode_picture() {
  const PictureInfo& info = open_->info;
  const std::string where = open_->input.file.string();
  // The model gets the same pixels with and without drawings, which need full resolution.
  const double scale = needed_scale(reading_.recipe, info.width, info.height, reading_.side, 0);
  const bool needs_rgb = reading_.draw || reading_.recipe.tiles();
  if (std::optional<Reject> reject =
          decode(bytes_, info, scale, where, decoded_, needs_rgb ? Pixels::rgb : Pixels::planes))
    return reject;
  if (reading_.draw && decoded_.width < info.width)
    return decode(bytes_, info, 1, where, drawn_on_);
  return std::nullopt;
}

// Who comes next renders beside the picture's last frame.
void PictureReader::render() {
  OpenPicture& one = *open_;
  const int width = one.info.width, height = one.info.height;
  std::optional<TileGrid> grid;
  if (reading_.recipe.tiles())
    grid.emplace(width, height, reading_.side, *reading_.recipe.tiles(),
                 reading_.recipe.letterbox());
  one.tiles.resize(grid ? static_cast<std::size_t>(grid->n()) : 1);
  for (std::size_t i = 0; grid && i < one.tiles.size(); ++i)
    one.tiles[i].place = grid->place(static_cast<std::int32_t>(i));
  const std::size_t last = one.tiles.size() - 1;
  for (std::size_t i = 0; i < last; ++i) render_frame(one, i, reading_.batches.reserve(one, i));
  if (reading_.draw) one.kept_pixels = std::int64_t{width} * height;
  const FramePlace place = reading_.batches.reserve_last(std::move(open_), last);
  reading_.batches.pass_turn();
  render_frame(one, last, place);
}

void PictureReader::render_frame(OpenPicture& one, std::size_t tile, const FramePlace& place) {
  render_view({.recipe = reading_.recipe,
               .picture = decoded_,
               .source_width = one.info.width,
               .source_height = one.info.height,
               .side = reading_.side,
               .tile = static_cast<std::int32_t>(tile)},
              *workspace_, row_, place.batch->frame(place.place));
  if (reading_.draw && tile + 1 == one.tiles.size()) {  // what waits is drawn on in RGB
    std::swap(one.picture, decoded_.width < one.info.width ? drawn_on_ : decoded_);
    one.picture.planes = {};
  }
  reading_.batches.set_rendered(place, row_.letterbox);
}

}  // namespace letterpress
