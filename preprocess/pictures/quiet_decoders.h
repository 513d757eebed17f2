#pragma once

namespace letterpress {

/// For the start of a program that decodes pictures, before it has threads: what OpenCV's decoders
/// print to std::cerr of a damaged one is dropped, since its reject says it. imdecode() of OpenCV
/// 4.6 prints whatever the level of its log.
void quiet_decoders();

/// While it lives this thread's std::cerr is that of decoders.
class InDecoder {
 public:
  InDecoder();
  ~InDecoder();
  InDecoder(const InDecoder&) = delete;
  InDecoder& operator=(const InDecoder&) = delete;
};

}  // namespace letterpress
