#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "letterpress/base/error.h"
#include "letterpress/base/file.h"
#include "letterpress/commandline/program.h"
#include "letterpress/commandline/progress.h"
#include "preprocess/draw/draw.h"
#include "preprocess/recipe/recipe.h"
#include "trainer/detection/map_to_source.h"
#include "trainer/fit/find_checkpoint.h"
#include "trainer/predict/inputs.h"
#include "trainer/predict/predictor.h"

namespace letterpress {
namespace {

struct Flags {
  std::filesystem::path checkpoint, out;
  std::vector<std::string> inputs;
  PredictorOptions options;
  bool no_draw = false, json = false;
};

std::string text_of(const Detection& found, const std::vector<std::string>& classes) {
  char score[16];
  std::snprintf(score, sizeof score, " %.2f", static_cast<double>(found.score));
  return classes.at(static_cast<std::size_t>(found.class_id)) + score;
}

/// Decodes, predicts, draws one picture after the other.
class Session {
 public:
  explicit Session(const Flags& flags)
      : flags_(flags),
        predictor_(find_checkpoint(flags.checkpoint), flags.options),
        recipe_(Recipe::clean(predictor_.letterbox())),
        names_(flags.out),
        frame_(static_cast<std::size_t>(predictor_.side()) * static_cast<std::size_t>(predictor_.side()) * 3) {}

  /// Adds to the result, or answers why the picture cannot be used.
  std::optional<Reject> add(const PictureInput& input) {
    const std::string where = input.file.string();
    try {
      read_file(where, bytes_);
    } catch (const Error& error) {
      const std::string message = error.what();
      return Reject{where, message.starts_with(where + ": ") ? message.substr(where.size() + 2) : message, "is it a readable file?"};
    }
    const Expected<PictureInfo> info = probe(bytes_, where);
    if (!info) return info.reject();
    // The drawing wants all pixels, the model only those of its frame.
    const double scale = flags_.no_draw ? needed_scale(recipe_, info->width, info->height, predictor_.side()) : 1.0;
    if (std::optional<Reject> reject = decode(bytes_, *info, scale, where, picture_)) return reject;
    render_view(recipe_, {.view = 0}, picture_, info->width, info->height, {}, predictor_.side(), *workspace_, row_, frame_);
    const auto found = map_to_source(predictor_.predict(frame_), row_.letterbox, info->width, info->height);
    result_.push_back(json_of(where, *info, found));
    if (!flags_.no_draw) draw(input, found);
    return std::nullopt;
  }

  const nlohmann::ordered_json& result() const { return result_; }

 private:
  nlohmann::ordered_json json_of(const std::string& where, const PictureInfo& info, const std::vector<Detection>& found) const {
    nlohmann::ordered_json detections = nlohmann::ordered_json::array();
    for (const Detection& one : found) {
      detections.push_back({{"box", {one.x1, one.y1, one.x2, one.y2}},
                            {"score", one.score},
                            {"class", one.class_id},
                            {"name", predictor_.classes().at(static_cast<std::size_t>(one.class_id))}});
    }
    return {{"picture", where}, {"width", info.width}, {"height", info.height}, {"detections", std::move(detections)}};
  }

  void draw(const PictureInput& input, const std::vector<Detection>& found) {
    std::vector<DrawnBox> boxes;
    for (auto one = found.rbegin(); one != found.rend(); ++one) {  // the best on top
      boxes.push_back({one->x1, one->y1, one->x2, one->y2, text_of(*one, predictor_.classes()), one->class_id});
    }
    draw_boxes(picture_.rgb, picture_.width, picture_.height, boxes);
    const std::vector<std::byte> png = encode_png(picture_.rgb, picture_.width, picture_.height);
    const std::filesystem::path file = names_.next(input.name);
    make_folders(file.parent_path());
    replace_file(file, {reinterpret_cast<const char*>(png.data()), png.size()});
  }

  const Flags& flags_;
  Predictor predictor_;
  Recipe recipe_;
  DrawnNames names_;
  RenderWorkspacePointer workspace_ = make_render_workspace();
  std::vector<std::byte> bytes_;
  Picture picture_;
  ShardRow row_;
  std::vector<std::uint8_t> frame_;
  nlohmann::ordered_json result_ = nlohmann::ordered_json::array();
};

int run(const Flags& flags) {
  const std::vector<PictureInput> pictures = find_pictures(flags.inputs);
  make_folders(flags.out);
  Session session(flags);
  std::vector<Reject> rejects;
  {
    Progress progress("predicting", static_cast<std::int64_t>(pictures.size()), "pictures");
    for (const PictureInput& picture : pictures) {
      if (stop_signal() != 0) return 128 + stop_signal();
      if (const auto reject = session.add(picture)) {
        progress.note(to_string(*reject));
        rejects.push_back(*reject);
      }
      progress.add();
    }
  }
  const std::filesystem::path file = flags.out / "detections.json";
  replace_file(file, session.result().dump(1) + "\n");
  std::size_t found = 0;
  for (const auto& picture : session.result()) found += picture.at("detections").size();
  const nlohmann::ordered_json summary{
      {"pictures", pictures.size()}, {"detections", found}, {"rejected", rejects.size()}, {"out", flags.out.string()}};
  std::cout << file.string() << ": " << found << " detections in " << session.result().size() << " pictures, " << rejects.size()
            << " pictures rejected\n";
  if (flags.json) std::cout << summary.dump() << "\n";
  return session.result().empty() ? static_cast<int>(Exit::data) : 0;
}

std::function<int()> define(CLI::App& app) {
  // Owners: the options of `app`, which write to it, and the answer, which reads it.
  auto flags = std::make_shared<Flags>();
  app.add_option("--checkpoint", flags->checkpoint, "a checkpoint, or a run's folder (its best one)")->required();
  app.add_option("--input", flags->inputs, "pictures, or folders of pictures")->required();
  app.add_option("--out", flags->out, "folder for detections.json and the drawn pictures")->required();
  app.add_option("--conf", flags->options.detection.confidence, "detections with a lower score are left out");
  app.add_option("--iou", flags->options.detection.iou, "overlap above which the lower score of a class is dropped");
  app.add_option("--device", flags->options.device, "auto, cpu, cuda or cuda:N");
  app.add_option("--precision", flags->options.precision, "fp32 or bf16");
  app.add_option("--threads", flags->options.threads, "CPU threads; 0: all cores");
  app.add_flag("--no-draw", flags->no_draw, "detections.json only");
  app.add_flag("--json", flags->json, "one JSON summary line last on stdout");
  app.footer("Pictures that cannot be used are named on stderr and left out. Exit code 0 when at least one could be, 65 when none.");
  return [flags] { return run(*flags); };
}

}  // namespace
}  // namespace letterpress

int main(int argc, char** argv) {
  using namespace letterpress;
  return run_program("letterpress-predict", "Finds objects in pictures with a trained model.", {{"", "", define}}, argc, argv);
}
