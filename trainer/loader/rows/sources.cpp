#include "trainer/loader/rows/sources.h"

#include <utility>

namespace letterpress {

std::unique_ptr<RowSource> make_source(const RowFiles& files, std::function<bool()> given_up) {
  if (files.by() == ReadBy::mmap) return make_mmap_source(files);
  if (files.by() == ReadBy::direct) return make_direct_source(files);
  return make_pread_source(files, std::move(given_up));
}

}  // namespace letterpress
