#include "trainer/fit/evaluation/share_results.h"

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "letterpress/base/error.h"

namespace letterpress {
namespace {

template <class T>
void append(std::string& bytes, const std::vector<T>& values) {
  static_assert(std::is_trivially_copyable_v<T>);
  const std::uint64_t n = values.size();
  bytes.append(reinterpret_cast<const char*>(&n), sizeof n);
  bytes.append(reinterpret_cast<const char*>(values.data()), n * sizeof(T));
}

class Reader {
 public:
  explicit Reader(const std::string& bytes) : bytes_(bytes) {}
  template <class T>
  void take(std::vector<T>& values) {
    std::uint64_t n = 0;
    copy(&n, sizeof n);
    if (n > bytes_.size() / sizeof(T)) fail();
    values.resize(n);
    copy(values.data(), n * sizeof(T));
  }
  void finish() const {
    if (at_ != bytes_.size()) fail();
  }

 private:
  void copy(void* target, std::size_t n) {
    if (n > bytes_.size() - at_) fail();
    if (n > 0) std::memcpy(target, bytes_.data() + at_, n);
    at_ += n;
  }
  [[noreturn]] static void fail() {
    throw Error("validation: a rank sent results of another number of pictures than it has",
                Exit::bug);
  }

  const std::string& bytes_;
  std::size_t at_ = 0;
};

}  // namespace

std::string pack_results(const std::vector<PictureResult>& results, int rank, int ranks) {
  std::string bytes;
  for (auto i = static_cast<std::size_t>(rank); i < results.size();
       i += static_cast<std::size_t>(ranks)) {
    append(bytes, results[i].ground_truths);
    append(bytes, results[i].found);
  }
  return bytes;
}

void unpack_results(const std::string& bytes, int rank, int ranks,
                    std::vector<PictureResult>& results) {
  Reader reader(bytes);
  for (auto i = static_cast<std::size_t>(rank); i < results.size();
       i += static_cast<std::size_t>(ranks)) {
    reader.take(results[i].ground_truths);
    reader.take(results[i].found);
  }
  reader.finish();
}

void share_results(RankGroup& group, std::vector<PictureResult>& results) {
  const std::vector<std::string> parts =
      group.gather(group.is_first() ? "" : pack_results(results, group.rank(), group.world_size()));
  for (std::size_t rank = 1; rank < parts.size(); ++rank)
    unpack_results(parts[rank], static_cast<int>(rank), group.world_size(), results);
}

}  // namespace letterpress
