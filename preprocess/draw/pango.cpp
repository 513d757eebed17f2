#include "preprocess/draw/pango.h"

#include <dlfcn.h>

#include <algorithm>
#include <memory>

namespace letterpress {
namespace {

// What is used of the C interfaces of Pango 1.44 or newer and Cairo 1.10 or newer, which have been
// the same for many years (docs.gtk.org/Pango, cairographics.org/manual). Loaded by name, so that
// nothing but a drawing of such a text needs them.
struct Library {
  void* (*pango_cairo_font_map_get_default)();
  void (*pango_font_map_list_families)(void* map, void*** families, int* n);
  void (*g_free)(void* memory);
  void (*g_object_unref)(void* object);
  void* (*pango_font_description_from_string)(const char* text);
  void (*pango_font_description_set_absolute_size)(void* description, double size);
  void (*pango_font_description_free)(void* description);
  void* (*pango_cairo_create_layout)(void* cairo);
  void (*pango_layout_set_font_description)(void* layout, const void* description);
  void (*pango_layout_set_single_paragraph_mode)(void* layout, int single);
  void (*pango_layout_set_text)(void* layout, const char* text, int length);
  void (*pango_layout_get_pixel_size)(void* layout, int* width, int* height);
  int (*pango_layout_get_baseline)(void* layout);
  int (*pango_layout_get_unknown_glyphs_count)(void* layout);
  void (*pango_cairo_show_layout)(void* cairo, void* layout);
  int (*cairo_format_stride_for_width)(int format, int width);
  void* (*cairo_image_surface_create_for_data)(unsigned char* data, int format, int width,
                                               int height, int stride);
  void (*cairo_surface_flush)(void* surface);
  void (*cairo_surface_destroy)(void* surface);
  void* (*cairo_create)(void* surface);
  void (*cairo_destroy)(void* cairo);
};
constexpr int kPangoScale = 1024;  // Pango's units of a pixel
constexpr int kCoverage = 2;       // CAIRO_FORMAT_A8

template <class Function>
bool load(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  return function != nullptr;
}

// Pango ends the process when it has to draw without any font.
bool has_fonts(const Library& library) {
  void** families = nullptr;
  int n = 0;
  library.pango_font_map_list_families(library.pango_cairo_font_map_get_default(), &families, &n);
  library.g_free(families);
  return n > 0;
}

std::optional<Library> load_library() {
  void* const file = dlopen("libpangocairo-1.0.so.0", RTLD_NOW | RTLD_LOCAL);
  if (!file) return std::nullopt;
  Library library{};
  bool complete = true;
#define LETTERPRESS_LOAD(name) complete = load(file, #name, library.name) && complete
  LETTERPRESS_LOAD(pango_cairo_font_map_get_default);
  LETTERPRESS_LOAD(pango_font_map_list_families);
  LETTERPRESS_LOAD(g_free);
  LETTERPRESS_LOAD(g_object_unref);
  LETTERPRESS_LOAD(pango_font_description_from_string);
  LETTERPRESS_LOAD(pango_font_description_set_absolute_size);
  LETTERPRESS_LOAD(pango_font_description_free);
  LETTERPRESS_LOAD(pango_cairo_create_layout);
  LETTERPRESS_LOAD(pango_layout_set_font_description);
  LETTERPRESS_LOAD(pango_layout_set_single_paragraph_mode);
  LETTERPRESS_LOAD(pango_layout_set_text);
  LETTERPRESS_LOAD(pango_layout_get_pixel_size);
  LETTERPRESS_LOAD(pango_layout_get_baseline);
  LETTERPRESS_LOAD(pango_layout_get_unknown_glyphs_count);
  LETTERPRESS_LOAD(pango_cairo_show_layout);
  LETTERPRESS_LOAD(cairo_format_stride_for_width);
  LETTERPRESS_LOAD(cairo_image_surface_create_for_data);
  LETTERPRESS_LOAD(cairo_surface_flush);
  LETTERPRESS_LOAD(cairo_surface_destroy);
  LETTERPRESS_LOAD(cairo_create);
  LETTERPRESS_LOAD(cairo_destroy);
#undef LETTERPRESS_LOAD
  return complete && has_fonts(library) ? std::optional(library) : std::nullopt;
}

// Something of the library's, which one of its functions lets go.
using Owned = std::unique_ptr<void, void (*)(void*)>;

// A surface of coverage with what draws on it.
struct Surface {
  Surface(const Library& library, int width, int height)
      : stride(library.cairo_format_stride_for_width(kCoverage, width)),
        bytes(static_cast<std::size_t>(stride) * static_cast<std::size_t>(height)),
        surface(library.cairo_image_surface_create_for_data(bytes.data(), kCoverage, width, height,
                                                            stride),
                library.cairo_surface_destroy),
        cairo(library.cairo_create(surface.get()), library.cairo_destroy) {}
  int stride;
  std::vector<std::uint8_t> bytes;
  Owned surface, cairo;
};

Owned layout_of(const Library& library, const Surface& surface, std::string_view text, int pixels) {
  const Owned font(library.pango_font_description_from_string("Sans"),
                   library.pango_font_description_free);
  library.pango_font_description_set_absolute_size(font.get(), pixels * kPangoScale);
  Owned layout(library.pango_cairo_create_layout(surface.cairo.get()), library.g_object_unref);
  library.pango_layout_set_font_description(layout.get(), font.get());
  library.pango_layout_set_single_paragraph_mode(layout.get(), 1);
  library.pango_layout_set_text(layout.get(), text.data(), static_cast<int>(text.size()));
  return layout;
}

}  // namespace

std::optional<TextMask> pango_text(std::string_view utf8, int pixels) {
  static const std::optional<Library> library = load_library();
  if (!library) return std::nullopt;
  TextMask mask;
  {
    const Surface measured(*library, 1, 1);
    const Owned layout = layout_of(*library, measured, utf8, pixels);
    library->pango_layout_get_pixel_size(layout.get(), &mask.width, &mask.height);
    mask.ascent =
        (library->pango_layout_get_baseline(layout.get()) + kPangoScale / 2) / kPangoScale;
    mask.whole = library->pango_layout_get_unknown_glyphs_count(layout.get()) == 0;
  }
  mask.width = std::max(mask.width, 1);
  mask.height = std::max(mask.height, 1);
  const Surface surface(*library, mask.width, mask.height);
  const Owned layout = layout_of(*library, surface, utf8, pixels);
  library->pango_cairo_show_layout(surface.cairo.get(), layout.get());
  library->cairo_surface_flush(surface.surface.get());
  for (int y = 0; y < mask.height; ++y) {
    const auto row = surface.bytes.begin() + static_cast<std::ptrdiff_t>(y) * surface.stride;
    mask.coverage.insert(mask.coverage.end(), row, row + mask.width);
  }
  return mask;
}

}  // namespace letterpress
