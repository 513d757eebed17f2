#include "trainer/predict/session/session.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <thread>
#include <utility>

#include "letterpress/base/clock.h"
#include "letterpress/base/cores.h"
#include "letterpress/base/error.h"
#include "letterpress/base/frames_file.h"
#include "trainer/detection/map_to_source.h"
#include "trainer/detection/merge_tiles.h"
#include "trainer/predict/session/drawing_threads.h"
#include "trainer/predict/session/picture_reader.h"

namespace letterpress {
namespace {

constexpr std::int64_t kDecodedPixels = 256'000'000;  // at once

// Of as many cores as the model may use, and no more than there is work for.
int helpers(const PredictorOptions& options, std::size_t inputs) {
  const int cores = options.threads > 0 ? options.threads : available_cores();
  return static_cast<int>(std::clamp<std::size_t>(inputs, 1, static_cast<std::size_t>(cores)));
}

}  // namespace

std::size_t frames_at_once(int batch, std::size_t pictures, bool tiled) {
  const auto wanted = static_cast<std::size_t>(batch);
  return tiled ? wanted : std::clamp<std::size_t>(pictures, 1, wanted);
}

// Joined before what they work on ends.
class SessionThreads {
 public:
  ~SessionThreads() { join(); }
  template <class Work>
  void start(Work work) {
    threads_.emplace_back(std::move(work));
  }
  void join() {
    for (std::thread& thread : threads_) thread.join();
    threads_.clear();
  }

 private:
  std::vector<std::thread> threads_;
};

struct Session::State {
  explicit State(const SessionOptions& wanted)
      : options(wanted),
        predictor(wanted.checkpoint, wanted.predictor),
        recipe(Recipe::clean(predictor.letterbox()).with_tiles(predictor.tiles())),
        names(wanted.format->drawings_folder(wanted.out)),
        writer(wanted.format->make({wanted.out, predictor.classes(), wanted.overwrite})) {
    if (options.whole_picture && !recipe.tiles())
      throw Error(
          {.where = "--whole-picture",
           .what = options.checkpoint.string() + " was trained on whole pictures, not tiles",
           .fix = "leave it out"},
          Exit::configuration);
  }

  // One run: what its threads share.
  struct Run {
    Run(State& state, const std::vector<PictureInput>& inputs, const StopRequest& stop,
        int helper_threads)
        : batches(
              {.frames = frames_at_once(state.options.predictor.batch, inputs.size(),
                                        state.recipe.tiles().has_value()),
               .frame_bytes = std::size_t{3} * static_cast<std::size_t>(state.predictor.side()) *
                              static_cast<std::size_t>(state.predictor.side()),
               // One is filled, one is full, one is written.
               .batches = static_cast<std::size_t>(state.predictor.lanes()) + 3,
               .readers = helper_threads}),
          admission(kDecodedPixels),
          reading{.inputs = inputs,
                  .stop = stop,
                  .recipe = state.recipe,
                  .writer = *state.writer,
                  .side = state.predictor.side(),
                  .draw = state.options.draw,
                  .decodes_first = state.options.draw || !state.options.frames.empty(),
                  .adds_whole = state.options.whole_picture,
                  .limits = state.options.limits,
                  .batches = batches,
                  .admission = admission},
          drawings(state.options.draw ? helper_threads : 0,
                   [this](std::exception_ptr failure) { fail(std::move(failure)); }) {
      for (int i = 0; i < helper_threads; ++i)
        readers.push_back(std::make_unique<PictureReader>(reading));
    }

    void fail(std::exception_ptr failure) {
      batches.fail(std::move(failure));
      admission.fail();
    }

    template <class Work>
    void failing(Work work) {
      try {
        work();
      } catch (const SessionFailed&) {  // the first failure is kept
      } catch (...) {
        fail(std::current_exception());
      }
    }

    FrameBatches batches;
    PictureAdmission admission;
    Reading reading;
    std::vector<std::unique_ptr<PictureReader>> readers;
    DrawingThreads drawings;
  };

  void run(const std::vector<PictureInput>& inputs, const StopRequest& stop,
           const InputListener& done) {
    const Clock::time_point begin = Clock::now();
    Run run(*this, inputs, stop, helpers(options.predictor, inputs.size()));
    SessionThreads threads;
    run.failing([&] {
      for (const auto& reader : run.readers)
        threads.start([&run, one = reader.get()] { run.failing([&] { one->run(); }); });
      for (int i = 0; i < predictor.lanes(); ++i)
        threads.start([&] { run.failing([&] { predict(run.batches, stop); }); });
      write(run, stop, done);
    });
    threads.join();
    if (const std::exception_ptr failure = run.batches.failure()) std::rethrow_exception(failure);
    counts.model_s = run.batches.computing_s();
    counts.run_s = seconds_since(begin);
  }

  // A lane. After the stop it passes on what is in the batches already.
  void predict(FrameBatches& batches, const StopRequest& stop) {
    while (FrameBatch* const batch = batches.await_full()) {
      if (stop) {
        for (const BatchFrame& frame : batch->of) frame.picture->undone = true;
        batches.set_predicted(*batch);
        continue;
      }
      const std::size_t n = batch->of.size();
      const auto found = predictor.predict(batch->frames_of(n));
      for (std::size_t i = 0; i < n; ++i) {
        const BatchFrame& frame = batch->of[i];
        const PictureInfo& info = frame.picture->info;
        frame.picture->found_in(frame.number) =
            map_to_source(found[i], frame.letterbox, info.width, info.height);
      }
      batches.set_predicted(*batch);
    }
  }

  void write(Run& run, const StopRequest& stop, const InputListener& done) {
    std::optional<FramesFile> frames;
    if (!options.frames.empty()) frames.emplace(options.frames, predictor.side());
    while (FrameBatch* const batch = run.batches.await_predicted()) {
      if (frames) frames->add(batch->frames_of(batch->of.size()));
      for (Outcome& outcome : batch->ended) {
        if (outcome.picture && outcome.picture->undone) continue;
        if (outcome.picture && outcome.picture->damage)
          outcome = {.reject = std::move(outcome.picture->damage)};
        if (outcome.picture)
          write_findings(*outcome.picture, run.drawings);
        else
          ++(outcome.reject ? counts.rejected : counts.labelled);
        done(outcome.reject);
      }
      run.batches.release(*batch);
    }
    run.drawings.finish();
    if (frames && !stop && counts.predicted > 0) frames->finish();
  }

  void write_findings(OpenPicture& one, DrawingThreads& drawings) {
    const int width = one.info.width, height = one.info.height;
    const PictureFindings findings{one.input, width, height,
                                   recipe.tiles() ? merged(one) : one.tiles.front().found};
    writer->add(findings);
    ++counts.predicted;
    if (recipe.tiles()) counts.tiles += static_cast<std::int64_t>(one.tiles.size());
    counts.detections += static_cast<std::int64_t>(findings.detections.size());
    if (options.draw)
      drawings.add(
          {std::move(one.picture), boxes_of(findings.detections), names.next(one.input.name)});
  }

  // An object that is longer than the tiles' overlap may be whole in no tile.
  std::vector<Detection> merged(OpenPicture& one) const {
    const int width = one.info.width, height = one.info.height;
    const TileGrid grid(width, height, predictor.side(), *recipe.tiles(), recipe.letterbox());
    const auto is_short = [&](const Detection& box) {
      return std::max(box.x2 - box.x1, box.y2 - box.y1) <= static_cast<float>(grid.overlap());
    };
    std::erase_if(one.whole, is_short);
    return merge_tiles(one.tiles, width, height, predictor.detection(), one.whole);
  }

  std::vector<DrawnBox> boxes_of(const std::vector<Detection>& found) const {
    std::vector<DrawnBox> boxes;
    for (auto box = found.rbegin(); box != found.rend(); ++box) {  // the best on top
      const std::string& name = predictor.classes().at(static_cast<std::size_t>(box->class_id));
      boxes.push_back({box->x1, box->y1, box->x2, box->y2,
                       fmt::format("{} {:.2f}", name, box->score), box->class_id});
    }
    return boxes;
  }

  SessionOptions options;
  SessionCounts counts;
  Predictor predictor;
  Recipe recipe;
  DrawnNames names;
  std::unique_ptr<OutputWriter> writer;
};

Session::Session(const SessionOptions& options) {
  const Clock::time_point begin = Clock::now();
  state_ = std::make_unique<State>(options);
  state_->counts.load_s = seconds_since(begin);
}

Session::~Session() = default;
const SessionCounts& Session::counts() const { return state_->counts; }
const Predictor& Session::predictor() const { return state_->predictor; }

std::filesystem::path Session::run(const std::vector<PictureInput>& inputs, const StopRequest& stop,
                                   const InputListener& done) {
  try {
    state_->run(inputs, stop, done);
  } catch (...) {
    // What was found is worth more than the drawing, say, that could not be written.
    try {
      if (state_->counts.predicted > 0) state_->writer->finish();
    } catch (const std::exception&) {
      // The first failure is told.
    }
    throw;
  }
  if (state_->counts.predicted + state_->counts.labelled == 0) return state_->options.out;
  return state_->writer->finish();
}

}  // namespace letterpress
