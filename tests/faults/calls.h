#pragma once
#include <dlfcn.h>
#include <fcntl.h>

#include <type_traits>
#include <utility>

#include "watch.h"

// For the functions that stand before those of the C library (names.cpp, descriptors.cpp): each
// hands a call about a watched file to watch.h and makes the next library's.

namespace letterpress::faults {

template <class Function>
Function next(const char* name) {
  return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}
// The function that this one stands before.
#define NEXT(name)                                                                 \
  ([] {                                                                            \
    static const auto found = letterpress::faults::next<decltype(&::name)>(#name); \
    return found;                                                                  \
  }())
#define ALIAS(name) __attribute__((alias(#name)))

inline std::int64_t number_of(const void* result) { return result ? 0 : -1; }
inline std::int64_t number_of(std::int64_t result) { return result; }
template <class Result>
Result failure() {
  if constexpr (std::is_pointer_v<Result>) {
    return nullptr;
  } else {
    return -1;
  }
}

// make(half): the call, of half of the bytes if `half`.
template <class Make>
auto watch(Call call, Make make) -> decltype(make(false)) {
  using Result = decltype(make(false));
  Watched watched(std::move(call));
  Result result{};
  if (watched.verdict() == Verdict::fail) result = failure<Result>();
  if (watched.verdict() == Verdict::make) result = make(false);
  if (watched.verdict() == Verdict::halve || watched.verdict() == Verdict::halve_and_die)
    result = make(true);
  watched.made(number_of(result));
  return result;
}

// A call about one name.
template <class Make>
auto watch_path(const char* operation, bool changes, int folder, const char* path, Make make)
    -> decltype(make()) {
  if (!is_active()) return make();
  Call call{.operation = operation, .changes = changes, .path = absolute(folder, path)};
  if (!is_watched(call.path)) return make();
  return watch(std::move(call), [&](bool) { return make(); });
}

// A call about an open file.
template <class Make>
auto watch_file(Call call, Make make) -> decltype(make(false)) {
  if (!is_active()) return make(false);
  call.path = path_of(call.descriptor);
  if (!is_watched(call.path)) return make(false);
  return watch(std::move(call), make);
}

}  // namespace letterpress::faults
