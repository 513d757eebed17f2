#include "trainer/loader/pixels/row_sink.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>

using namespace letterpress;

namespace {

constexpr std::size_t kRow = 3 * 320 * 320;  // over two pieces

std::vector<std::uint8_t> some_row() {
  std::vector<std::uint8_t> row(kRow);
  for (std::size_t i = 0; i < kRow; ++i) row[i] = static_cast<std::uint8_t>(i * 2654435761U >> 24);
  return row;
}

using Memory = std::unique_ptr<std::uint8_t, void (*)(void*)>;
Memory memory_for(PixelType type) {
  return {static_cast<std::uint8_t*>(
              std::aligned_alloc(4096, kRow * static_cast<std::size_t>(bytes_of(type)))),
          std::free};
}

/// The row comes in reads of at most `most` bytes, as a disk gives them.
void read_into(RowSink& sink, const std::vector<std::uint8_t>& row, std::size_t most) {
  std::size_t done = 0;
  for (auto room = sink.room(); !room.empty(); room = sink.room()) {
    const std::size_t n = std::min(room.size(), most);
    std::memcpy(room.data(), row.data() + done, n);
    sink.commit(n);
    done += n;
  }
  CHECK(done == kRow);
}

}  // namespace

TEST_CASE("a row is the same whether it comes in one read, in odd pieces or from memory") {
  const std::vector<std::uint8_t> row = some_row();
  for (const PixelType type : {PixelType::bytes, PixelType::float32, PixelType::bfloat16}) {
    const auto bytes = kRow * static_cast<std::size_t>(bytes_of(type));
    const Memory lying = memory_for(type);
    RowSink sink(type, kRow);
    sink.start(lying.get(), false);
    sink.add(row);
    CHECK(sink.taken() == kRow);
    for (const std::size_t most : {kRow, std::size_t{100'000}, std::size_t{4097}}) {
      const Memory read = memory_for(type);
      sink.start(read.get(), true);
      read_into(sink, row, most);
      CHECK(std::memcmp(read.get(), lying.get(), bytes) == 0);
    }
  }
  const Memory copied = memory_for(PixelType::bytes), floats = memory_for(PixelType::float32);
  RowSink as_bytes(PixelType::bytes, kRow), as_floats(PixelType::float32, kRow);
  as_bytes.start(copied.get(), false);
  as_bytes.add(row);
  CHECK(std::equal(row.begin(), row.end(), copied.get()));
  as_floats.start(floats.get(), false);
  as_floats.add(row);
  const auto* const numbers = reinterpret_cast<const float*>(floats.get());
  for (std::size_t i = 0; i < kRow; ++i) REQUIRE(numbers[i] == static_cast<float>(row[i]) / 255.0F);
}

TEST_CASE("the hash is that of the whole row, and only start() with a hash makes one") {
  const std::vector<std::uint8_t> row = some_row();
  const std::uint64_t wanted = hash64(std::as_bytes(std::span(row)));
  for (const PixelType type : {PixelType::bytes, PixelType::float32}) {
    const Memory memory = memory_for(type);
    RowSink sink(type, kRow);
    sink.start(memory.get(), true);
    read_into(sink, row, 50'000);
    CHECK(sink.take_hash()->digest64() == wanted);
    CHECK_FALSE(sink.take_hash());
    sink.start(memory.get(), true);
    sink.add(row);
    CHECK(sink.take_hash()->digest64() == wanted);
    sink.start(memory.get(), false);
    sink.add(row);
    CHECK_FALSE(sink.take_hash());
  }
}
