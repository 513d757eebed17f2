#pragma once
#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <utility>
#include <vector>

namespace letterpress {

/// Memory of whole pages, of the system's own: what is let go of goes back there. Throws
/// std::bad_alloc.
void* map_pages(std::size_t bytes);
void unmap_pages(void* pages, std::size_t bytes) noexcept;

/// A queue of many large elements, which do not move. Its memory comes from the system in blocks
/// and goes back there block by block as the front is taken: what malloc is given back lies in
/// pieces between what others hold still, and stays with the process. Can be moved, not copied.
/// Throws std::bad_alloc.
template <class T>
class BlockQueue {
  template <class Queue, class Element>
  class Place;

 public:
  BlockQueue() = default;
  BlockQueue(std::initializer_list<T> elements) {
    for (const T& element : elements) push_back(element);
  }
  BlockQueue(BlockQueue&& other) noexcept { swap(other); }
  BlockQueue& operator=(BlockQueue&& other) noexcept {
    swap(other);
    return *this;
  }
  ~BlockQueue() {
    while (!empty()) pop_front();
  }

  bool empty() const noexcept { return size() == 0; }
  std::size_t size() const noexcept { return end_ - first_; }
  T& operator[](std::size_t i) noexcept { return *at(first_ + i); }
  const T& operator[](std::size_t i) const noexcept { return *at(first_ + i); }
  T& front() noexcept { return *at(first_); }

  auto begin() noexcept { return Place<BlockQueue, T>(this, 0); }
  auto end() noexcept { return Place<BlockQueue, T>(this, size()); }
  auto begin() const noexcept { return Place<const BlockQueue, const T>(this, 0); }
  auto end() const noexcept { return Place<const BlockQueue, const T>(this, size()); }

  T& push_back(T element) {
    if (end_ == blocks_.size() * kPerBlock)
      blocks_.emplace_back(static_cast<T*>(map_pages(kBlockBytes)));
    T& pushed = *std::construct_at(at(end_), std::move(element));
    ++end_;
    return pushed;
  }

  void pop_front() noexcept {
    std::destroy_at(at(first_));
    if (++first_ % kPerBlock == 0) blocks_[first_ / kPerBlock - 1].reset();
  }

 private:
  static constexpr std::size_t kPerBlock =
      std::max<std::size_t>(1, (std::size_t{256} << 10) / sizeof(T));
  static constexpr std::size_t kBlockBytes = kPerBlock * sizeof(T);

  struct Unmap {
    void operator()(T* block) const noexcept { unmap_pages(block, kBlockBytes); }
  };

  T* at(std::size_t place) const noexcept {
    return blocks_[place / kPerBlock].get() + place % kPerBlock;
  }
  void swap(BlockQueue& other) noexcept {
    blocks_.swap(other.blocks_);
    std::swap(first_, other.first_);
    std::swap(end_, other.end_);
  }

  std::vector<std::unique_ptr<T, Unmap>> blocks_;  // those before the front's are empty
  std::size_t first_ = 0, end_ = 0;  // places counted from the first element that ever came
};

/// An iterator: an element's place behind the front.
template <class T>
template <class Queue, class Element>
class BlockQueue<T>::Place {
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

}  // namespace letterpress
