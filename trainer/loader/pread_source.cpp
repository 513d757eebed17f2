#include <unistd.h>

#include <cerrno>
#include <utility>

#include "trainer/loader/sources.h"

namespace letterpress {
namespace {

class PreadSource final : public RowSource {
 public:
  PreadSource(const RowFiles& files, std::function<bool()> given_up) : files_(files), given_up_(std::move(given_up)) {}

  void begin(const RowPlace& place) override { location_ = files_.find(place); }

  std::optional<RowFailure> finish(RowSink& sink) override {
    for (std::span<std::uint8_t> room = sink.room(); !room.empty() && !given_up_(); room = sink.room()) {
      const ssize_t got = ::pread(location_.descriptor, room.data(), room.size(), location_.offset + sink.taken());
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) return RowFailure{got < 0 ? errno : 0};
      sink.commit(static_cast<std::size_t>(got));
    }
    return std::nullopt;
  }

 private:
  const RowFiles& files_;
  std::function<bool()> given_up_;
  RowFiles::Location location_{};
};

}  // namespace

std::unique_ptr<RowSource> make_pread_source(const RowFiles& files, std::function<bool()> given_up) {
  return std::make_unique<PreadSource>(files, std::move(given_up));
}

}  // namespace letterpress
