#include "trainer/predict/session.h"

#include <fmt/format.h>

#include <deque>
#include <future>
#include <utility>

#include "letterpress/base/clock.h"
#include "letterpress/base/error.h"
#include "letterpress/base/file.h"
#include "letterpress/page/png.h"
#include "preprocess/draw/draw.h"
#include "preprocess/recipe/recipe.h"
#include "trainer/detection/map_to_source.h"
#include "trainer/detection/merge_tiles.h"

namespace letterpress {
namespace {

Reject reject_of(const std::string& file, const Message& failure) {
  return {file, failure.what, failure.fix.empty() ? "is it a readable file?" : failure.fix};
}

}  // namespace

struct Session::State {
  // A picture from its decoding to its drawing.
  struct Open {
    PictureInput input{};
    PictureInfo info{};
    Picture picture{};                    // empty when nothing is drawn
    std::vector<TileDetections> tiles{};  // of a whole picture one
    std::size_t waiting = 0;              // of these, in the batch
    bool complete = false;                // all of them are in a batch, or predicted
  };
  // A frame of a batch.
  struct Waiting {
    Open* picture = nullptr;
    std::size_t tile = 0;
    Affine letterbox{};
  };
  struct Batch {
    std::vector<std::uint8_t> frames{};
    std::vector<Waiting> of{};
    std::size_t n = 0;
  };
  struct Predicted {
    std::vector<std::vector<Detection>> found{};
    double seconds = 0;
  };

  explicit State(const SessionOptions& wanted)
      : options(wanted),
        predictor(wanted.checkpoint, wanted.predictor),
        recipe(Recipe::clean(predictor.letterbox()).with_tiles(predictor.tiles())),
        names(wanted.out),
        writer(wanted.format->make({wanted.out, predictor.classes(), wanted.overwrite})),
        frame_bytes(static_cast<std::size_t>(predictor.side()) *
                    static_cast<std::size_t>(predictor.side()) * 3) {
    const auto n = static_cast<std::size_t>(wanted.predictor.batch);
    for (Batch* batch : {&filled, &computed}) {
      batch->frames.resize(n * frame_bytes);
      batch->of.resize(n);
    }
  }

  // The frames of a picture go into the batch, which is predicted whenever it is full.
  std::optional<Reject> add(const PictureInput& input) {
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
    const bool needs_rgb = options.draw || recipe.tiles();
    if (std::optional<Reject> reject =
            decode(bytes, *info, scale, where, decoded, needs_rgb ? Pixels::rgb : Pixels::planes))
      return reject;
    if (options.draw && decoded.width < info->width) {
      if (std::optional<Reject> reject = decode(bytes, *info, 1, where, drawn_on)) return reject;
    }
    Open& one = open.emplace_back();
    one.input = input;
    one.info = *info;
    add_frames(one);
    one.complete = true;
    if (options.draw) {  // waiting pictures are drawn on in RGB
      std::swap(one.picture, decoded.width < info->width ? drawn_on : decoded);
      one.picture.planes = {};
    }
    write_complete();
    return std::nullopt;
  }

  void add_frames(Open& one) {
    const int width = one.info.width, height = one.info.height;
    std::optional<TileGrid> grid;
    if (recipe.tiles())
      grid.emplace(width, height, predictor.side(), *recipe.tiles(), recipe.letterbox());
    one.tiles.resize(grid ? static_cast<std::size_t>(grid->n()) : 1);
    for (std::size_t i = 0; i < one.tiles.size(); ++i) {
      const auto tile = static_cast<std::int32_t>(i);
      if (grid) one.tiles[i].place = grid->place(tile);
      const std::span<std::uint8_t> frame(filled.frames.data() + filled.n * frame_bytes,
                                          frame_bytes);
      render_view({.recipe = recipe,
                   .picture = decoded,
                   .source_width = width,
                   .source_height = height,
                   .side = predictor.side(),
                   .tile = tile},
                  *workspace, row, frame);
      filled.of[filled.n++] = {&one, i, row.letterbox};
      ++one.waiting;
      if (filled.n == filled.of.size()) predict();
    }
  }

  // The model computes a batch while the next one is decoded and what was found before is drawn.
  void predict() {
    collect();
    if (filled.n == 0) return;
    std::swap(filled, computed);
    prediction = std::async(std::launch::async, [this] {
      const Clock::time_point begin = Clock::now();
      auto found = predictor.predict({computed.frames.data(), computed.n * frame_bytes});
      return Predicted{std::move(found), seconds_since(begin)};
    });
  }

  // Waits for the batch that is computed, if there is one.
  void collect() {
    if (!prediction.valid()) return;
    const Predicted done = prediction.get();
    counts.model_s += done.seconds;
    for (std::size_t i = 0; i < computed.n; ++i) {
      const Waiting& frame = computed.of[i];
      Open& one = *frame.picture;
      one.tiles[frame.tile].found =
          map_to_source(done.found[i], frame.letterbox, one.info.width, one.info.height);
      --one.waiting;
    }
    computed.n = 0;
  }

  // In the order in which the pictures came.
  void write_complete() {
    for (; !open.empty() && open.front().complete && open.front().waiting == 0; open.pop_front())
      write_findings(open.front());
  }

  void write_findings(Open& one) {
    const int width = one.info.width, height = one.info.height;
    const PictureFindings findings{
        one.input, width, height,
        recipe.tiles() ? merge_tiles(one.tiles, width, height, options.predictor.detection)
                       : std::move(one.tiles.front().found)};
    writer->add(findings);
    ++counts.predicted;
    if (recipe.tiles()) counts.tiles += static_cast<std::int64_t>(one.tiles.size());
    counts.detections += static_cast<std::int64_t>(findings.detections.size());
    if (options.draw) draw(one, findings.detections);
  }

  void draw(Open& one, const std::vector<Detection>& found) {
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
  Batch filled, computed;
  std::deque<Open> open;  // at most as many as two batches have frames, and one more
  RenderWorkspacePointer workspace = make_render_workspace();
  std::vector<std::byte> bytes;
  Picture decoded, drawn_on;  // one for all: large pictures wait only if they are drawn on
  ShardRow row;
  SessionCounts counts;
  std::future<Predicted> prediction;  // of `computed`; last, so that it ends before what it uses
};

Session::Session(const SessionOptions& options) : state_(std::make_unique<State>(options)) {}
Session::~Session() = default;
const SessionCounts& Session::counts() const { return state_->counts; }
std::string Session::engine() const { return state_->predictor.engine(); }
std::optional<Promised> Session::promised() const { return state_->predictor.promised(); }

const std::vector<std::string>& Session::classes() const { return state_->predictor.classes(); }

std::optional<Reject> Session::add(const PictureInput& picture) {
  if (state_->writer->is_labelled(picture)) {
    ++state_->counts.labelled;
    return std::nullopt;
  }
  std::optional<Reject> reject = state_->add(picture);
  if (reject) ++state_->counts.rejected;
  return reject;
}

std::filesystem::path Session::finish() {
  state_->predict();
  state_->collect();
  state_->write_complete();
  return state_->writer->finish();
}

}  // namespace letterpress
