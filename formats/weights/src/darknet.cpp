#include "letterpress/weights/darknet.h"

#include <bit>
#include <cstring>

#include "letterpress/base/error.h"
#include "letterpress/base/file.h"
#include "registry.h"

namespace letterpress {
namespace {

static_assert(std::endian::native == std::endian::little);
constexpr std::int32_t kMajor = 0, kMinor = 2, kRevision = 5;
// As Darknet: versions above hold a transposed layout that nobody wrote.
constexpr std::int32_t kLargestPart = 1000;

template <typename Number>
void append(std::string& bytes, Number number) {
  bytes.append(reinterpret_cast<const char*>(&number), sizeof number);
}

template <typename Number>
Number take(std::string_view& bytes, const std::filesystem::path& file) {
  if (bytes.size() < sizeof(Number))
    throw Error({.where = file.string(),
                 .what = "is cut within its header",
                 .fix = "not a Darknet weight file, or copied in part"});
  Number number;
  std::memcpy(&number, bytes.data(), sizeof number);
  bytes.remove_prefix(sizeof number);
  return number;
}

constexpr double kNormEpsilon = 1e-6;  // Darknet's, beside the variance

// The format has no magic number: version 0.1 or 0.2 in the first eight bytes.
bool recognises(std::string_view begin) {
  std::int32_t parts[2];
  if (begin.size() < sizeof parts) return false;
  std::memcpy(parts, begin.data(), sizeof parts);
  return parts[0] == 0 && (parts[1] == 1 || parts[1] == 2);
}

WeightFile read(const std::filesystem::path& file) {
  std::vector<float> values = read_darknet_weights(file).values;
  const auto n = static_cast<std::int64_t>(values.size());
  return {.format = "darknet",
          .arrays = {{.name = "values",
                      .role = WeightRole::stream,
                      .shape = {n},
                      .values = std::move(values)}},
          .norm_epsilon = kNormEpsilon};
}

}  // namespace

void write_darknet_weights(const std::filesystem::path& file, std::span<const float> values,
                           std::int64_t seen) {
  std::string bytes;
  bytes.reserve(20 + values.size_bytes());
  for (const std::int32_t part : {kMajor, kMinor, kRevision}) append(bytes, part);
  append(bytes, seen);
  bytes.append(reinterpret_cast<const char*>(values.data()), values.size_bytes());
  replace_file(file, bytes);
}

DarknetWeights read_darknet_weights(const std::filesystem::path& file) {
  const std::string content = read_file(file);
  std::string_view bytes = content;
  const auto major = take<std::int32_t>(bytes, file), minor = take<std::int32_t>(bytes, file);
  take<std::int32_t>(bytes, file);
  if (major < 0 || minor < 0 || major > kLargestPart || minor > kLargestPart) {
    throw Error({.where = file.string(),
                 .what = "its header says version " + std::to_string(major) + "." +
                         std::to_string(minor) + ", Darknet wrote 0.1 and 0.2",
                 .fix = "this is not a Darknet weight file"});
  }
  DarknetWeights weights;
  weights.seen =
      major * 10 + minor >= 2 ? take<std::int64_t>(bytes, file) : take<std::int32_t>(bytes, file);
  if (bytes.size() % sizeof(float) != 0) {
    throw Error({.where = file.string(),
                 .what = "is cut within a value: " + std::to_string(content.size()) +
                         " bytes, must be a header and values of 4 bytes"});
  }
  weights.values.resize(bytes.size() / sizeof(float));
  if (!bytes.empty()) std::memcpy(weights.values.data(), bytes.data(), bytes.size());
  return weights;
}

extern constinit const WeightFormatEntry darknet_weights{
    "darknet", ".weights, whole or of the first layers (.conv.N)", recognises, read};

}  // namespace letterpress
