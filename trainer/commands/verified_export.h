#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "letterpress/base/error.h"
#include "letterpress/base/stop_request.h"
#include "letterpress/models/onnx.h"
#include "trainer/checkpoint/checkpoint.h"
#include "trainer/exchange/exporter.h"
#include "trainer/parity/workplace.h"

namespace letterpress {

/// "model.onnx.parity.json"
std::filesystem::path certificate_of(const std::filesystem::path& exported);

/// Says so on stderr where there is one.
void remove_certificate(const std::filesystem::path& exported);

/// Why an ONNX file of these options cannot be compared with predict; none: it can be. info: of its
/// checkpoint; null where that was not read yet. flag: that asks for it; what is measured on rows
/// (--int8) may be of tiles.
std::optional<Error> obstacle_to_verification(const OnnxOptions& onnx, const CheckpointInfo* info,
                                              const std::string& flag = "--verify");

/// Reads the weights of a copy that stays in `workplace`: a run in training may replace `source`
/// while the file is verified. Throws Error naming `source`.
Checkpoint read_copy(const std::filesystem::path& source, const Workplace& workplace);

struct VerifiedExport {
  std::filesystem::path out{};
  std::filesystem::path store{};  ///< named by the user; may be empty
  std::string runtime{};          ///< that is compared with predict; empty: none
  std::string python{};
  OnnxOptions onnx{};
  bool int8 = false;
  double max_recall_loss = 0;  ///< points, of int8
};

/// Converts, quantises and certifies what the exporter writes, as it was asked to, and publishes
/// the files with their certificate, or none of them. checkpoint: of read_copy() into the same
/// workplace. Returns the files; none when `stop` was asked for. Throws Error as certify(),
/// quantised(), measured() and run_python() do.
std::vector<std::filesystem::path> write_verified(const ExporterEntry& exporter,
                                                  const Checkpoint& checkpoint,
                                                  const VerifiedExport& wanted,
                                                  const Workplace& workplace,
                                                  const StopRequest& stop);

}  // namespace letterpress
