#pragma once
#include <cstdint>
#include <vector>

#include "letterpress/shards/store.h"

namespace letterpress {

/// A source picture as a page shows it.
struct ShownPicture {
  int side = 0;
  std::vector<std::uint8_t> rgb{};  ///< [side, side, 3]
  Affine source_to_shown{};
  int most = 0;  ///< pixels a side that the page should leave of it
};

/// rows: the clean row of a picture, which is shown as it is; or those of its tiles, which are put
/// together and shrunk to 640 pixels a side at most, each pixel the mean of theirs. Where there is
/// no tile it is as grey as the padding of rows. Throws Error naming a damaged row.
ShownPicture shown_picture(const SnapshotReader& reader, const std::vector<PictureRows>& rows);

}  // namespace letterpress
