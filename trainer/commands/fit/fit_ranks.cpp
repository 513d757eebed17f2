#include "trainer/commands/fit/fit_ranks.h"

#include <unistd.h>

#include <algorithm>
#include <iostream>
#include <optional>

#include "letterpress/base/error.h"
#include "letterpress/commandline/program.h"
#include "letterpress/commandline/threads_flag.h"
#include "trainer/commands/fit/fit_failure.h"
#include "trainer/commands/fit/fit_summary.h"
#include "trainer/commands/fit/view_refresher.h"
#include "trainer/device/device.h"
#include "trainer/fit/opening/diverged.h"
#include "trainer/fit/options/ranks_of_run.h"
#include "trainer/fit/trainer.h"
#include "trainer/parallel/device_list.h"
#include "trainer/parallel/device_users.h"
#include "trainer/parallel/hang.h"
#include "trainer/parallel/local_ranks.h"
#include "trainer/parallel/rank_group.h"
#include "trainer/parallel/rank_status_board.h"
#include "trainer/parallel/rank_watch.h"

namespace letterpress {
namespace {

void say(const std::string& text) { std::cerr << "letterpress-trainer fit: " << text << std::endl; }

// On the first rank only, in the format that was asked for. JSON does not say why a run diverged;
// stderr does, as it does of an Error.
void print_summary(const FitOptions& options, const FitResult& result, bool json) {
  if (!is_first_rank(options)) return;
  const std::string text = summary_text(options, result);
  std::cout << (json ? summary_json(options, result) : text) << "\n";
  if (json && exit_code(result) == static_cast<int>(Exit::data)) say(text);
}

FitResult train_to_end(Trainer& trainer, const FitOptions& options, bool json) {
  try {
    return trainer.run(stop_by_signal());
  } catch (const Diverged& diverged) {
    if (!json || !is_first_rank(options)) throw;
    std::cout << diverged_json(options) << std::endl;
    throw ToldError(diverged);
  }
}

int train(const FitOptions& options, bool json) {
  Trainer trainer(options);
  std::optional<ViewRefresher> refresher;
  if (options.refresh > 0 && is_first_rank(options))
    refresher.emplace(options.store, options.refresh, say);
  const FitResult result = train_to_end(trainer, options, json);
  refresher.reset();
  print_summary(options, result, json);
  return exit_code(result);
}

// An Error of one process needs no place: it names its own.
int train_alone(FitOptions options, bool json) {
  std::int64_t step = 0;
  options.hooks.before_step = [&step](std::int64_t begun) { step = begun; };
  try {
    return train(options, json);
  } catch (const ToldError&) {
    throw;
  } catch (const Error& error) {
    if (step == 0) throw;
    throw gone_since(error);
  } catch (const std::exception& failure) {
    throw fit_failure(failure, step > 0 ? "step " + std::to_string(step) : "", options);
  }
}

// A read that hangs is told by its rank itself, with the row.
double rank_deadline_s(const FitOptions& options) {
  return std::max(options.rank_deadline, options.read_deadline + 5);
}

void tell_deadline(const FitOptions& options) {
  const double counts = rank_deadline_s(options);
  if (counts <= options.rank_deadline) return;
  say(c10::str(
      "--rank-deadline ", options.rank_deadline, " is raised to ", counts,
      " s: must be at least --read-deadline + 5, so that a read that hangs is told first"));
}

// Until all ranks have met. Launchers start them one after another.
constexpr double kMeeting_s = 120;

std::string place_of(const RankAssignment& assignment, std::int64_t step) {
  return "rank " + std::to_string(assignment.rank) + " of " +
         std::to_string(assignment.world_size) + (step > 0 ? ", step " + std::to_string(step) : "");
}

// Of a rank that no supervisor watches: the thread that waits cannot be told to end.
RankWatch::OnHang end_this_rank(const RankAssignment& assignment, const RankStatusBoard& board) {
  return [&assignment, &board](const Hang& hang) {
    say(place_of(assignment, board.status(assignment.rank).step) +
        ": lost the other ranks: " + describe(hang, assignment.world_size) + "; " +
        suspicion(hang) + "; --resume goes on from the last checkpoint");
    _exit(static_cast<int>(Exit::busy));
  };
}

RankGroup meet(const RankAssignment& assignment, const FitOptions& options) {
  const EndsSoonWhenStopped waiting;
  return RankGroup(assignment, choose_device(options.device),
                   std::max(kMeeting_s, rank_deadline_s(options)));
}

int train_as_rank(FitOptions options, const RankAssignment& assignment, bool json) {
  const bool supervised = assignment.board >= 0;
  RankStatusBoard board = supervised ? RankStatusBoard(assignment.board, assignment.world_size)
                                     : RankStatusBoard(assignment.world_size);
  const Heartbeat heartbeat(board, assignment.rank);
  std::int64_t step = 0;
  options.hooks.before_step = [&](std::int64_t begun) {
    // The first one makes what all later ones use: kernels are loaded and chosen.
    board.set_activity(assignment.rank,
                       step == 0 ? RankActivity::long_task : RankActivity::in_step);
    board.set_step(assignment.rank, step = begun);
  };
  try {
    board.set_activity(assignment.rank, RankActivity::long_task);
    RankGroup group = meet(assignment, options);
    std::optional<RankWatch> watch;
    if (!supervised) {
      if (assignment.rank == 0) tell_deadline(options);
      watch.emplace(assignment, board, rank_deadline_s(options), end_this_rank(assignment, board));
    }
    group.report_to(board);
    options.group = &group;
    return train(options, json);
  } catch (const std::exception& failure) {
    const Error error = fit_failure(failure, place_of(assignment, step), options);
    throw step == 0 ? error : gone_since(error);
  }
}

}  // namespace

int fit_on_ranks(const FitOptions& options, bool json) {
  validate(options);
  const RankAssignment assignment = rank_assignment(own_environment());
  const int devices = cuda_devices(), ranks = ranks_to_start(options, assignment, devices);
  // Before Gloo's threads, which read the environment.
  if (options.deterministic && devices > 0 && options.device != "cpu") fix_cublas_workspace();
  if (assignment.world_size == 1 && !options.share_devices) {
    const std::string flag =
        options.gpus.empty() ? "--devices " + options.devices : "--gpus " + options.gpus;
    require_free(device_list(options.gpus, options.devices, devices), devices, flag, device_users);
  }
  if (ranks > 1) {
    tell_deadline(options);
    return run_local_ranks({.ranks = ranks, .deadline_s = rank_deadline_s(options), .note = say},
                           stop_by_signal());
  }
  FitOptions own = options_of_rank(options, assignment, devices);
  const Capped threads = limit_to_cores(own.threads), readers = limit_readers(own.readers);
  if (assignment.rank == 0) tell(threads), tell(readers);
  own.threads = threads.number;
  own.readers = readers.number;
  return assignment.world_size == 1 ? train_alone(own, json) : train_as_rank(own, assignment, json);
}

}  // namespace letterpress
