#include "trainer/loader/image_memory.h"

#include <sys/mman.h>

#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>

#include "letterpress/base/error.h"
#include "trainer/loader/loader_options.h"

namespace letterpress {
namespace {

constexpr std::size_t kPage = 4096, kHugePage = 2 << 20;

// With huge pages a batch needs a five-hundredth of the address translations. Where the kernel has
// none, it stays in small pages.
void* allocate_pages(std::size_t bytes) {
  const std::size_t page = bytes < kHugePage ? kPage : kHugePage;
  const std::size_t size = (bytes / page + 1) * page;
  void* const memory = std::aligned_alloc(page, size);
  if (memory && page == kHugePage) ::madvise(memory, size, MADV_HUGEPAGE);
  return memory;
}

}  // namespace

ImageMemory::ImageMemory(const LoaderOptions& options, std::size_t bytes)
    : allocate_(options.allocate ? options.allocate : allocate_pages),
      release_(options.allocate ? options.release : std::free),
      bytes_(bytes),
      rows_(options.batch) {}

ImageMemory::~ImageMemory() {
  for (std::uint8_t* const block : free_) release_(block);
}

ImageMemory::Block ImageMemory::take() {
  {
    const std::lock_guard lock(mutex_);
    if (!free_.empty()) {
      std::uint8_t* const block = free_.back();
      free_.pop_back();
      return own(block);
    }
  }
  return own(allocate());
}

ImageMemory::Block ImageMemory::own(std::uint8_t* memory) {
  return {memory, [whose = weak_from_this(), release = release_](std::uint8_t* block) {
            const std::shared_ptr<ImageMemory> owner = whose.lock();
            if (!owner) return release(block);
            const std::lock_guard lock(owner->mutex_);
            owner->free_.push_back(block);
          }};
}

std::uint8_t* ImageMemory::allocate() const {
  void* const memory = allocate_(bytes_);
  if (!memory)
    throw Error({.what = "no memory for a batch of " + std::to_string(rows_) + " rows, " +
                         std::to_string(bytes_) + " bytes",
                 .fix = "give smaller batches, or fewer buffers"},
                Exit::io);
  if (reinterpret_cast<std::uintptr_t>(memory) % 64 != 0) {
    release_(memory);
    throw std::logic_error(
        "LoaderOptions::allocate gave memory that does not begin on a multiple of 64");
  }
  // Touches every page now, so that the last step needs no more memory than the first.
  std::memset(memory, 0, bytes_);
  return static_cast<std::uint8_t*>(memory);
}

}  // namespace letterpress
