#include "trainer/fit/options/shared_flags.h"

#include "letterpress/commandline/require_flag.h"

namespace letterpress {

void require_snapshot(const std::string& snapshot, const char* wanted) {
  const bool number = !snapshot.empty() && snapshot.size() <= 18 &&
                      snapshot.find_first_not_of("0123456789") == std::string::npos;
  require_flag(snapshot.empty() || snapshot == "latest" || number, "snapshot", "'" + snapshot + "'",
               wanted);
}

void require_threads(int threads) {
  require_flag(threads >= 0, "threads", threads, "0 (all cores) or more");
}
void require_readers(int readers) {
  require_flag(readers >= 0, "readers", readers, "0 (as many as fit) or more");
}

}  // namespace letterpress
