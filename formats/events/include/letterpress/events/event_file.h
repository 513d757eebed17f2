#pragma once
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "letterpress/base/file.h"

namespace letterpress {

/// One number of a curve.
struct Scalar {
  std::string tag{};  ///< the curve's name; what stands before a '/' groups curves
  double value = 0;   ///< stored as float32
};

/// A file of scalars that TensorBoard reads: Event messages (event.proto and summary.proto of
/// TensorFlow) in records with masked CRC-32C sums (TFRecord). It is made by the first append(), as
/// events.out.tfevents.<seconds>.<host>.<process>.<number> beside those that are there, which stay
/// as they are: one file per session of a run. Each append is one write; nothing is fsynced. One
/// thread.
class EventFile {
 public:
  /// folder: made when absent. resumed_at: steps of the run that are done; what earlier files say
  /// of later steps no longer holds, readers drop it. 0: the run begins.
  EventFile(std::filesystem::path folder, std::int64_t resumed_at);

  /// Throws Error naming the file when it cannot be written.
  void append(std::int64_t step, std::span<const Scalar> scalars);

 private:
  void open();
  void write(std::string_view records);

  std::filesystem::path folder_;
  std::int64_t resumed_at_;
  File file_;
  std::int64_t size_ = 0;
};

/// CRC-32C (RFC 3720, B.4: polynomial 0x1EDC6F41, reflected) of `bytes`.
std::uint32_t crc32c(std::string_view bytes);

}  // namespace letterpress
