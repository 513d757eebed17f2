#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "letterpress/base/error.h"
#include "letterpress/base/file.h"
#include "letterpress/commandline/program.h"
#include "letterpress/commandline/progress.h"
#include "letterpress/commandline/require_flag.h"
#include "preprocess/draw/draw.h"
#include "preprocess/recipe/recipe.h"
#include "trainer/checkpoint/find_checkpoint.h"
#include "trainer/detection/map_to_source.h"
#include "trainer/predict/inputs.h"
#include "trainer/predict/predictor.h"

namespace letterpress {
namespace {

struct Flags {
  std::filesystem::path checkpoint, out;
  std::vector<std::string> inputs;
  PredictorOptions options;
  PictureLimits limits;
  bool no_draw = false, json = false;
};

std::string text_of(const Detection& found, const std::vector<std::string>& classes) {
  char score[16];
  std::snprintf(score, sizeof score, " %.2f", static_cast<double>(found.score));
  return classes.at(static_cast<std::size_t>(found.class_id)) + score;
}

// "where: what; fix", taken apart.
Reject reject_of(const std::string& where, std::string message) {
  if (message.starts_with(where + ": ")) message.erase(0, where.size() + 2);
  const std::size_t fix = message.rfind("; ");
  if (fix == std::string::npos) return {where, message, "is it a readable file?"};
  return {where, message.substr(0, fix), message.substr(fix + 2)};
}

// Names of files need not be UTF-8, JSON must be.
std::string text_of(const nlohmann::ordered_json& json, int indent) {
  return json.dump(indent, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

/// Decodes, predicts, draws one picture after the other.
class Session {
 public:
  explicit Session(const Flags& flags)
      : flags_(flags),
        predictor_(find_checkpoint(flags.checkpoint, "checkpoint"), flags.options),
        recipe_(Recipe::clean(predictor_.letterbox())),
        names_(flags.out),
        frame_(static_cast<std::size_t>(predictor_.side()) * static_cast<std::size_t>(predictor_.side()) * 3) {}

  /// Adds to the result, or answers why the picture cannot be used.
  std::optional<Reject> add(const PictureInput& input) {
    const std::string where = input.file.string();
    try {
      read_file(where, bytes_);
    } catch (const Error& error) {
      return reject_of(where, error.what());
    }
    const Expected<PictureInfo> info = probe(bytes_, where, flags_.limits);
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

// What was done before a signal came is kept.
std::size_t predict(Session& session, const std::vector<PictureInput>& pictures) {
  std::size_t rejected = 0;
  Progress progress("predicting", static_cast<std::int64_t>(pictures.size()), "pictures");
  for (const PictureInput& picture : pictures) {
    if (stop_signal() != 0) break;
    if (const auto reject = session.add(picture)) {
      progress.note(to_string(*reject));
      ++rejected;
    }
    progress.add();
  }
  return rejected;
}

int run(const Flags& flags) {
  require_flag(flags.limits.max_pixels >= 1, "max-pixels", flags.limits.max_pixels, "1 or more");
  std::vector<Reject> left_out;
  const std::vector<PictureInput> pictures = find_pictures(flags.inputs, left_out);
  for (const Reject& reject : left_out) std::cerr << to_string(reject) << "\n";
  if (!flags.no_draw) check_drawn_names(pictures, flags.out);
  make_folders(flags.out);
  Session session(flags);
  const std::size_t rejected = predict(session, pictures);
  const std::filesystem::path file = flags.out / "detections.json";
  replace_file(file, text_of(session.result(), 1) + "\n");
  std::size_t found = 0;
  for (const auto& picture : session.result()) found += picture.at("detections").size();
  const nlohmann::ordered_json summary{{"pictures", pictures.size()}, {"detections", found},     {"rejected", rejected},
                                       {"left_out", left_out.size()}, {"signal", stop_signal()}, {"out", flags.out.string()}};
  std::cout << file.string() << ": " << found << " detections in " << session.result().size() << " pictures, " << rejected
            << " pictures rejected\n";
  if (flags.json) std::cout << text_of(summary, -1) << "\n";
  if (stop_signal() != 0) return 128 + stop_signal();
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
  app.add_option("--max-pixels", flags->limits.max_pixels, "of a picture; larger ones are rejected");
  app.add_flag("--no-draw", flags->no_draw, "detections.json only");
  app.add_flag("--json", flags->json, "one JSON summary line last on stdout");
  app.footer(
      "Pictures that cannot be used are named on stderr and left out. Exit code 0 when at least one could be, 65 when none; a signal "
      "ends with 128 + its number and the detections so far.");
  return [flags] { return run(*flags); };
}

}  // namespace
}  // namespace letterpress

int main(int argc, char** argv) {
  using namespace letterpress;
  return run_program("letterpress-predict", "Finds objects in pictures with a trained model.", {{"", "", define}}, argc, argv);
}
