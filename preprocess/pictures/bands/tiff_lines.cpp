#include "preprocess/pictures/bands/line_decoder.h"

#ifdef LETTERPRESS_LIBTIFF
#include <dlfcn.h>
#include <tiffio.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <exception>
#include <utility>
#include <vector>

#include "preprocess/pictures/tiff_directory.h"
#include "preprocess/pictures/tiff_errors.h"
#endif

namespace letterpress {

#ifdef LETTERPRESS_LIBTIFF
namespace {

// A strip or a line of tiles may take so much: a picture in one strip is decoded whole.
constexpr std::uint64_t kLargestPart = std::uint64_t{32} << 20;

// libtiff is one of the libraries of OpenCV's imgcodecs, and is loaded as these are: for the first
// picture that needs it.
class Libtiff {
 public:
  static const Libtiff& loaded() {
    static const Libtiff library;
    return library;
  }
  explicit operator bool() const { return found_; }

  decltype(&::TIFFClientOpen) open = nullptr;
  decltype(&::TIFFClose) close = nullptr;
  decltype(&::TIFFIsTiled) is_tiled = nullptr;
  decltype(&::TIFFRGBAImageOK) is_readable = nullptr;
  decltype(&::TIFFReadRGBAStripExt) read_strip = nullptr;
  decltype(&::TIFFReadRGBATileExt) read_tile = nullptr;
  decltype(&::TIFFGetFieldDefaulted) field = nullptr;

 private:
  Libtiff() {
    void* const library = dlopen(LETTERPRESS_LIBTIFF, RTLD_NOW | RTLD_LOCAL);
    if (!library) return;
    decltype(&::TIFFSetErrorHandler) set_errors = nullptr, set_warnings = nullptr;
    found_ = find(library, "TIFFClientOpen", open) && find(library, "TIFFClose", close) &&
             find(library, "TIFFIsTiled", is_tiled) &&
             find(library, "TIFFRGBAImageOK", is_readable) &&
             find(library, "TIFFReadRGBAStripExt", read_strip) &&
             find(library, "TIFFReadRGBATileExt", read_tile) &&
             find(library, "TIFFGetFieldDefaulted", field) &&
             find(library, "TIFFSetErrorHandler", set_errors) &&
             find(library, "TIFFSetWarningHandler", set_warnings);
    if (!found_) return;
    set_errors(keep_tiff_error);  // it would print; one handler serves all readers
    set_warnings(nullptr);
  }

  template <class Function>
  static bool find(void* library, const char* name, Function& function) {
    function = reinterpret_cast<Function>(dlsym(library, name));
    return function != nullptr;
  }

  bool found_ = false;
};

class TiffLines : public LineDecoder {
 public:
  explicit TiffLines(const PictureBytes& bytes) : bytes_(bytes) {}
  TiffLines(const TiffLines&) = delete;
  TiffLines& operator=(const TiffLines&) = delete;
  ~TiffLines() override {
    if (tiff_) lib_.close(tiff_);
  }

  // Returns false for what OpenCV would not read either.
  bool start() {
    tiff_ = lib_.open("picture", "r", this, read, write, seek, close, size, nullptr, nullptr);
    char reason[1024];
    if (failed() || !tiff_ || lib_.is_readable(tiff_, reason) == 0) return false;
    std::uint32_t across = 0, down = 0;
    lib_.field(tiff_, TIFFTAG_IMAGEWIDTH, &across);
    lib_.field(tiff_, TIFFTAG_IMAGELENGTH, &down);
    width = static_cast<std::int32_t>(across);
    height = static_cast<std::int32_t>(down);
    tiled_ = lib_.is_tiled(tiff_) != 0;
    if (tiled_) {
      lib_.field(tiff_, TIFFTAG_TILEWIDTH, &part_width_);
      lib_.field(tiff_, TIFFTAG_TILELENGTH, &part_height_);
    } else {
      part_width_ = across;
      lib_.field(tiff_, TIFFTAG_ROWSPERSTRIP, &part_height_);
      part_height_ = std::min(part_height_, down);
    }
    return part_width_ > 0 && part_height_ > 0 && !failed();
  }

  // Of decoded pixels, bytes.
  std::uint64_t part_bytes() const {
    const std::uint64_t of_lines = std::uint64_t{3} * static_cast<std::uint32_t>(width);
    return part_height_ * (std::uint64_t{4} * part_width_ + (tiled_ ? of_lines : 0));
  }

  std::string next_lines(std::int32_t n, std::uint8_t* rgb) override {
    const std::size_t line = 3 * static_cast<std::size_t>(width);
    for (std::int32_t i = 0; i < n; ++i, ++line_, rgb += line) {
      const std::uint32_t in_part = line_ % part_height_;
      if (in_part == 0 && !read_part())
        return "libtiff cannot decode line " + std::to_string(line_);
      std::memcpy(rgb, lines_.data() + line * in_part, line);
    }
    return {};
  }

 private:
  bool read_part() {
    pixels_.resize(std::size_t{part_width_} * part_height_);
    lines_.resize(3 * static_cast<std::size_t>(width) * part_height_);
    const std::uint32_t end = std::min(part_height_, static_cast<std::uint32_t>(height) - line_);
    for (std::uint32_t x = 0; x < static_cast<std::uint32_t>(width); x += part_width_) {
      constexpr int kStopOnError = 1;  // else what cannot be read is black
      const int done = tiled_ ? lib_.read_tile(tiff_, x, line_, pixels_.data(), kStopOnError)
                              : lib_.read_strip(tiff_, line_, pixels_.data(), kStopOnError);
      if (failed() || done == 0) return false;
      // Rasters begin with their lowest line: of a tile the whole one's, of a strip the last there
      // is.
      const std::uint32_t lowest = (tiled_ ? part_height_ : end) - 1;
      for (std::uint32_t y = 0; y < end; ++y) copy_line(lowest - y, x, y);
    }
    return true;
  }

  void copy_line(std::uint32_t raster_line, std::uint32_t x, std::uint32_t y) {
    const std::uint32_t* from = pixels_.data() + std::size_t{raster_line} * part_width_;
    std::uint8_t* to = lines_.data() + 3 * (static_cast<std::size_t>(width) * y + x);
    const std::uint32_t n = std::min(part_width_, static_cast<std::uint32_t>(width) - x);
    for (std::uint32_t i = 0; i < n; ++i, ++from, to += 3) {
      to[0] = static_cast<std::uint8_t>(TIFFGetR(*from));
      to[1] = static_cast<std::uint8_t>(TIFFGetG(*from));
      to[2] = static_cast<std::uint8_t>(TIFFGetB(*from));
    }
  }

  // Whether the file could not be read: rethrown by whoever asks next.
  bool failed() {
    if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
    return false;
  }

  static TiffLines& owner(thandle_t handle) { return *static_cast<TiffLines*>(handle); }
  static tmsize_t read(thandle_t handle, void* to, tmsize_t n) {
    TiffLines& lines = owner(handle);
    try {
      const auto found = lines.bytes_.view(lines.at_, static_cast<std::size_t>(n));
      std::memcpy(to, found.data(), found.size());
      lines.at_ += found.size();
      return static_cast<tmsize_t>(found.size());
    } catch (...) {
      lines.failure_ = std::current_exception();
      return -1;
    }
  }
  static tmsize_t write(thandle_t, void*, tmsize_t) { return -1; }
  static toff_t seek(thandle_t handle, toff_t offset, int whence) {
    TiffLines& lines = owner(handle);
    const std::size_t from = whence == SEEK_CUR   ? lines.at_
                             : whence == SEEK_END ? lines.bytes_.size()
                                                  : 0;
    lines.at_ = from + offset;
    return lines.at_;
  }
  static int close(thandle_t) { return 0; }
  static toff_t size(thandle_t handle) { return owner(handle).bytes_.size(); }

  const Libtiff& lib_ = Libtiff::loaded();
  PictureBytes bytes_;
  std::size_t at_ = 0;
  TIFF* tiff_ = nullptr;
  bool tiled_ = false;
  std::uint32_t part_width_ = 0, part_height_ = 0;  // of a strip or tile
  std::uint32_t line_ = 0;                          // the next one
  std::vector<std::uint32_t> pixels_;               // of a strip or tile
  std::vector<std::uint8_t> lines_;                 // of a strip or a line of tiles
  std::exception_ptr failure_;
};

}  // namespace

OpenedLines open_tiff_lines(const PictureBytes& bytes, const PictureInfo& info) {
  if (!TiffDirectory(bytes).found()) return {nullptr, "BMP or WebP"};
  if (!Libtiff::loaded()) return {nullptr, "TIFF without " LETTERPRESS_LIBTIFF};
  if (info.alpha) return {nullptr, "TIFF with alpha"};
  if (info.bit_depth > 8) return {nullptr, "TIFF with more than 8 bits"};
  auto lines = std::make_unique<TiffLines>(bytes);
  if (!lines->start()) return {};
  if (lines->part_bytes() > kLargestPart) return {nullptr, "TIFF with large strips or tiles"};
  return {std::move(lines), ""};
}
#else
OpenedLines open_tiff_lines(const PictureBytes&, const PictureInfo&) {
  return {nullptr, "BMP, TIFF or WebP"};
}
#endif

}  // namespace letterpress
