#include <array>

#include "letterpress/events/event_file.h"

namespace letterpress {
namespace {

// A table of 256 entries is fast enough for a few hundred bytes per log line: no library for it.
constexpr std::uint32_t kReflectedPolynomial = 0x82F63B78;

constexpr std::array<std::uint32_t, 256> make_table() {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    std::uint32_t sum = byte;
    for (int bit = 0; bit < 8; ++bit) sum = sum >> 1 ^ (sum & 1 ? kReflectedPolynomial : 0);
    table[byte] = sum;
  }
  return table;
}

constexpr std::array<std::uint32_t, 256> kTable = make_table();

}  // namespace

std::uint32_t crc32c(std::string_view bytes) {
  std::uint32_t sum = 0xFFFFFFFF;
  for (const char byte : bytes)
    sum = sum >> 8 ^ kTable[(sum ^ static_cast<unsigned char>(byte)) & 255];
  return ~sum;
}

}  // namespace letterpress
