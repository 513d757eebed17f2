#pragma once
#include <cstddef>
#include <filesystem>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "letterpress/base/stop_request.h"
#include "trainer/parity/golden_pictures.h"
#include "trainer/parity/workplace.h"

namespace letterpress {

/// A network that is to be deployed, and what runs it.
struct CertifyOptions {
  std::filesystem::path model{};       ///< the exported file to run
  std::filesystem::path checkpoint{};  ///< that it was made of: what predict runs
  std::string runtime{};  ///< of certified_runtimes(), or a program of the user's: the path of one
  std::string python = "python3";  ///< runs the reference program with that runtime
  std::vector<std::string> classes{};
  float confidence = 0, iou = 0;      ///< as the file has them
  std::string suppression = "class";  ///< class or agnostic
  std::size_t most = 300;             ///< detections of a picture that count, best first
  std::size_t most_of_class = std::numeric_limits<std::size_t>::max();  ///< the same of each class
  bool half = false;  ///< the file computes in float16
};

/// Runtimes of the reference program, samples/deploy/detect.py, which travels inside this program.
/// It knows of the network what the file's metadata say.
const std::vector<std::string>& certified_runtimes();
/// What samples/deploy/detect.py imports for one, as pip names it. depth: as GoldenPictures have
/// it.
std::string packages_of(const std::string& runtime, const std::string& depth);
/// Throws Error (usage) listing them where `runtime` is not one of them, nor a path ("./detect").
void check_runtime(const std::string& runtime);

/// Largest differences that are let through. Of corners: shares of the picture's longer side.
struct ParityLimits {
  double score = 1e-3, corner = 1e-3;
};
ParityLimits parity_limits(bool half);

/// Runs letterpress-predict, which is beside this program, and the runtime's program on the golden
/// pictures and compares what they found; their files go to `workplace`. A program of the user's is
/// called with three words, the model, a list of pictures and a file, which it writes as predict
/// --format json does; the first line of its stdout names the runtime. Returns the certificate, a
/// JSON object: docs/reference/outputs.md has its keys. Throws Error (data) with the largest
/// differences where they are over the limits, or where nothing was found that could differ;
/// (configuration) where a program is not there. None when `stop` was asked for meanwhile.
std::optional<std::string> certify(const CertifyOptions& options, const GoldenPictures& golden,
                                   const Workplace& workplace, const StopRequest& stop);

}  // namespace letterpress
