#include "preprocess/pictures/quiet_decoders.h"

#include <iostream>
#include <streambuf>

namespace letterpress {
namespace {

thread_local bool in_decoder = false;

// Passes on what is not of decoders. Holds nothing back, as std::cerr does.
class WithoutDecoders : public std::streambuf {
 public:
  explicit WithoutDecoders(std::streambuf* to) : to_(to) {}

 protected:
  int_type overflow(int_type character) override {
    if (in_decoder || traits_type::eq_int_type(character, traits_type::eof()))
      return traits_type::not_eof(character);
    return to_->sputc(traits_type::to_char_type(character));
  }
  std::streamsize xsputn(const char* text, std::streamsize n) override {
    return in_decoder ? n : to_->sputn(text, n);
  }
  int sync() override { return to_->pubsync(); }

 private:
  std::streambuf* to_;
};

}  // namespace

void quiet_decoders() {
  // Never destroyed: std::cerr is used until the very end.
  static std::streambuf* const buffer = new WithoutDecoders(std::cerr.rdbuf());
  std::cerr.rdbuf(buffer);
}

InDecoder::InDecoder() { in_decoder = true; }
InDecoder::~InDecoder() { in_decoder = false; }

}  // namespace letterpress
