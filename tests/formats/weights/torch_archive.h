#pragma once
#include <cstdint>
#include <string>

namespace letterpress {

/// A file as torch.save writes it, of one pickle and no storages: a stored zip archive with the
/// entry a/data.pkl.
inline std::string torch_archive(const std::string& pickle) {
  const auto number = [](std::uint64_t value, std::size_t bytes) {
    std::string text(bytes, '\0');
    for (std::size_t i = 0; i < bytes && i < 8; ++i)
      text[i] = static_cast<char>(value >> 8 * i & 0xff);
    return text;
  };
  std::uint32_t crc = 0xffffffff;
  for (const char byte : pickle) {
    crc ^= static_cast<std::uint8_t>(byte);
    for (int bit = 0; bit < 8; ++bit) crc = crc & 1 ? crc >> 1 ^ 0xedb88320u : crc >> 1;
  }
  const std::string name = "a/data.pkl",
                    sizes = number(~crc, 4) + number(pickle.size(), 4) + number(pickle.size(), 4);
  const std::string local =
      "PK\x03\x04" + number(0, 10) + sizes + number(name.size(), 2) + number(0, 2) + name;
  const std::string central =
      "PK\x01\x02" + number(0, 12) + sizes + number(name.size(), 2) + number(0, 16) + name;
  return local + pickle + central + "PK\x05\x06" + number(0, 4) + number(1, 2) + number(1, 2) +
         number(central.size(), 4) + number(local.size() + pickle.size(), 4) + number(0, 2);
}

}  // namespace letterpress
