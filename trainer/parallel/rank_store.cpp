#include "trainer/parallel/rank_store.h"

#include <cstdlib>
#include <torch/csrc/distributed/c10d/PrefixStore.hpp>
#include <torch/csrc/distributed/c10d/TCPStore.hpp>

#include "letterpress/base/error.h"
#include "trainer/parallel/wait_for_listener.h"

namespace letterpress {

std::string first_line(const std::exception& error) {
  const auto* ours = dynamic_cast<const c10::Error*>(&error);
  const std::string text = ours ? ours->what_without_backtrace() : error.what();
  return text.substr(0, text.find('\n'));
}

c10::intrusive_ptr<c10d::Store> connect_to_store(const RankAssignment& assignment, bool serves,
                                                 double patience_s) {
  c10d::TCPStoreOptions options;
  options.port = static_cast<std::uint16_t>(assignment.port);
  options.isServer = serves;
  options.waitWorkers = false;  // connecting to each other waits for all ranks
  options.timeout = std::chrono::milliseconds(static_cast<std::int64_t>(1000 * patience_s));
  if (options.isServer && assignment.listening >= 0) options.masterListenFd = assignment.listening;
  const std::string where = assignment.address + ":" + std::to_string(assignment.port);
  const auto nobody = [&](const std::string& why) {
    return Error({.what = "found nobody at " + where + " (" + why + ")",
                  .fix = "has rank 0 ended? else set MASTER_ADDR and MASTER_PORT to its address"},
                 Exit::busy);
  };
  if (!serves) {  // TCPStore's own attempts tell each failure, with a backtrace
    const std::string why = wait_for_listener(assignment.address, assignment.port, patience_s);
    if (!why.empty()) throw nobody(why);
  }
  try {
    auto store = c10::make_intrusive<c10d::TCPStore>(assignment.address, options);
    const char* restarts = std::getenv("TORCHELASTIC_RESTART_COUNT");
    return c10::make_intrusive<c10d::PrefixStore>(
        "letterpress/" + std::string(restarts ? restarts : "0"), store);
  } catch (const std::exception& error) {
    if (!serves) throw nobody(first_line(error));
    throw Error({.what = "cannot listen at " + where + " (" + first_line(error) + ")",
                 .fix = "set MASTER_ADDR to this host and MASTER_PORT to a free port"},
                Exit::usage);
  }
}

}  // namespace letterpress
