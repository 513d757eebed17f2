#include <unistd.h>

#include <cerrno>
#include <utility>
#include <vector>

#include "letterpress/shards/deflate.h"
#include "trainer/loader/rows/sources.h"

namespace letterpress {
namespace {

class PreadSource final : public RowSource {
 public:
  PreadSource(const RowFiles& files, std::function<bool()> given_up)
      : files_(files),
        given_up_(std::move(given_up)),
        deflated_(static_cast<std::size_t>(files.most_stored_bytes())),
        row_(files.most_stored_bytes() > 0 ? static_cast<std::size_t>(files.image_bytes()) : 0) {}

  void begin(const RowPlace& place) override { location_ = files_.find(place); }

  std::optional<RowFailure> finish(RowSink& sink) override {
    return location_.deflated ? inflate(sink) : read(sink);
  }

 private:
  std::optional<RowFailure> read(RowSink& sink) const {
    for (std::span<std::uint8_t> room = sink.room(); !room.empty() && !given_up_();
         room = sink.room()) {
      const ssize_t got =
          ::pread(location_.descriptor, room.data(), room.size(), location_.offset + sink.taken());
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) return RowFailure{got < 0 ? errno : 0};
      sink.commit(static_cast<std::size_t>(got));
    }
    return std::nullopt;
  }

  std::optional<RowFailure> inflate(RowSink& sink) {
    const std::span<std::byte> deflated =
        std::span(deflated_).first(static_cast<std::size_t>(location_.bytes));
    for (std::size_t there = 0; there < deflated.size() && !given_up_();) {
      const std::span<std::byte> rest = deflated.subspan(there);
      const ssize_t got = ::pread(location_.descriptor, rest.data(), rest.size(),
                                  location_.offset + static_cast<std::int64_t>(there));
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) return RowFailure{got < 0 ? errno : 0};
      there += static_cast<std::size_t>(got);
    }
    if (given_up_()) return std::nullopt;
    const std::span<std::uint8_t> room = sink.room();
    const bool fits = room.size() == row_.size();
    if (!inflater_.inflate(deflated, fits ? room : row_))
      return RowFailure{.error_number = 0, .damaged = true};
    if (fits) {
      sink.commit(room.size());
    } else {
      sink.add(row_);
    }
    return std::nullopt;
  }

  const RowFiles& files_;
  std::function<bool()> given_up_;
  RowFiles::Location location_{};
  Inflater inflater_;
  std::vector<std::byte> deflated_;  // one row as it is in the file
  std::vector<std::uint8_t>
      row_;  // decompressed, when the batch has no room for all of the row at once
};

}  // namespace

std::unique_ptr<RowSource> make_pread_source(const RowFiles& files,
                                             std::function<bool()> given_up) {
  return std::make_unique<PreadSource>(files, std::move(given_up));
}

}  // namespace letterpress
