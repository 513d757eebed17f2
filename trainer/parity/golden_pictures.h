#pragma once
#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "letterpress/shards/tiles.h"

namespace letterpress {

/// The pictures on which a deployed network is compared with predict.
struct GoldenPictures {
  std::vector<std::filesystem::path> files{};
  std::filesystem::path store{};  ///< of whose split val they are; empty: they are drawn
  std::int64_t generation = 0;    ///< of its snapshot
  std::string snapshot_digest{};  ///< logical digest, hex
  std::string depth{};            ///< of its 16-bit pictures, as build was given it; "": none
};

/// How a network cuts pictures.
struct Tiling {
  int side = 0;  ///< of its frames, pixels
  TileRule rule{};
};

inline constexpr std::size_t kGoldenPictures = 64;
inline constexpr std::size_t kGoldenTiles = 512;

/// kGoldenPictures of the newest snapshot's split val, or all where it has fewer, evenly over its
/// ledger; those whose files are still where they were. Where the network is of tiles, fewer, until
/// all together have kGoldenTiles at most; one at least. None where there is no val, or no file.
GoldenPictures golden_pictures(const std::filesystem::path& store,
                               const std::optional<Tiling>& tiling = {});

/// kGoldenPictures PNGs in `folder`: coloured shapes on a soft ground, of sizes that are smaller,
/// larger and much larger than common frames, wide, high and square. The same at every call.
GoldenPictures draw_golden_pictures(const std::filesystem::path& folder);

/// Of which stores pictures may be. Empty: of none.
struct GoldenStores {
  std::filesystem::path named{};    ///< the user wants these
  std::filesystem::path guessed{};  ///< looked at where none is named
  std::optional<Tiling> tiling{};   ///< of the network
};
/// Those of the named store: throws Error (no_input) where it has none. Else those of the guessed
/// one; where it has none, or cannot be opened, drawn ones in `folder`. note: why it could not.
GoldenPictures choose_golden_pictures(const GoldenStores& stores,
                                      const std::filesystem::path& folder, std::string& note);

}  // namespace letterpress
