#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

namespace letterpress {

struct LoaderOptions;

/// Memory for the images of batches: blocks of one size, used again when they are let go. A block
/// may outlive this. Thread-safe.
class ImageMemory : public std::enable_shared_from_this<ImageMemory> {
 public:
  /// Back to the memory that it is of, in any thread; freed where that is gone.
  using Block = std::unique_ptr<std::uint8_t, std::function<void(std::uint8_t*)>>;

  /// Takes LoaderOptions::allocate and release, or whole pages.
  ImageMemory(const LoaderOptions& options, std::size_t bytes);
  ~ImageMemory();
  ImageMemory(const ImageMemory&) = delete;
  ImageMemory& operator=(const ImageMemory&) = delete;

  /// A block that nobody holds, else a new one with every page touched. Throws Error when there is
  /// no memory.
  Block take();

 private:
  std::uint8_t* allocate() const;
  Block own(std::uint8_t* memory);

  std::function<void*(std::size_t)> allocate_;
  std::function<void(void*)> release_;
  std::size_t bytes_;
  int rows_;
  std::mutex mutex_;
  std::vector<std::uint8_t*> free_;
};

}  // namespace letterpress
