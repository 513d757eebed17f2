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

/// Why an ONNX file of these options cannot be compared with predict; none: it can be. info: of its
/// checkpoint; null where that was not read yet.
std::optional<Error> obstacle_to_verification(const OnnxOptions& onnx, const CheckpointInfo* info);

/// Reads the weights of a copy that stays in `workplace`: a run in training may replace `source`
/// while the file is verified. Throws Error naming `source`.
Checkpoint read_copy(const std::filesystem::path& source, const Workplace& workplace);

struct VerifiedExport {
  std::filesystem::path out{};
  std::filesystem::path store{};  ///< as CertifyOptions have it, named by the user; may be empty
  std::string runtime{}, python{};
  OnnxOptions onnx{};
};

/// Writes the file and its certificate, or neither. checkpoint: of read_copy() into the same
/// workplace. Returns both files; none when `stop` was asked for. Throws Error as certify() does.
std::vector<std::filesystem::path> write_verified(const ExporterEntry& exporter,
                                                  const Checkpoint& checkpoint,
                                                  const VerifiedExport& wanted,
                                                  const Workplace& workplace,
                                                  const StopRequest& stop);

}  // namespace letterpress
