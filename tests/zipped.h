#pragma once
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace letterpress {

/// The number's bytes, lowest first.
inline std::string zip_number(std::uint64_t value, int bytes) {
  std::string text;
  for (int i = 0; i < bytes; ++i, value >>= 8) text += static_cast<char>(value);
  return text;
}

inline std::uint32_t zip_checksum(const std::string& content) {
  std::uint32_t sum = ~std::uint32_t{0};
  for (const char c : content) {
    sum ^= static_cast<unsigned char>(c);
    for (int bit = 0; bit < 8; ++bit) sum = sum & 1 ? sum >> 1 ^ 0xedb88320u : sum >> 1;
  }
  return ~sum;
}

/// A member as its headers state it, by PKWARE's APPNOTE 6.3.
struct ZippedMember {
  std::string name, content;  ///< content: as it is in the archive
  std::uint32_t bytes = 0;    ///< of the content once it is inflated
  std::uint16_t method = 0;   ///< 0 stored, 8 deflated
  std::int64_t header = -1;   ///< -1: where it is; else where the directory says it is
};

/// A zip archive of these members.
inline std::string zipped(const std::vector<ZippedMember>& members) {
  std::string archive, directory;
  for (const ZippedMember& member : members) {
    const std::string sizes = zip_number(zip_checksum(member.content), 4) +
                              zip_number(member.content.size(), 4) + zip_number(member.bytes, 4) +
                              zip_number(member.name.size(), 2);
    const std::string method = zip_number(0, 2) + zip_number(member.method, 2) + zip_number(0, 4);
    const std::uint64_t header =
        member.header < 0 ? archive.size() : static_cast<std::uint64_t>(member.header);
    directory += "PK\x01\x02" + zip_number(20, 2) + zip_number(20, 2) + method + sizes +
                 zip_number(0, 12) + zip_number(header, 4) + member.name;
    archive += "PK\x03\x04" + zip_number(20, 2) + method + sizes + zip_number(0, 2) + member.name +
               member.content;
  }
  return archive + directory + "PK\x05\x06" + zip_number(0, 4) + zip_number(members.size(), 2) +
         zip_number(members.size(), 2) + zip_number(directory.size(), 4) +
         zip_number(archive.size(), 4) + zip_number(0, 2);
}

/// The same of stored files.
inline std::string zipped(const std::vector<std::pair<std::string, std::string>>& files) {
  std::vector<ZippedMember> members;
  for (const auto& [name, content] : files)
    members.push_back({name, content, static_cast<std::uint32_t>(content.size())});
  return zipped(members);
}

}  // namespace letterpress
