#include <cstring>
#include <string_view>

#include "types.h"

namespace letterpress::hdf5 {
namespace {

// HDF5 File Format Specification 3.0, III.E. Lengths have 8 bytes, as all programs write them that
// write on machines of 64 bits.
constexpr std::string_view kSignature("GCOL\1\0\0\0", 8);
constexpr std::size_t kCollectionHeader = 16, kObjectHeader = 16, kObjectAlignment = 8;

template <class Number>
Number number_at(std::string_view bytes, std::size_t at) {
  Number number{};
  std::memcpy(&number, bytes.data() + at, sizeof(number));
  return number;
}

// Why a collection, which begins here and may be cut, cannot be walked from object to object.
const char* fault_of(std::string_view collection) {
  if (collection.size() < kCollectionHeader) return "is cut";
  const auto size = number_at<std::uint64_t>(collection, 8);
  if (size < kCollectionHeader || size > collection.size())
    return "has a length that the file does not have";
  collection = collection.substr(0, size);
  for (std::size_t at = kCollectionHeader; at + kObjectHeader <= collection.size();) {
    const std::uint64_t room = collection.size() - at;
    const auto index = number_at<std::uint16_t>(collection, at);
    const auto length = number_at<std::uint64_t>(collection, at + 8);
    if (length > room) return "has an object that ends beyond it";
    // Object 0 is the free space, its header included.
    const std::uint64_t step = index == 0 ? length
                                          : kObjectHeader + (length + kObjectAlignment - 1) /
                                                                kObjectAlignment * kObjectAlignment;
    if (step < kObjectHeader) return "has free space of no length";
    if (step > room) return "has an object that ends beyond it";
    at += step;
  }
  return nullptr;
}

}  // namespace

void check_global_heaps(std::string_view bytes, const std::string& name) {
  for (std::size_t at = bytes.find(kSignature); at != std::string_view::npos;
       at = bytes.find(kSignature, at + kSignature.size())) {
    if (const char* fault = fault_of(bytes.substr(at)))
      throw Error({.where = name,
                   .what = "the collection of texts at byte " + std::to_string(at) + " " + fault,
                   .fix = "the file is damaged, copy it again"});
  }
}

}  // namespace letterpress::hdf5
