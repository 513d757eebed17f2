#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "letterpress/base/reject.h"
#include "preprocess/pictures/picture.h"

namespace letterpress {

/// A picture of more pixels is decoded in bands, where the work goes through it from top to bottom.
inline constexpr std::int64_t kPixelsDecodedWhole = std::int64_t{16} << 20;

class LineDecoder;

/// A picture that is decoded from its first line to its last while a band of its lines is kept.
/// Its pixels are those of decode(), and so are its rejects; but a damaged line is met when it is
/// decoded. Throws Error (io) when memory runs out or the file cannot be read.
class BandedPicture {
 public:
  BandedPicture(std::unique_ptr<LineDecoder> lines, const PictureInfo& info, int eighths,
                std::string where);
  ~BandedPicture();

  /// With the lines that are kept: picture().first_line and as many as rgb has.
  const Picture& picture() const noexcept { return picture_; }
  /// Drops the lines above `first` for good (it must not go back), and decodes those before `end`
  /// that are not yet. Both are cut to the picture.
  std::optional<Reject> keep(std::int32_t first, std::int32_t end);
  /// Decodes the lines that nobody needed, as what is damaged is not used.
  std::optional<Reject> finish();
  /// Memory for the largest band, allocated at once.
  void expect(std::int32_t lines);

 private:
  template <class Work>
  std::optional<Reject> guarded(const Work& work);
  void drop_above(std::int32_t first);

  std::unique_ptr<LineDecoder> lines_;
  PictureInfo info_;
  std::string where_;
  Picture picture_;
  std::int32_t decoded_ = 0;  // lines
};

/// picture: none where it has to be decoded whole, and why_whole says what it is ("progressive
/// JPEG"), or its header is damaged, and decode() says how.
struct OpenedBands {
  std::unique_ptr<BandedPicture> picture{};
  std::string why_whole{};
};
/// bytes: outlive the result, as PictureBytes says. min_scale: as decode()'s.
OpenedBands open_bands(const PictureBytes& bytes, const PictureInfo& info, double min_scale,
                       const std::string& where);

}  // namespace letterpress
