#include "trainer/fit/options/snapshot_flag.h"

#include "letterpress/commandline/require_flag.h"

namespace letterpress {

void require_snapshot(const std::string& snapshot, const char* wanted) {
  const bool number = !snapshot.empty() && snapshot.size() <= 18 &&
                      snapshot.find_first_not_of("0123456789") == std::string::npos;
  require_flag(snapshot.empty() || snapshot == "latest" || number, "snapshot", "'" + snapshot + "'",
               wanted);
}

}  // namespace letterpress
