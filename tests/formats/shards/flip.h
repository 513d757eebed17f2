#pragma once
#include <filesystem>

#include "letterpress/base/file.h"

namespace letterpress {

/// One changed byte of a file while it lives.
class Flip {
 public:
  Flip(const std::filesystem::path& file, std::int64_t at, int bits = 1) : at_(at), bits_(bits) {
    std::filesystem::permissions(file, std::filesystem::perms::owner_write,
                                 std::filesystem::perm_options::add);
    file_ = File::open_to_write(file);
    change();
  }
  ~Flip() { change(); }
  Flip(const Flip&) = delete;
  Flip& operator=(const Flip&) = delete;

 private:
  void change() const {
    std::byte byte{};
    file_.read_at(at_, {&byte, 1});
    byte ^= static_cast<std::byte>(bits_);
    file_.write_at(at_, {&byte, 1});
  }
  File file_;
  std::int64_t at_;
  int bits_;
};

}  // namespace letterpress
