#pragma once
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "letterpress/base/file.h"

namespace letterpress {

/// One point of a curve.
struct Scalar {
  std::string tag{};  ///< the curve's name; what is before a '/' groups curves
  double value = 0;   ///< stored as float32
};

/// A file of scalars that TensorBoard reads: Event messages (event.proto and summary.proto of
/// TensorFlow) in records with masked CRC-32C sums (TFRecord). The first append() makes it, as
/// events.out.tfevents.<seconds>.<host>.<process>.<number>; files of earlier sessions of the run
/// stay as they are. Each append is one write; nothing is fsynced. One thread.
class EventFile {
 public:
  /// folder: made when absent. resumed_at: steps of the run that are done; readers drop what
  /// earlier files hold of later steps. 0: the run begins.
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
