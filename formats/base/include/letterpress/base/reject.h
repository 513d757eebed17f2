#pragma once
#include <string>
#include <utility>
#include <variant>

#include "letterpress/base/error.h"

namespace letterpress {

/// One bad picture, line or box: an expected value, the run goes on. where: file, and line, row or
/// object in it.
struct Reject : Message {
  enum class Scope { picture, box };

  Scope scope = Scope::picture;
  std::string name{};       ///< the picture's, as the label file writes it; empty: unknown
  std::string path{};       ///< where the picture is, or was looked for first; empty: unknown
  std::string split{};      ///< that its label file states; empty: none, or unknown
  bool is_missing = false;  ///< no picture of the name is anywhere; one remark tells of all
};

/// A value, or why there is none.
template <class T>
class Expected {
 public:
  Expected(T value) : content_(std::in_place_index<0>, std::move(value)) {}
  Expected(Reject reject) : content_(std::in_place_index<1>, std::move(reject)) {}

  explicit operator bool() const noexcept { return content_.index() == 0; }
  T& operator*() { return std::get<0>(content_); }
  const T& operator*() const { return std::get<0>(content_); }
  T* operator->() { return &std::get<0>(content_); }
  const T* operator->() const { return &std::get<0>(content_); }
  const Reject& reject() const { return std::get<1>(content_); }

 private:
  std::variant<T, Reject> content_;
};

}  // namespace letterpress
