#pragma once
#include <cstdint>
#include <string>

namespace letterpress {

/// One row to be drawn again from what its shard stores.
struct ExplainRequest {
  std::string store, name;    ///< name: of the picture, or a part of it that no other has
  std::int64_t snapshot = 0;  ///< generation; 0: the newest
  int view = 1;               ///< 0: the clean letterbox
  int of_tile = 0;            ///< in a store of tiles: number in the picture
  std::string out;            ///< PNG of the steps
  int tile = 320;             ///< pixels of one step on it
};

/// Prints what was drawn for the row and draws it again, step by step, from the picture. Returns
/// the exit code: 65 when the result is not the stored row, to the byte. Throws Error: no_input
/// when picture or row are not there, data when the picture has changed since.
int explain_row(const ExplainRequest& request);

}  // namespace letterpress
