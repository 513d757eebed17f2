#include "trainer/commands/fit_ranks.h"

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <new>

#include "letterpress/base/error.h"
#include "trainer/commands/fit_summary.h"
#include "trainer/device/device.h"
#include "trainer/fit/ranks_of_run.h"
#include "trainer/fit/trainer.h"
#include "trainer/parallel/local_ranks.h"
#include "trainer/parallel/rank_group.h"
#include "trainer/parallel/step_board.h"

namespace letterpress {
namespace {

int train(const FitOptions& options, bool json) {
  const FitResult result = Trainer(options).run();
  if (!options.group || options.group->is_first())
    std::cout << (json ? summary_json(options, result) : summary_text(options, result)) << "\n";
  return exit_code(result);
}

int train_as_rank(FitOptions options, const RankPlace& place, bool json) {
  const char* board_descriptor = std::getenv("LETTERPRESS_STEPS");
  StepBoard board(board_descriptor ? std::atoi(board_descriptor) : -1, place.ranks);
  const Heartbeat heartbeat(board, place.rank);
  std::int64_t step = 0;
  const auto where = [&] {
    const std::string rank = "rank " + std::to_string(place.rank) + " of " + std::to_string(place.ranks);
    return rank + (step > 0 ? ", step " + std::to_string(step) : "") + ": ";
  };
  options.before_step = [&](std::int64_t begun) {
    // The first one makes what all later ones use: kernels are loaded and chosen.
    board.show(place.rank, step == 0 ? Doing::busy : Doing::working);
    board.write(place.rank, step = begun);
  };
  try {
    board.show(place.rank, Doing::waiting);
    RankGroup group(place, choose_device(options.device));
    board.show(place.rank, Doing::busy);
    group.show_on(board);
    options.group = &group;
    return train(options, json);
  } catch (const Error& error) {
    throw Error(where() + error.what(), error.exit());
  } catch (const std::bad_alloc&) {
    throw Error(where() + "out of memory; a smaller --batch or a larger --accumulate take less", Exit::io);
  } catch (const std::exception& error) {
    throw Error(where() + "a bug of ours, please report it: " + error.what(), Exit::bug);
  }
}

}  // namespace

int fit_on_ranks(const FitOptions& options, bool json) {
  validate(options);
  const RankPlace place = rank_place([](const char* name) { return std::getenv(name); });
  const int devices = cuda_devices(), ranks = ranks_to_start(options, place, devices);
  if (ranks > 1) {
    const auto note = [](const std::string& text) { std::cerr << "letterpress-trainer fit: " << text << std::endl; };
    // A read that hangs is told by its rank itself, with the row.
    return run_local_ranks({.ranks = ranks, .deadline_s = std::max(options.rank_deadline, options.read_deadline + 5), .note = note});
  }
  const FitOptions own = options_of_rank(options, place, devices);
  return place.ranks == 1 ? train(own, json) : train_as_rank(own, place, json);
}

}  // namespace letterpress
