#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "letterpress/base/stop_request.h"
#include "trainer/parity/workplace.h"

namespace letterpress {

/// A network that is to compute in int8.
struct Int8Options {
  std::filesystem::path model{};       ///< its export in float32, ONNX
  std::filesystem::path checkpoint{};  ///< that it was made of
  std::filesystem::path store{};       ///< with rows of the splits train and val
  std::string python = "python3";      ///< runs the quantiser and the runtime
  std::string runtime{};               ///< of certified_runtimes(): with which both are measured
  int side = 0;                        ///< pixels of its frame
  std::vector<std::string> classes{};
  float confidence = 0;          ///< as the file has it
  double max_recall_loss = 0.2;  ///< points
};

inline constexpr std::size_t kCalibrationRows = 128, kMeasuredRows = 500;

/// Writes the network in int8 to `workplace`, calibrated on kCalibrationRows of the split train.
/// Returns the file; none when `stop` was asked for. Throws Error: (configuration) where the store
/// holds rows of another side or other classes, or a package is not there; as Store and
/// SnapshotReader do.
std::optional<std::filesystem::path> quantised(const Int8Options& options,
                                               const Workplace& workplace, const StopRequest& stop);

/// What int8 costs.
struct Int8Certificate {
  std::string text{};  ///< a JSON object: docs/reference/outputs.md has its keys
  std::string line{};  ///< for people
};
/// Runs the float32 export and `exported`, the file to deploy, on kMeasuredRows of the split val.
/// None when `stop` was asked for. Throws Error (data) with both numbers where the recall falls by
/// more than max_recall_loss, or there is nothing to be found.
std::optional<Int8Certificate> measured(const Int8Options& options,
                                        const std::filesystem::path& exported,
                                        const Workplace& workplace, const StopRequest& stop);

}  // namespace letterpress
