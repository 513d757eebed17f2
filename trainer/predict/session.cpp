#include "trainer/predict/session.h"

#include <fmt/format.h>

#include "letterpress/base/clock.h"
#include "letterpress/base/error.h"
#include "letterpress/base/file.h"
#include "letterpress/page/png.h"
#include "preprocess/draw/draw.h"
#include "preprocess/recipe/recipe.h"
#include "trainer/detection/map_to_source.h"

namespace letterpress {
namespace {

Reject reject_of(const std::string& file, const Message& failure) {
  return {file, failure.what, failure.fix.empty() ? "is it a readable file?" : failure.fix};
}

}  // namespace

struct Session::State {
  // A picture of the batch, from its decoding to its drawing.
  struct Waiting {
    PictureInput input;
    PictureInfo info;
    Picture picture;  // empty when nothing is drawn
    Affine letterbox;
  };

  explicit State(const SessionOptions& wanted)
      : options(wanted),
        predictor(wanted.checkpoint, wanted.predictor),
        recipe(Recipe::clean(predictor.letterbox())),
        names(wanted.out),
        writer(wanted.format->make({wanted.out, predictor.classes(), wanted.overwrite})),
        frame_bytes(static_cast<std::size_t>(predictor.side()) *
                    static_cast<std::size_t>(predictor.side()) * 3),
        frames(frame_bytes * static_cast<std::size_t>(wanted.predictor.batch)),
        batch(static_cast<std::size_t>(wanted.predictor.batch)) {}

  std::optional<Reject> decode_into(const PictureInput& input, Waiting& slot) {
    const std::string where = input.file.string();
    try {
      read_file(where, bytes);
    } catch (const Error& error) {
      return reject_of(where, error.message());
    }
    const Expected<PictureInfo> info = probe(bytes, where, options.limits);
    if (!info) return info.reject();
    // The model gets the same pixels with and without drawings, which need full resolution.
    const double scale = needed_scale(recipe, info->width, info->height, predictor.side(), 0);
    Picture& picture = options.draw ? slot.picture : undrawn;
    if (std::optional<Reject> reject = decode(bytes, *info, scale, where, picture,
                                              options.draw ? Pixels::rgb : Pixels::planes))
      return reject;
    const std::span<std::uint8_t> frame(frames.data() + waiting * frame_bytes, frame_bytes);
    render_view({.recipe = recipe,
                 .picture = picture,
                 .source_width = info->width,
                 .source_height = info->height,
                 .side = predictor.side()},
                *workspace, row, frame);
    if (options.draw && picture.width < info->width) {
      if (std::optional<Reject> reject = decode(bytes, *info, 1, where, picture)) return reject;
    }
    slot.picture.planes = {};  // waiting pictures are drawn on in RGB
    slot.input = input;
    slot.info = *info;
    slot.letterbox = row.letterbox;
    return std::nullopt;
  }

  void predict() {
    if (waiting == 0) return;
    const Clock::time_point begin = Clock::now();
    const auto found = predictor.predict({frames.data(), waiting * frame_bytes});
    counts.model_s += seconds_since(begin);
    for (std::size_t i = 0; i < waiting; ++i) write_findings(batch[i], found[i]);
    waiting = 0;
  }

  void write_findings(Waiting& one, const std::vector<Detection>& in_frame) {
    const PictureFindings findings{
        one.input, one.info.width, one.info.height,
        map_to_source(in_frame, one.letterbox, one.info.width, one.info.height)};
    writer->add(findings);
    ++counts.predicted;
    counts.detections += static_cast<std::int64_t>(findings.detections.size());
    if (options.draw) draw(one, findings.detections);
  }

  void draw(Waiting& one, const std::vector<Detection>& found) {
    std::vector<DrawnBox> boxes;
    for (auto box = found.rbegin(); box != found.rend(); ++box) {  // the best on top
      const std::string& name = predictor.classes().at(static_cast<std::size_t>(box->class_id));
      boxes.push_back({box->x1, box->y1, box->x2, box->y2,
                       fmt::format("{} {:.2f}", name, box->score), box->class_id});
    }
    draw_boxes(one.picture.rgb, one.picture.width, one.picture.height, boxes);
    const std::vector<std::byte> png =
        encode_png(one.picture.rgb, one.picture.width, one.picture.height);
    const std::filesystem::path file = names.next(one.input.name);
    make_folders(file.parent_path());
    replace_file(file, {reinterpret_cast<const char*>(png.data()), png.size()});
  }

  SessionOptions options;
  Predictor predictor;
  Recipe recipe;
  DrawnNames names;
  std::unique_ptr<OutputWriter> writer;
  std::size_t frame_bytes;
  std::vector<std::uint8_t> frames;
  std::vector<Waiting> batch;
  std::size_t waiting = 0;
  RenderWorkspacePointer workspace = make_render_workspace();
  std::vector<std::byte> bytes;
  Picture undrawn;  // one for all: large pictures wait only if they are drawn on
  ShardRow row;
  SessionCounts counts;
};

Session::Session(const SessionOptions& options) : state_(std::make_unique<State>(options)) {}
Session::~Session() = default;
const SessionCounts& Session::counts() const { return state_->counts; }
std::optional<Promised> Session::promised() const { return state_->predictor.promised(); }

std::optional<Reject> Session::add(const PictureInput& picture) {
  if (state_->writer->is_labelled(picture)) {
    ++state_->counts.labelled;
    return std::nullopt;
  }
  if (std::optional<Reject> reject = state_->decode_into(picture, state_->batch[state_->waiting])) {
    ++state_->counts.rejected;
    return reject;
  }
  if (++state_->waiting == state_->batch.size()) state_->predict();
  return std::nullopt;
}

std::filesystem::path Session::finish() {
  state_->predict();
  return state_->writer->finish();
}

}  // namespace letterpress
