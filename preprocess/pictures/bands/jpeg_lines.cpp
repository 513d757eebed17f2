#include <csetjmp>
#include <cstddef>
#include <cstdio>
#include <exception>
#include <new>

#include "preprocess/pictures/bands/line_decoder.h"
#include "preprocess/pictures/decoders.h"
// after <cstdio>, which it needs
#include <jerror.h>
#include <jpeglib.h>

namespace letterpress {
namespace {

constexpr std::size_t kRead = std::size_t{64} << 10;

// libjpeg reports by leaving its functions with longjmp, so nothing between attempt() and it has a
// destructor. An exception of reading the file waits until libjpeg is left.
class JpegLines : public LineDecoder {
 public:
  // truncated: a file that ends early is decoded up to its end, and the rest is what libjpeg makes
  // of an image that ends there.
  JpegLines(const PictureBytes& bytes, bool truncated) : bytes_(bytes), truncated_(truncated) {
    jpeg_.err = jpeg_std_error(&errors_);
    jpeg_.client_data = this;
    errors_.error_exit = [](j_common_ptr jpeg) { leave(jpeg); };
    // Strict, as decode_jpeg: a warning is a fault, but for those of an end that is expected.
    errors_.emit_message = [](j_common_ptr jpeg, int level) {
      auto* const lines = static_cast<JpegLines*>(jpeg->client_data);
      if (jpeg->err->msg_code == JWRN_JPEG_EOF && lines->truncated_) lines->ended_ = true;
      if (level < 0 && !lines->ended_) leave(jpeg);
    };
    errors_.output_message = [](j_common_ptr) {};
    attempt([this] { jpeg_create_decompress(&jpeg_); });
    source_.init_source = [](j_decompress_ptr) {};
    source_.term_source = [](j_decompress_ptr) {};
    source_.resync_to_restart = jpeg_resync_to_restart;
    source_.fill_input_buffer = [](j_decompress_ptr jpeg) { return owner(jpeg)->fill(); };
    source_.skip_input_data = [](j_decompress_ptr jpeg, long n) { owner(jpeg)->skip(n); };
    jpeg_.src = &source_;
  }
  JpegLines(const JpegLines&) = delete;
  JpegLines& operator=(const JpegLines&) = delete;
  ~JpegLines() override { jpeg_destroy_decompress(&jpeg_); }

  // Returns false for a damaged header.
  bool read_header() {
    return attempt([this] { jpeg_read_header(&jpeg_, TRUE); });
  }
  bool has_scans() { return jpeg_has_multiple_scans(&jpeg_) != 0; }
  bool progressive() const { return jpeg_.progressive_mode != 0; }

  // With what decode_jpeg asks of TurboJPEG.
  bool start(int eighths) {
    jpeg_.scale_num = static_cast<unsigned>(eighths);
    jpeg_.scale_denom = 8;
    jpeg_.out_color_space = JCS_EXT_RGB;
    jpeg_.dct_method = JDCT_ISLOW;
    if (!attempt([this] { jpeg_start_decompress(&jpeg_); })) return false;
    width = static_cast<std::int32_t>(jpeg_.output_width);
    height = static_cast<std::int32_t>(jpeg_.output_height);
    return true;
  }

  std::string next_lines(std::int32_t n, std::uint8_t* rgb) override {
    const std::ptrdiff_t line = 3 * static_cast<std::ptrdiff_t>(width);
    for (std::int32_t i = 0; i < n; ++i) {
      JSAMPROW to = rgb + i * line;
      if (!attempt([&] { jpeg_read_scanlines(&jpeg_, &to, 1); })) return message_;
    }
    return {};
  }

  std::string finish() override {
    return attempt([this] { jpeg_finish_decompress(&jpeg_); }) ? std::string() : message_;
  }

 private:
  static JpegLines* owner(j_decompress_ptr jpeg) {
    return static_cast<JpegLines*>(jpeg->client_data);
  }

  [[noreturn]] static void leave(j_common_ptr jpeg) {
    auto* const lines = static_cast<JpegLines*>(jpeg->client_data);
    lines->out_of_memory_ = jpeg->err->msg_code == JERR_OUT_OF_MEMORY;
    (*jpeg->err->format_message)(jpeg, lines->message_);
    std::longjmp(lines->back_, 1);
  }

  // Returns false where libjpeg finds a fault: message_.
  template <class Work>
  bool attempt(const Work& work) {
    if (setjmp(back_) == 0) {  // NOLINT: libjpeg's way to report
      work();
      return true;
    }
    if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
    if (out_of_memory_) throw std::bad_alloc();
    return false;
  }

  boolean fill() {
    const JOCTET* found = nullptr;
    std::size_t n = 0;
    if (!view(found, n)) {
      ERREXIT(&jpeg_, JERR_FILE_READ);
    }
    at_ += n;
    if (n == 0) {
      static constexpr JOCTET kEnd[] = {0xFF, JPEG_EOI};
      WARNMS(&jpeg_, JWRN_JPEG_EOF);
      found = kEnd;
      n = sizeof kEnd;
    }
    source_.next_input_byte = found;
    source_.bytes_in_buffer = n;
    return TRUE;
  }

  bool view(const JOCTET*& found, std::size_t& n) noexcept {
    try {
      const std::span<const std::byte> bytes = bytes_.view(at_, kRead);
      found = reinterpret_cast<const JOCTET*>(bytes.data());
      n = bytes.size();
      return true;
    } catch (...) {
      failure_ = std::current_exception();
      return false;
    }
  }

  void skip(long n) {
    if (n <= 0) return;
    const auto wanted = static_cast<std::size_t>(n);
    if (wanted > source_.bytes_in_buffer) {
      at_ += wanted - source_.bytes_in_buffer;
      source_.bytes_in_buffer = 0;
    } else {
      source_.next_input_byte += wanted;
      source_.bytes_in_buffer -= wanted;
    }
  }

  PictureBytes bytes_;
  bool truncated_, ended_ = false;
  std::size_t at_ = 0;  // of what is read next
  jpeg_decompress_struct jpeg_{};
  jpeg_error_mgr errors_{};
  jpeg_source_mgr source_{};
  std::jmp_buf back_{};
  char message_[JMSG_LENGTH_MAX]{};
  bool out_of_memory_ = false;
  std::exception_ptr failure_;
};

}  // namespace

OpenedLines open_jpeg_lines(const PictureBytes& bytes, const PictureInfo& info, int eighths) {
  if (info.cmyk) return {nullptr, "JPEG in CMYK"};
  auto lines = std::make_unique<JpegLines>(bytes, info.truncated);
  if (!lines->read_header()) return {};
  if (lines->has_scans())
    return {nullptr, lines->progressive() ? "progressive JPEG" : "JPEG with several scans"};
  if (!lines->start(eighths)) return {};
  return {std::move(lines), ""};
}

std::string decode_jpeg_lines(std::span<const std::byte> bytes, const PictureInfo& info,
                              int scale_eighths, StoredPixels& pixels) {
  const OpenedLines opened = open_jpeg_lines(bytes, info, scale_eighths);
  if (!opened.lines) {
    return opened.why_whole.empty()
               ? "its header is damaged"
               : "is a " + opened.why_whole + " of unusual chroma sampling, which is not read: " +
                     "save it again with 4:2:0 or 4:4:4";
  }
  pixels.width = opened.lines->width;
  pixels.height = opened.lines->height;
  pixels.rgb.resize(3 * static_cast<std::size_t>(pixels.width) *
                    static_cast<std::size_t>(pixels.height));
  const std::string problem = opened.lines->next_lines(pixels.height, pixels.rgb.data());
  return problem.empty() ? opened.lines->finish() : problem;
}

}  // namespace letterpress
