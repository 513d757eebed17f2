#include "trainer/predict/session/picture_reader.h"

#include <algorithm>
#include <utility>

#include "letterpress/base/error.h"
#include "letterpress/base/file.h"
#include "preprocess/pictures/kept_memory.h"

namespace letterpress {
namespace {

std::int64_t pixels_of(const PictureInfo& info) { return std::int64_t{info.width} * info.height; }

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
  const PictureAdmission::Hold hold(reading_.admission, number, usable ? pixels_at_once() : 0);
  if (usable && !lines_) reject = decode_opened();
  reading_.batches.await_turn(number);
  if (usable && !reject) {
    lines_ ? render_bands() : render();
  } else {
    reading_.batches.add_without_frames({.reject = std::move(reject)});
    reading_.batches.pass_turn();
  }
  let_go_of_huge_buffers();
}

// Of a picture in bands those of about two lines of tiles.
std::int64_t PictureReader::pixels_at_once() const {
  const std::int64_t all = pixels_of(open_->info);
  const std::int64_t band = std::int64_t{2} * reading_.side * open_->info.width;
  return lines_ ? std::min(all, std::max(band, kPixelsDecodedWhole)) : all;
}

std::optional<Reject> PictureReader::decode_opened() {
  try {
    return decode_picture();
  } catch (const UnreadablePicture& error) {
    return reject_of(open_->input.file.string(), error.message());
  }
}

// The admission has let the next pictures in as if they were free.
void PictureReader::let_go_of_huge_buffers() {
  free_if_huge(decoded_);
  free_if_huge(drawn_on_);
  free_if_huge(bytes_);
  lines_.reset();
  stored_.reset();
  file_.reset();
}

std::optional<Reject> PictureReader::examine(const PictureInput& input) {
  const std::string where = input.file.string();
  try {
    File opened = File::open_to_read(where);
    const auto size = static_cast<std::size_t>(opened.regular_size());
    const bool passes = size > kFileReadWhole && reading_.recipe.tiles();
    file_.emplace(std::move(opened));
    if (!passes) file_->read(bytes_);
    stored_.emplace(passes ? PictureBytes(*file_) : PictureBytes(bytes_));
    const Expected<PictureInfo> info = probe(*stored_, where, reading_.limits);
    if (!info) return info.reject();
    open_ = std::make_unique<OpenPicture>();
    open_->input = input;
    open_->info = *info;
    if (!open_bands()) lines_.reset();
    return std::nullopt;
  } catch (const Error& error) {
    return reject_of(where, error.message());
  }
}

std::optional<Reject> PictureReader::decode_picture() {
  const PictureInfo& info = open_->info;
  const std::string where = open_->input.file.string();
  // The model gets the same pixels with and without drawings, which need full resolution.
  const double scale = needed_scale(reading_.recipe, info.width, info.height, reading_.side, 0);
  const bool needs_rgb = reading_.draw || reading_.recipe.tiles();
  if (std::optional<Reject> reject = decode(stored_->all(), info, scale, where, decoded_,
                                            needs_rgb ? Pixels::rgb : Pixels::planes))
    return reject;
  if (reading_.draw && decoded_.width < info.width)
    return decode(stored_->all(), info, 1, where, drawn_on_);
  return std::nullopt;
}

void PictureReader::lay_frames(OpenPicture& one) const {
  one.tiles.resize(1);
  if (!reading_.recipe.tiles()) return;
  const TileGrid grid(one.info.width, one.info.height, reading_.side, *reading_.recipe.tiles(),
                      reading_.recipe.letterbox());
  one.tiles.resize(static_cast<std::size_t>(grid.n()));
  for (std::size_t i = 0; i < one.tiles.size(); ++i)
    one.tiles[i].place = grid.place(static_cast<std::int32_t>(i));
  one.has_whole = reading_.adds_whole && grid.n() > 1;
}

ViewRequest PictureReader::request(const OpenPicture& one, std::size_t tile) const {
  return {.recipe = reading_.recipe,
          .picture = decoded_,
          .source_width = one.info.width,
          .source_height = one.info.height,
          .side = reading_.side,
          .tile = static_cast<std::int32_t>(tile)};
}

bool PictureReader::goes_on(OpenPicture& one) const {
  if (reading_.stop) one.undone = true;
  return !one.undone;
}

// Who comes next renders beside the picture's last frame.
void PictureReader::render() {
  OpenPicture& one = *open_;
  lay_frames(one);
  const std::size_t last = one.frames() - 1;
  for (std::size_t i = 0; i < last && goes_on(one); ++i)
    render_frame(one, i, reading_.batches.reserve(one, i));
  if (reading_.draw) one.kept_pixels = pixels_of(one.info);
  const FramePlace place = reading_.batches.reserve_last(std::move(open_), last);
  reading_.batches.pass_turn();
  render_frame(one, last, place);
}

void PictureReader::render_frame(OpenPicture& one, std::size_t number, const FramePlace& place) {
  const Affine letterbox = draw_frame(one, number, place.batch->frame(place.place));
  if (reading_.draw && number + 1 == one.frames()) {  // what waits is drawn on in RGB
    std::swap(one.picture, decoded_.width < one.info.width ? drawn_on_ : decoded_);
    one.picture.planes = {};
  }
  reading_.batches.set_rendered(place, letterbox);
}

Affine PictureReader::draw_frame(const OpenPicture& one, std::size_t number,
                                 std::span<std::uint8_t> frame) {
  if (number < one.tiles.size()) {
    render_view(request(one, number), *workspace_, row_, frame);
    return row_.letterbox;
  }
  whole_.begin(decoded_, one.info.width, one.info.height, reading_.side,
               reading_.recipe.letterbox());
  whole_.draw(decoded_);
  std::ranges::copy(whole_.frame(), frame.begin());
  return whole_.source_to_frame();
}

// False: it is to be decoded whole.
bool PictureReader::open_bands() {
  const PictureInfo& info = open_->info;
  if (!reading_.recipe.tiles() || reading_.decodes_first || pixels_of(info) <= kPixelsDecodedWhole)
    return false;
  const double scale = needed_scale(reading_.recipe, info.width, info.height, reading_.side, 0);
  return lines_.emplace().open(*stored_, info, scale, open_->input.file.string());
}

// Its tiles need its lines in their order, so that who comes next renders after its last one.
void PictureReader::render_bands() {
  OpenPicture& one = *open_;
  lay_frames(one);
  if (one.has_whole) lines_->draw_whole(whole_, request(one, 0));
  const std::size_t last = one.frames() - 1;
  for (std::size_t i = 0; i < last && !one.damage && goes_on(one); ++i)
    render_in_bands(one, i, reading_.batches.reserve(one, i));
  render_in_bands(one, last, reading_.batches.reserve_last(std::move(open_), last));
  reading_.batches.pass_turn();
}

// Of a damaged or undone picture frames are filled, since they are in their batches already.
void PictureReader::render_in_bands(OpenPicture& one, std::size_t number, const FramePlace& place) {
  const std::span<std::uint8_t> frame = place.batch->frame(place.place);
  try {
    if (!one.undone && !one.damage) draw_in_bands(one, number, frame);
  } catch (const UnreadablePicture& error) {
    one.damage = reject_of(one.input.file.string(), error.message());
  }
  if (one.damage || one.undone) std::ranges::fill(frame, std::uint8_t{0});
  const bool is_tile = number < one.tiles.size();
  reading_.batches.set_rendered(place, is_tile ? row_.letterbox : whole_.source_to_frame());
}

void PictureReader::draw_in_bands(OpenPicture& one, std::size_t number,
                                  std::span<std::uint8_t> frame) {
  if (number == one.tiles.size()) {
    std::ranges::copy(whole_.frame(), frame.begin());
    return;
  }
  one.damage = lines_->render(request(one, number), *workspace_, row_, frame);
  if (!one.damage && number + 1 == one.tiles.size()) one.damage = lines_->finish();
}

}  // namespace letterpress
