#pragma once
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace letterpress {

/// One box to draw. Coordinates in pixels of the picture, pixel i covers [i, i+1); parts outside
/// the picture are cut off.
struct DrawnBox {
  float x1 = 0, y1 = 0, x2 = 0, y2 = 0;
  std::string text;      ///< class name in any script, with a score if there is one: "RBC 0.93"
  int colour_index = 0;  ///< class id, any integer: boxes with the same index have the same colour
};

/// Draws the boxes with their texts, thin lines with a dark rim of a pixel, so that they stand out
/// on any background. rgb: uint8 [height, width, 3], changed in place. Throws std::logic_error if
/// its size does not fit.
void draw_boxes(std::span<std::uint8_t> rgb, int width, int height,
                std::span<const DrawnBox> boxes);

/// What of these texts cannot be drawn here and what to install for it, in a line; empty when all
/// can. Their other characters are drawn; those that cannot be are '?' without Pango, else boxes.
std::string note_on_texts(std::span<const std::string> texts);

/// One picture of a contact sheet.
struct Tile {
  std::vector<std::uint8_t> rgb;  ///< uint8 [height, width, 3]
  int width = 0, height = 0;
  std::string caption;            ///< below the picture, cut to its width
  std::string caption_end{};      ///< behind the caption, which is cut first
  std::string caption_more{};     ///< behind both, where it leaves them whole
  std::vector<DrawnBox> boxes{};  ///< in its pixels; drawn when it has its size on the sheet
};

/// A drawn picture, for encode_png. rgb: uint8 [height, width, 3].
struct Sheet {
  std::vector<std::uint8_t> rgb;
  int width = 0, height = 0;
};

/// Puts tiles in order into rows of `columns`, each scaled (aspect kept, centred) to tile_side x
/// tile_side pixels above its caption. Fewer tiles than columns make a narrower sheet. Throws
/// std::logic_error for no tiles, columns < 1 or tile_side < 32.
Sheet contact_sheet(std::span<const Tile> tiles, int columns, int tile_side);

/// Adds lines below a sheet that name the colours of boxes: class names by colour_index. Names that
/// three lines have no room for are counted: "and 12 more".
void add_legend(Sheet& sheet, const std::map<int, std::string>& names);

}  // namespace letterpress
