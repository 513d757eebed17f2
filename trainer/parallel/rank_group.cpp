#include "trainer/parallel/rank_group.h"

#include <cstring>
#include <thread>

#include "letterpress/base/error.h"
#include "letterpress/base/stopped_within.h"
#include "trainer/device/device_progress.h"
#include "trainer/device/torch_streams.h"
#include "trainer/parallel/rank_connections.h"
#include "trainer/parallel/rank_store.h"

namespace letterpress {
namespace {

constexpr std::chrono::milliseconds kBetweenReports{250};

void report_device(RankStatusBoard& board, int rank, DeviceProgress& progress,
                   const std::stop_token& stop) {
  do {
    const auto [waits, passed] = progress.look();
    board.report_device(rank, waits ? DeviceActivity::waiting : DeviceActivity::computing, passed);
  } while (!stopped_within(kBetweenReports, stop));
}

}  // namespace

struct RankGroup::State {
  State(torch::Device of, RankConnections with) : device(of), connections(std::move(with)) {}

  torch::Device device;  ///< of the tensors
  RankConnections connections;
  mutable bool lost = false;               ///< a rank has ended
  std::unique_ptr<DeviceStreams> streams;  ///< of a CUDA device; else null, as progress
  std::unique_ptr<DeviceProgress> progress;
  std::jthread reports;  ///< what the device does

  void broadcast(torch::Tensor tensor) const {
    std::vector<torch::Tensor> one{std::move(tensor)};
    connections.talk->broadcast(one)->wait();
  }
};

RankGroup::RankGroup(const RankAssignment& assignment, torch::Device device, double patience_s)
    : RankGroup(assignment, device, connect_ranks(assignment, device, patience_s)) {}

RankGroup::RankGroup(const RankAssignment& assignment, torch::Device device,
                     RankConnections connections)
    : assignment_(assignment), state_(std::make_unique<State>(device, std::move(connections))) {
  if (!device.is_cuda()) return;
  state_->streams = torch_streams(device);
  state_->progress = std::make_unique<DeviceProgress>(*state_->streams);
}

/// Runs a call of c10d, which may wait for the others; turns its exceptions into Errors.
template <class Call>
auto RankGroup::ask(Call&& call) const {
  const ScopedActivity waiting(this, RankActivity::waiting);
  try {
    return call();
  } catch (const Error&) {
    throw;
  } catch (const std::exception& error) {
    state_->lost = true;
    throw Error({.where = "lost the other ranks",
                 .what = "one of the " + std::to_string(assignment_.world_size) +
                         " has ended, its own message says why, or cannot be reached (" +
                         first_line(error) + ")",
                 .fix = "--resume goes on from the last checkpoint"},
                Exit::busy);
  }
}

bool RankGroup::runs_ahead() const noexcept { return state_->progress != nullptr; }

void RankGroup::report_to(RankStatusBoard& board) {
  board_ = &board;
  if (!state_->progress) return;
  state_->reports = std::jthread([&board, rank = assignment_.rank, device = state_->device,
                                  progress = state_->progress.get()](const std::stop_token& stop) {
    try {
      make_current(device);
      report_device(board, rank, *progress, stop);
    } catch (const std::exception&) {
      // The device has failed; whoever reads its results gets the error.
    }
  });
}

void RankGroup::report_progress() const noexcept {
  if (board_) board_->report_progress(assignment_.rank);
}

RankGroup::ScopedActivity::ScopedActivity(const RankGroup* group, RankActivity activity) noexcept
    : group_(group && group->board_ ? group : nullptr) {
  if (group_) before_ = group_->board_->set_activity(group_->assignment_.rank, activity);
}

RankGroup::ScopedActivity::~ScopedActivity() {
  if (group_) group_->board_->set_activity(group_->assignment_.rank, before_);
}

RankGroup::~RankGroup() { disconnect(state_->connections, state_->lost); }

RankGroup::Wait RankGroup::start_on(c10d::Backend& connections, torch::Tensor tensor) {
  std::vector<torch::Tensor> one{std::move(tensor)};
  const auto work = ask([&] { return connections.allreduce(one); });
  return [this, work] {
    // Where NCCL gives up a sum because a rank has ended, the marks fail like the sum itself.
    ask([&] {
      DeviceProgress* const progress = state_->progress.get();
      if (progress) progress->begin_wait();
      work->wait();
      if (progress) progress->end_wait();
    });
  };
}

RankGroup::Wait RankGroup::start_all_reduce(torch::Tensor tensor) {
  return start_on(*state_->connections.sums, std::move(tensor));
}

RankGroup::Wait RankGroup::start_all_reduce_within(torch::Tensor tensor) {
  return start_on(*state_->connections.within, std::move(tensor));
}

std::int64_t RankGroup::all_reduce_max(std::int64_t value) {
  return all_reduce_max(std::vector{value}).front();
}

std::vector<std::int64_t> RankGroup::all_reduce_max(std::vector<std::int64_t> values) {
  std::vector<torch::Tensor> one{
      torch::from_blob(values.data(), {static_cast<std::int64_t>(values.size())}, torch::kLong)};
  c10d::AllreduceOptions options;
  options.reduceOp = c10d::ReduceOp::MAX;
  ask([&] { return state_->connections.talk->allreduce(one, options)->wait(); });
  return values;
}

std::string RankGroup::broadcast(const std::string& text) {
  const torch::Tensor length =
      torch::full({1}, static_cast<std::int64_t>(text.size()), torch::kLong);
  ask([&] { state_->broadcast(length); });
  std::string result = text;
  result.resize(static_cast<std::size_t>(length.item<std::int64_t>()));
  if (!result.empty()) {
    const torch::Tensor bytes =
        torch::from_blob(result.data(), {static_cast<std::int64_t>(result.size())}, torch::kByte);
    ask([&] { state_->broadcast(bytes); });
  }
  return result;
}

std::vector<double> RankGroup::broadcast(std::vector<double> numbers) {
  if (numbers.empty()) return numbers;
  const torch::Tensor tensor =
      torch::from_blob(numbers.data(), {static_cast<std::int64_t>(numbers.size())}, torch::kDouble);
  ask([&] { state_->broadcast(tensor); });
  return numbers;
}

std::vector<std::string> RankGroup::gather(const std::string& text) {
  const std::int64_t longest = all_reduce_max(static_cast<std::int64_t>(text.size()));
  // 8 bytes of length, then the text, then padding that nobody reads.
  torch::Tensor mine = torch::zeros({longest + 8}, torch::kByte);
  const std::uint64_t length = text.size();
  std::memcpy(mine.data_ptr(), &length, sizeof length);
  std::memcpy(mine.data_ptr<std::uint8_t>() + sizeof length, text.data(), text.size());
  std::vector<std::vector<torch::Tensor>> all(is_first() ? 1 : 0);
  if (is_first()) {
    for (int rank = 0; rank < world_size(); ++rank) all.front().push_back(torch::empty_like(mine));
  }
  std::vector<torch::Tensor> sent{mine};
  ask([&] { return state_->connections.talk->gather(all, sent)->wait(); });
  std::vector<std::string> texts;
  for (std::size_t rank = 0; is_first() && rank < all.front().size(); ++rank) {
    std::uint64_t size = 0;
    std::memcpy(&size, all.front()[rank].data_ptr(), sizeof size);
    texts.emplace_back(static_cast<const char*>(all.front()[rank].data_ptr()) + sizeof size, size);
  }
  return texts;
}

void RankGroup::broadcast_in_place(const std::vector<torch::Tensor>& tensors) {
  for (const torch::Tensor& tensor : tensors) {
    torch::Tensor values =
        tensor.detach().to(torch::kCPU, tensor.scalar_type(), false, true).contiguous();
    ask([&] { state_->broadcast(values); });
    tensor.detach().copy_(values);
  }
}

}  // namespace letterpress
