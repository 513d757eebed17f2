#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "letterpress/base/stop_request.h"
#include "preprocess/pictures/picture.h"
#include "preprocess/pictures/picture_bytes.h"
#include "preprocess/recipe/recipe.h"
#include "preprocess/recipe/tile_lines.h"
#include "preprocess/recipe/whole_frame.h"
#include "trainer/predict/output_format.h"
#include "trainer/predict/session/frame_batches.h"
#include "trainer/predict/session/picture_admission.h"

namespace letterpress {

/// What the readers of a session share. They only read what is const.
struct Reading {
  const std::vector<PictureInput>& inputs;
  const StopRequest& stop;
  const Recipe& recipe;
  const OutputWriter& writer;
  int side = 0;  ///< pixels of a frame
  bool draw = false;
  bool decodes_first = false;  ///< a picture is decoded before its first frame is given away
  bool adds_whole = false;     ///< a picture of several tiles gets a frame of all of it too
  PictureLimits limits{};
  FrameBatches& batches;
  PictureAdmission& admission;
  std::atomic<std::int64_t> next{0};  ///< input that nobody has taken
};

/// Takes inputs, decodes them and renders their frames into batches. Outlives the lanes, which
/// write what they find into the picture that it has open. One thread.
class PictureReader {
 public:
  explicit PictureReader(Reading& reading) : reading_(reading) {}
  /// Until there is no input left, or the stop is asked for.
  void run();

 private:
  void take(std::int64_t input);
  std::optional<Reject> examine(const PictureInput& input);
  std::int64_t pixels_at_once() const;
  std::optional<Reject> decode_opened();
  void let_go_of_huge_buffers();
  std::optional<Reject> decode_picture();
  void lay_frames(OpenPicture& one) const;
  ViewRequest request(const OpenPicture& one, std::size_t tile) const;
  bool goes_on(OpenPicture& one) const;
  void render();
  void render_frame(OpenPicture& one, std::size_t number, const FramePlace& place);
  Affine draw_frame(const OpenPicture& one, std::size_t number, std::span<std::uint8_t> frame);

  /// A large picture of tiles, which is not drawn on, is decoded line by line while its tiles are
  /// rendered.
  bool open_bands();
  void render_bands();
  void render_in_bands(OpenPicture& one, std::size_t number, const FramePlace& place);
  void draw_in_bands(OpenPicture& one, std::size_t number, std::span<std::uint8_t> frame);

  Reading& reading_;
  std::vector<std::byte> bytes_;  // of a file that is read whole
  std::optional<PictureFile> file_;
  std::optional<PictureBytes> stored_;  // one of the two
  std::optional<TileLines> lines_;      // of a picture in bands
  WholeFrame whole_;
  std::unique_ptr<OpenPicture> open_;
  Picture decoded_, drawn_on_;
  RenderWorkspacePointer workspace_ = make_render_workspace();
  ShardRow row_;
};

}  // namespace letterpress
