#pragma once
#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace letterpress {

/// XXH3-128 (github.com/Cyan4973/xxHash, specification 0.8), canonical big-endian bytes.
struct Hash128 {
  std::array<std::uint8_t, 16> bytes{};

  auto operator<=>(const Hash128&) const = default;
  std::string hex() const;                         ///< 32 lower-case digits
  static Hash128 from_hex(std::string_view text);  ///< throws Error unless 32 hexadecimal digits
  /// The first 8 bytes as a big-endian number: /picture_id.
  std::uint64_t prefix() const noexcept {
    std::uint64_t number = 0;
    for (std::size_t i = 0; i < 8; ++i) number = number << 8 | bytes[i];
    return number;
  }
};

Hash128 hash128(std::span<const std::byte> bytes) noexcept;
Hash128 hash128(std::string_view text) noexcept;
std::uint64_t hash64(std::span<const std::byte> bytes) noexcept;  ///< XXH3-64

/// The same hashes of bytes that arrive in pieces. One thread at a time.
class Hasher {
 public:
  Hasher();
  ~Hasher();
  Hasher(Hasher&&) noexcept;
  Hasher& operator=(Hasher&&) noexcept;
  Hasher& add(std::span<const std::byte> bytes) noexcept;
  Hasher& add(std::string_view text) noexcept;
  /// Adds a trivially copyable value's bytes; the type must have no padding.
  template <class T>
  requires std::has_unique_object_representations_v<T> || std::is_floating_point_v<T> Hasher&
  add_value(const T& value) noexcept {
    return add(std::as_bytes(std::span(&value, 1)));
  }
  Hash128 digest128() const noexcept;
  std::uint64_t digest64() const noexcept;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace letterpress

template <>
struct std::hash<letterpress::Hash128> {
  std::size_t operator()(const letterpress::Hash128& value) const noexcept {
    return value.prefix();
  }
};
