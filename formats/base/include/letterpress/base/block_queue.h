#pragma once
#include <sys/mman.h>

#include <algorithm>
#include <cstddef>
#include <deque>
#include <iterator>
#include <memory>
#include <new>
#include <utility>

namespace letterpress {

/// A queue of many large elements, which do not move. Its memory comes from the system in blocks and goes back there block by block as the
/// front is taken: what malloc is given back lies in pieces between what others hold still, and stays with the process. Throws
/// std::bad_alloc.
template <class T>
class BlockQueue {
 public:
  BlockQueue() = default;
  BlockQueue(BlockQueue&& other) noexcept
      : blocks_(std::move(other.blocks_)), taken_(std::exchange(other.taken_, 0)), size_(std::exchange(other.size_, 0)) {}
  BlockQueue& operator=(BlockQueue&& other) noexcept {
    std::swap(blocks_, other.blocks_);
    std::swap(taken_, other.taken_);
    std::swap(size_, other.size_);
    return *this;
  }
  ~BlockQueue() {
    while (!empty()) pop_front();
  }

  bool empty() const noexcept { return size_ == 0; }
  std::size_t size() const noexcept { return size_; }
  T& operator[](std::size_t i) noexcept { return *at(i); }
  const T& operator[](std::size_t i) const noexcept { return *at(i); }
  T& front() noexcept { return *at(0); }

  void push_back(T element) {
    if (taken_ + size_ == blocks_.size() * kPerBlock) blocks_.emplace_back(new_block());
    std::construct_at(at(size_), std::move(element));
    ++size_;
  }

  void pop_front() noexcept {
    std::destroy_at(at(0));
    --size_;
    if (++taken_ < kPerBlock) return;
    blocks_.pop_front();
    taken_ = 0;
  }

 private:
  template <class Queue, class Element>
  class Place {
   public:
    using iterator_category = std::forward_iterator_tag;
    using value_type = T;
    using difference_type = std::ptrdiff_t;
    using pointer = Element*;
    using reference = Element&;
    Place() = default;
    Place(Queue* queue, std::size_t i) : queue_(queue), i_(i) {}
    Element& operator*() const { return (*queue_)[i_]; }
    Element* operator->() const { return &**this; }
    Place& operator++() {
      ++i_;
      return *this;
    }
    Place operator++(int) { return {queue_, i_++}; }
    bool operator==(const Place& other) const { return i_ == other.i_; }

   private:
    Queue* queue_ = nullptr;
    std::size_t i_ = 0;
  };

 public:
  auto begin() noexcept { return Place<BlockQueue, T>(this, 0); }
  auto end() noexcept { return Place<BlockQueue, T>(this, size_); }
  auto begin() const noexcept { return Place<const BlockQueue, const T>(this, 0); }
  auto end() const noexcept { return Place<const BlockQueue, const T>(this, size_); }

 private:
  static constexpr std::size_t kBytes = std::size_t{256} << 10, kPerBlock = std::max<std::size_t>(1, kBytes / sizeof(T));

  struct Unmap {
    void operator()(T* block) const noexcept { ::munmap(block, kPerBlock * sizeof(T)); }
  };
  using Block = std::unique_ptr<T, Unmap>;

  static Block new_block() {
    void* const memory = ::mmap(nullptr, kPerBlock * sizeof(T), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) throw std::bad_alloc();
    return Block(static_cast<T*>(memory));
  }
  T* at(std::size_t i) const noexcept { return blocks_[(taken_ + i) / kPerBlock].get() + (taken_ + i) % kPerBlock; }

  std::deque<Block> blocks_;
  std::size_t taken_ = 0;  // elements of the first block
  std::size_t size_ = 0;
};

}  // namespace letterpress
