#include <cerrno>

#include "trainer/loader/rows/bus_error.h"
#include "trainer/loader/rows/sources.h"

namespace letterpress {
namespace {

class MmapSource final : public RowSource {
 public:
  explicit MmapSource(const RowFiles& files) : files_(files) {}

  void begin(const RowPlace& place) override {
    row_ = {files_.find(place).mapped, static_cast<std::size_t>(files_.image_bytes())};
  }

  std::optional<RowFailure> finish(RowSink& sink) override {
    if (without_bus_error(row_, [&] { sink.add(row_); })) return std::nullopt;
    return RowFailure{EIO};
  }

 private:
  const RowFiles& files_;
  std::span<const std::uint8_t> row_;
};

}  // namespace

std::unique_ptr<RowSource> make_mmap_source(const RowFiles& files) {
  return std::make_unique<MmapSource>(files);
}

}  // namespace letterpress
