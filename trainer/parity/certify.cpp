#include "trainer/parity/certify.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "letterpress/base/error.h"
#include "letterpress/base/file.h"
#include "letterpress/base/own_program.h"
#include "letterpress/base/suggest.h"
#include "trainer/parity/found_pictures.h"
#include "trainer/parity/golden_pictures.h"
#include "trainer/parity/reference_program.h"
#include "trainer/parity/run_to_end.h"

namespace letterpress {
namespace {
namespace fs = std::filesystem;

constexpr int kNotInstalled = 77;  // exit code of the reference program

/// A folder that is removed with all that it holds.
class Workplace {
 public:
  Workplace() : folder_(make_unique_folder(fs::temp_directory_path(), "letterpress-parity-")) {}
  ~Workplace() { discard_folder(folder_); }
  Workplace(const Workplace&) = delete;
  Workplace& operator=(const Workplace&) = delete;
  fs::path operator/(const char* name) const { return folder_ / name; }
  const fs::path& folder() const { return folder_; }

 private:
  fs::path folder_;
};

bool is_program(const std::string& runtime) { return runtime.find('/') != std::string::npos; }

std::string predict_program() {
  const fs::path program = fs::path(path_of_this_program()).parent_path() / "letterpress-predict";
  if (fs::exists(program)) return program.string();
  throw Error({.where = "--verify",
               .what = "there is no " + program.string() + ", with which the file is compared",
               .fix = "build it, or leave --verify out"},
              Exit::configuration);
}

std::string last_line(const std::string& text) {
  const std::size_t end = text.find_last_not_of(" \n");
  if (end == std::string::npos) return "nothing on stderr";
  const std::size_t before = text.rfind('\n', end);
  return text.substr(before + 1, end - before);
}

GoldenPictures pictures_of(const CertifyOptions& options, const Workplace& workplace) {
  GoldenPictures golden;
  if (!options.store.empty()) golden = golden_pictures(options.store);
  return golden.files.empty() ? draw_golden_pictures(workplace.folder()) : golden;
}

// What predict finds; pictures that it rejects are not in it.
std::vector<FoundPicture> predicted(const CertifyOptions& options, const GoldenPictures& golden,
                                    const Workplace& workplace) {
  std::string list;
  for (const fs::path& file : golden.files) list += file.string() + "\n";
  replace_file(workplace / "golden.txt", list);
  const EndedProgram ended = run_to_end(
      {predict_program(), "--checkpoint", options.checkpoint.string(), "--input",
       (workplace / "golden.txt").string(), "--out", workplace.folder().string(), "--format",
       "json", "--no-draw", "--device", "cpu", "--conf", fmt::format("{}", options.confidence),
       "--iou", fmt::format("{}", options.iou), "--nms", options.suppression},
      workplace.folder());
  if (ended.exit_code != 0)
    throw Error({.where = "letterpress-predict",
                 .what = "ended with exit code " + std::to_string(ended.exit_code) + ": " +
                         last_line(ended.err)},
                Exit::data);
  return read_found_pictures(workplace / "detections.json");
}

std::vector<std::string> runner_of(const CertifyOptions& options, const Workplace& workplace) {
  if (is_program(options.runtime)) return {options.runtime};
  for (const ReferenceFile& file : kReferenceProgram)
    replace_file(workplace / file.name, file.text);
  return {options.python, "-B", (workplace / kReferenceProgram.front().name).string(), "--runtime",
          options.runtime};
}

struct RuntimeFindings {
  std::string runtime{};  ///< "onnxruntime 1.19.2"
  std::vector<FoundPicture> pictures{};
};

RuntimeFindings found_by_runtime(const CertifyOptions& options,
                                 const std::vector<FoundPicture>& ours,
                                 const Workplace& workplace) {
  std::string list;
  for (const FoundPicture& picture : ours) list += picture.picture + "\n";
  const fs::path pictures = workplace / "pictures.txt", found = workplace / "found.json";
  replace_file(pictures, list);
  std::vector<std::string> words = runner_of(options, workplace);
  words.insert(words.end(), {options.model.string(), pictures.string(), found.string()});
  const EndedProgram ended = run_to_end(words, workplace.folder());
  if (ended.exit_code == kNotInstalled && !is_program(options.runtime))
    throw Error({.where = "--verify " + options.runtime,
                 .what = options.python + " " + last_line(ended.err),
                 .fix = "pip install numpy pillow " + options.runtime +
                        ", name another --python, or leave --verify out"},
                Exit::configuration);
  if (ended.exit_code != 0)
    throw Error({.where = "--verify " + options.runtime,
                 .what = "its program ended with exit code " + std::to_string(ended.exit_code) +
                         ": " + last_line(ended.err)});
  return {ended.out.substr(0, ended.out.find('\n')), read_found_pictures(found)};
}

void check_limits(const CertifyOptions& options, const ParityDifferences& differences,
                  std::size_t pictures) {
  const ParityLimits limits = parity_limits(options.half);
  if (differences.detections == 0 && differences.unmatched_n == 0)
    throw Error({.where = "--verify " + options.runtime,
                 .what = fmt::format("predict finds nothing in {} pictures with confidence {}, so "
                                     "that nothing was compared",
                                     pictures, options.confidence),
                 .fix = "name the --store of the checkpoint, or export with a lower --conf"});
  if (differences.score <= limits.score && differences.corner_share <= limits.corner) return;
  const std::string first =
      differences.unmatched.empty() ? "" : ", the first is " + differences.unmatched.front();
  throw Error(
      {.where = "--verify " + options.runtime,
       .what = fmt::format("scores differ from predict's by up to {:.2g} and corners by up to "
                           "{:.2g} pixels; of {} detections {} are of one program alone{}; must "
                           "be at most {:g}, and corners {:g} of the picture's longer side",
                           differences.score, differences.corner, differences.detections,
                           differences.unmatched_n, first, limits.score, limits.corner),
       .fix = "nothing was published; pixels must be made as the file's metadata say"});
}

}  // namespace

ParityLimits parity_limits(bool half) {
  constexpr double kHalf = 2e-2;  // float16 has 11 bits
  return half ? ParityLimits{kHalf, kHalf} : ParityLimits{};
}

const std::vector<std::string>& certified_runtimes() {
  static const std::vector<std::string> runtimes{"onnxruntime", "openvino"};
  return runtimes;
}

void check_runtime(const std::string& runtime) {
  const std::vector<std::string>& known = certified_runtimes();
  if (is_program(runtime) || std::ranges::find(known, runtime) != known.end()) return;
  throw Error({.where = "--verify",
               .what = unknown_name("runtime", runtime, known),
               .fix = "or give the path of a program, ./detect"},
              Exit::usage);
}

std::string certify(const CertifyOptions& options) {
  const Workplace workplace;
  const GoldenPictures golden = pictures_of(options, workplace);
  const std::vector<FoundPicture> ours = predicted(options, golden, workplace);
  const RuntimeFindings theirs = found_by_runtime(options, ours, workplace);
  const ParityLimits limits = parity_limits(options.half);
  const ParityDifferences differences = compare_found(ours, theirs.pictures,
                                                      {.confidence = options.confidence,
                                                       .tolerance = limits.score,
                                                       .most = options.most,
                                                       .classes = options.classes});
  check_limits(options, differences, ours.size());
  nlohmann::ordered_json certificate{
      {"digest", hash_file(options.model).hex()},
      {"checkpoint_digest", hash_file(options.checkpoint).hex()},
      {"runtime", theirs.runtime},
      {"program", is_program(options.runtime) ? options.runtime : "samples/deploy/detect.py"},
      {"precision", options.half ? "float16" : "float32"},
      {"pictures", ours.size()},
      {"from", golden.store.empty() ? "drawn" : "val"}};
  if (!golden.store.empty()) {
    certificate["store"] = golden.store.string();
    certificate["snapshot"] = golden.generation;
    certificate["snapshot_digest"] = golden.snapshot_digest;
  }
  certificate.update(nlohmann::ordered_json{
      {"confidence", options.confidence},
      {"iou", options.iou},
      {"suppression", options.suppression},
      {"detections", differences.detections},
      {"largest_score_difference", differences.score},
      {"largest_corner_difference", differences.corner},
      {"differing", differences.unmatched_n},
      {"differing_detections", differences.unmatched},
      {"limits", {{"score", limits.score}, {"corner_of_longer_side", limits.corner}}}});
  return certificate.dump(1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

}  // namespace letterpress
