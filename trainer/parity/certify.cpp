#include "trainer/parity/certify.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "letterpress/base/error.h"
#include "letterpress/base/file.h"
#include "letterpress/base/own_program.h"
#include "letterpress/base/suggest.h"
#include "letterpress/detections/valid_utf8.h"
#include "trainer/parity/found_pictures.h"
#include "trainer/parity/python_program.h"
#include "trainer/parity/run_to_end.h"

namespace letterpress {
namespace {
namespace fs = std::filesystem;

bool is_program(const std::string& runtime) { return runtime.find('/') != std::string::npos; }

std::string predict_program() {
  const fs::path program = fs::path(path_of_this_program()).parent_path() / "letterpress-predict";
  if (fs::exists(program)) return program.string();
  throw Error({.where = "--verify",
               .what = "there is no " + program.string() + ", with which the file is compared",
               .fix = "build it, or leave --verify out"},
              Exit::configuration);
}

std::string list_of(const std::vector<fs::path>& files) {
  std::string list;
  for (const fs::path& file : files) list += file.string() + "\n";
  return list;
}

std::vector<std::string> predict_words(const CertifyOptions& options, const GoldenPictures& golden,
                                       const Workplace& workplace) {
  std::vector<std::string> words{predict_program(),
                                 "--checkpoint",
                                 options.checkpoint.string(),
                                 "--input",
                                 (workplace / "golden.txt").string(),
                                 "--out",
                                 workplace.path().string(),
                                 "--format",
                                 "json",
                                 "--no-draw",
                                 "--device",
                                 "cpu",
                                 "--engine",
                                 "torch",
                                 "--conf",
                                 fmt::format("{}", options.confidence),
                                 "--iou",
                                 fmt::format("{}", options.iou),
                                 "--nms",
                                 options.suppression};
  if (!golden.depth.empty()) words.insert(words.end(), {"--depth", golden.depth});
  return words;
}

/// What predict finds; pictures that it rejects are not in it.
struct Prediction {
  std::vector<FoundPicture> pictures{};
  std::vector<fs::path> files{};  ///< theirs
};

Prediction with_files(std::vector<FoundPicture> pictures, const std::vector<fs::path>& golden) {
  Prediction prediction{.pictures = std::move(pictures)};
  for (const fs::path& file : golden) {
    const std::size_t next = prediction.files.size();
    if (next < prediction.pictures.size() &&
        prediction.pictures[next].picture == valid_utf8(file.string()))
      prediction.files.push_back(file);
  }
  if (prediction.files.size() != prediction.pictures.size())
    throw Error(
        Message{.where = "letterpress-predict", .what = "wrote pictures that it was not given"},
        Exit::bug);
  return prediction;
}

std::optional<Prediction> predicted(const CertifyOptions& options, const GoldenPictures& golden,
                                    const Workplace& workplace, const StopRequest& stop) {
  replace_file(workplace / "golden.txt", list_of(golden.files));
  const auto ended = run_to_end(predict_words(options, golden, workplace), workplace.path(), stop);
  if (!ended) return std::nullopt;
  if (ended->exit_code != 0)
    throw Error({.where = "letterpress-predict",
                 .what = "ended with exit code " + std::to_string(ended->exit_code) + ": " +
                         last_line(ended->err)},
                Exit::data);
  return with_files(read_found_pictures(workplace / "detections.json"), golden.files);
}

struct RuntimeFindings {
  std::string runtime{};  ///< "onnxruntime 1.19.2"
  std::vector<FoundPicture> pictures{};
};

// Of the user's. Returns the first line of its stdout.
std::optional<std::string> run_own(const std::string& program, std::vector<std::string> words,
                                   const Workplace& workplace, const StopRequest& stop) {
  words.insert(words.begin(), program);
  const auto ended = run_to_end(words, workplace.path(), stop);
  if (!ended) return std::nullopt;
  if (ended->exit_code != 0)
    throw Error({.where = "--verify " + program,
                 .what = "its program ended with exit code " + std::to_string(ended->exit_code) +
                         ": " + last_line(ended->err)});
  return ended->out.substr(0, ended->out.find('\n'));
}

std::optional<RuntimeFindings> found_by_runtime(const CertifyOptions& options,
                                                const Prediction& ours, const std::string& depth,
                                                const Workplace& workplace,
                                                const StopRequest& stop) {
  const fs::path pictures = workplace / "pictures.txt", found = workplace / "found.json";
  replace_file(pictures, list_of(ours.files));
  std::vector<std::string> words{options.model.string(), pictures.string(), found.string()};
  std::optional<std::string> runtime;
  if (is_program(options.runtime)) {
    runtime = run_own(options.runtime, words, workplace, stop);
  } else {
    words.insert(words.end(), {"--runtime", options.runtime});
    if (!depth.empty()) words.insert(words.end(), {"--depth", depth});
    runtime = run_python({.python = options.python,
                          .name = "detect.py",
                          .words = words,
                          .flag = "--verify " + options.runtime,
                          .packages = packages_of(options.runtime, depth),
                          .otherwise = "leave --verify out"},
                         workplace, stop);
  }
  if (!runtime) return std::nullopt;
  if (!fs::exists(found))
    throw Error({.where = "--verify " + options.runtime,
                 .what = "its program ended with 0, but did not write the file that its third word "
                         "names",
                 .fix = "write there what it finds, as predict --format json does"});
  try {
    return RuntimeFindings{*runtime, read_found_pictures(found)};
  } catch (const Error& error) {  // the file itself is gone when this is read
    throw Error({.where = "--verify " + options.runtime,
                 .what = "what its program wrote " + error.message().what,
                 .fix = error.message().fix},
                error.exit());
  }
}

std::string text_of(const ParityDifferences& differences, const ParityLimits& limits) {
  const std::string first =
      differences.unmatched.empty() ? "" : ", the first is " + differences.unmatched.front();
  return fmt::format(
      "scores differ from predict's by up to {:.6g}, at most {:g} may be; corners by up to {:.6g} "
      "pixels, {:.6g} of the picture's longer side, at most {:g} may be; of {} detections {} are "
      "of one program alone{}",
      differences.score, limits.score, differences.corner, differences.corner_share, limits.corner,
      differences.detections, differences.unmatched_n, first);
}

void check_limits(const CertifyOptions& options, const ParityDifferences& differences,
                  std::size_t pictures) {
  const ParityLimits limits = parity_limits(options.half);
  if (differences.detections == 0 && differences.unmatched_n == 0)
    throw Error({.where = "--verify " + options.runtime,
                 .what = fmt::format("predict finds nothing in {} pictures with confidence {}, so "
                                     "that nothing was compared",
                                     pictures, options.confidence),
                 .fix = "name the --store of the checkpoint, or export --output detections with a "
                        "lower --conf"});
  const bool same = differences.score <= limits.score && differences.corner_share <= limits.corner;
  if (same && differences.unmatched_n == 0) return;
  const std::string fix =
      same && differences.counterparts > 0
          ? "which boxes are detections must be decided as the file's metadata say, suppression"
          : "pixels must be made as the file's metadata say";
  throw Error({.where = "--verify " + options.runtime,
               .what = text_of(differences, limits),
               .fix = "nothing was published; " + fix});
}

std::string certificate_of(const CertifyOptions& options, const GoldenPictures& golden,
                           const ParityDifferences& differences, const std::string& runtime,
                           std::size_t compared) {
  const ParityLimits limits = parity_limits(options.half);
  nlohmann::ordered_json certificate{
      {"digest", hash_file(options.model).hex()},
      {"checkpoint_digest", hash_file(options.checkpoint).hex()},
      {"runtime", runtime},
      {"program", is_program(options.runtime) ? options.runtime : "samples/deploy/detect.py"},
      {"precision", options.half ? "float16" : "float32"},
      {"asked", golden.files.size()},
      {"rejected", golden.files.size() - compared},
      {"pictures", compared},
      {"from", golden.store.empty() ? "drawn" : "val"}};
  if (!golden.store.empty()) {
    certificate["store"] = golden.store.string();
    certificate["snapshot"] = golden.generation;
    certificate["snapshot_digest"] = golden.snapshot_digest;
    certificate["depth"] = golden.depth;
  }
  certificate.update(nlohmann::ordered_json{
      {"confidence", options.confidence},
      {"iou", options.iou},
      {"suppression", options.suppression},
      {"detections", differences.detections},
      {"largest_score_difference", std::max(differences.score, differences.alone)},
      {"largest_corner_difference", differences.corner},
      {"differing", differences.unmatched_n},
      {"differing_detections", differences.unmatched},
      {"limits", {{"score", limits.score}, {"corner_of_longer_side", limits.corner}}}});
  return certificate.dump(1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

}  // namespace

ParityLimits parity_limits(bool half) {
  constexpr double kHalf = 2e-2;  // float16 has 11 bits
  return half ? ParityLimits{kHalf, kHalf} : ParityLimits{};
}

const std::vector<std::string>& certified_runtimes() {
  static const std::vector<std::string> runtimes{"onnxruntime", "opencv", "openvino"};
  return runtimes;
}

std::string packages_of(const std::string& runtime, const std::string& depth) {
  const std::string opencv = " opencv-python-headless", needed = "numpy pillow";
  if (runtime == "opencv") return needed + " onnx" + opencv;
  return needed + " " + runtime + (depth.empty() ? "" : opencv);  // which reads 16 bits
}

void check_runtime(const std::string& runtime) {
  const std::vector<std::string>& known = certified_runtimes();
  if (is_program(runtime) || std::ranges::find(known, runtime) != known.end()) return;
  throw Error({.where = "--verify",
               .what = unknown_name("runtime", runtime, known),
               .fix = "or give the path of a program, ./detect"},
              Exit::usage);
}

std::optional<std::string> certify(const CertifyOptions& options, const GoldenPictures& golden,
                                   const Workplace& workplace, const StopRequest& stop) {
  const auto ours = predicted(options, golden, workplace, stop);
  if (!ours) return std::nullopt;
  const auto theirs = found_by_runtime(options, *ours, golden.depth, workplace, stop);
  if (!theirs) return std::nullopt;
  const ParityDifferences differences =
      compare_found(ours->pictures, theirs->pictures,
                    {.confidence = options.confidence,
                     .tolerance = parity_limits(options.half).score,
                     .most = options.most,
                     .most_of_class = options.most_of_class,
                     .classes = options.classes});
  check_limits(options, differences, ours->pictures.size());
  return certificate_of(options, golden, differences, theirs->runtime, ours->pictures.size());
}

}  // namespace letterpress
