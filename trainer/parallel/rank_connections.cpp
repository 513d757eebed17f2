#include "trainer/parallel/rank_connections.h"

#define USE_C10D_GLOO
#include <chrono>
#include <cstdlib>
#include <numeric>
#include <thread>
#include <torch/csrc/distributed/c10d/PrefixStore.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>

#include "letterpress/base/error.h"
#include "trainer/parallel/nccl_backend.h"
#include "trainer/parallel/own_device.h"
#include "trainer/parallel/rank_store.h"

namespace letterpress {
namespace {

using Backend = c10::intrusive_ptr<c10d::Backend>;
using Store = c10::intrusive_ptr<c10d::Store>;
constexpr std::chrono::minutes kTimeout{10};
constexpr std::chrono::milliseconds kBetweenLooks{50};

std::shared_ptr<gloo::transport::Device> gloo_device(const RankAssignment& assignment) {
  // A host's own name may not resolve, above all in a container.
  if (assignment.local_world_size == assignment.world_size)
    return c10d::ProcessGroupGloo::createDeviceForHostname("127.0.0.1");
  const char* name = std::getenv("GLOO_SOCKET_IFNAME");
  return name ? c10d::ProcessGroupGloo::createDeviceForInterface(name)
              : c10d::ProcessGroupGloo::createDefaultDevice();
}

Backend connect(const RankAssignment& assignment, const Store& store, const std::string& name,
                double patience_s) {
  auto options = c10d::ProcessGroupGloo::Options::create();
  options->timeout = std::chrono::milliseconds(static_cast<std::int64_t>(1000 * patience_s));
  options->devices.push_back(gloo_device(assignment));
  auto group = c10::make_intrusive<c10d::ProcessGroupGloo>(
      c10::make_intrusive<c10d::PrefixStore>(name, store), assignment.rank, assignment.world_size,
      options);
  group->setTimeout(kTimeout);
  return group;
}

Backend connect_for(torch::Device device, const RankAssignment& assignment, const Store& store,
                    const std::string& name, double patience_s) {
  if (!device.is_cuda()) return connect(assignment, store, name, patience_s);
  return nccl_backend(c10::make_intrusive<c10d::PrefixStore>(name, store), assignment.rank,
                      assignment.world_size);
}

// Gloo waits for all, too, but does not tell for whom.
void wait_for_all(c10d::Store& store, const RankAssignment& assignment, double patience_s) {
  const auto sign_of = [](int rank) { return "here/" + std::to_string(rank); };
  store.set(sign_of(assignment.rank), std::vector<std::uint8_t>{1});
  const auto until = std::chrono::steady_clock::now() + std::chrono::duration<double>(patience_s);
  std::vector<int> missing(static_cast<std::size_t>(assignment.world_size));
  std::iota(missing.begin(), missing.end(), 0);
  std::string why = c10::str(" within ", patience_s, " s");
  while (true) {
    try {
      std::erase_if(missing, [&](int rank) { return store.check({sign_of(rank)}); });
    } catch (const std::exception&) {
      why = " before the store ended, as rank 0 did, say";
      break;
    }
    if (missing.empty()) return;
    if (std::chrono::steady_clock::now() >= until) break;
    std::this_thread::sleep_for(kBetweenLooks);
  }
  std::string who;
  for (const int rank : missing) who += (who.empty() ? "" : ", ") + std::to_string(rank);
  throw Error(
      {.what = c10::str("of ", assignment.world_size, " ranks these have not come to ",
                        assignment.address, ":", assignment.port, why, ": ", who),
       .fix = "did they end (their own messages say why), or were they started with another "
              "MASTER_ADDR or MASTER_PORT?"},
      Exit::busy);
}

void end_quietly(c10d::Backend& group) noexcept {
  try {
    group.shutdown();
  } catch (const std::exception&) {
    // The run is over, and what it had to say is said.
  }
}

}  // namespace

RankConnections connect_ranks(const RankAssignment& assignment, torch::Device device,
                              double patience_s) {
  RankConnections made;
  made.store =
      connect_to_store(assignment, assignment.rank == 0 && !assignment.store_runs, patience_s);
  try {
    wait_for_all(*made.store, assignment, patience_s);
    made.talk = connect(assignment, made.store, "talk", patience_s);
    if (device.is_cuda())
      require_own_device(*made.store, assignment.rank, assignment.world_size,
                         cuda_device_id(device));
    made.sums = connect_for(device, assignment, made.store, "sums", patience_s);
    made.within = connect_for(device, assignment, made.store, "within", patience_s);
  } catch (const Error&) {
    throw;
  } catch (const std::exception& error) {
    throw Error({.what = "not all of the " + std::to_string(assignment.world_size) +
                         " ranks connected to " + assignment.address + ":" +
                         std::to_string(assignment.port) + " (" + first_line(error) + ")",
                 .fix = "did one end, or does a firewall block it?"},
                Exit::busy);
  }
  return made;
}

void disconnect(RankConnections& connections, bool lost) noexcept {
  for (Backend* group : {&connections.within, &connections.sums, &connections.talk}) {
    if (!lost) end_quietly(**group);
    group->reset();
  }
  connections.store.reset();
}

}  // namespace letterpress
