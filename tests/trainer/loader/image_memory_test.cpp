#include "trainer/loader/image_memory.h"

#include <doctest/doctest.h>

#include <cstdlib>
#include <set>
#include <thread>
#include <vector>

#include "tests/trainer/loader/row_order.h"
#include "tests/trainer/loader/sample_store.h"
#include "trainer/loader/batch_loader.h"

using namespace letterpress;

namespace {

/// Counts what is allocated and not released yet.
struct CountedMemory {
  int held = 0, allocated = 0;
  LoaderOptions options() {
    return {.batch = 4,
            .threads = 1,
            .allocate =
                [this](std::size_t n) { return ++held, ++allocated, std::aligned_alloc(64, n); },
            .release = [this](void* memory) { --held, std::free(memory); }};
  }
};

}  // namespace

TEST_CASE("a block that is let go is given again, and all are released at the end") {
  CountedMemory counted;
  auto memory = std::make_shared<ImageMemory>(counted.options(), 128);
  ImageMemory::Block first = memory->take(), second = memory->take();
  CHECK(counted.allocated == 2);
  std::uint8_t* const place = first.get();
  first.reset();
  CHECK(counted.held == 2);
  CHECK(memory->take().get() == place);
  CHECK(counted.allocated == 2);
  memory.reset();
  CHECK(counted.held == 1);  // the one that is still held
  second.reset();
  CHECK(counted.held == 0);
}

TEST_CASE("blocks may be let go by other threads while more are taken") {
  CountedMemory counted;
  auto memory = std::make_shared<ImageMemory>(counted.options(), 128);
  std::vector<ImageMemory::Block> blocks;
  for (int i = 0; i < 20; ++i) blocks.push_back(memory->take());
  std::jthread other([&blocks] { blocks.clear(); });
  for (int i = 0; i < 20; ++i) memory->take();
  other.join();
  memory.reset();
  CHECK(counted.held == 0);
}

TEST_CASE(
    "images that a consumer takes stay as they are, beyond the loader's end, and the batches after "
    "them are whole") {
  const SampleStore store(21, 2);
  const std::vector<RowPlace> places = jumping_rows();
  CountedMemory counted;
  std::vector<ImageMemory::Block> taken;
  {
    BatchLoader loader(store.reader(), rows_in_turn(places, 4), 0, counted.options());
    while (loader.next()) taken.push_back(loader.take_images());
    CHECK(taken.size() == 16);  // 63 rows
  }
  CHECK(counted.held == 16);
  for (std::size_t i = 0; i < places.size(); ++i) {
    const std::uint8_t* const image =
        taken[i / 4].get() + i % 4 * static_cast<std::size_t>(store.row_bytes());
    for (std::size_t k = 0; k < static_cast<std::size_t>(store.row_bytes()); k += 97)
      REQUIRE(image[k] == sample_pixel(places[i].shard, places[i].row, k));
  }
  taken.clear();
  CHECK(counted.held == 0);
}

TEST_CASE("a consumer that lets its images go makes the loader allocate one block more, once") {
  const SampleStore store(21, 2);
  CountedMemory counted;
  BatchLoader loader(store.reader(), rows_in_turn(jumping_rows(), 4), 0, counted.options());
  while (loader.next()) loader.take_images();
  CHECK(counted.allocated == LoaderOptions{}.buffers + 1);
}
