#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "letterpress/base/entry_info.h"

namespace letterpress {

struct ScheduleOptions {
  std::string name = "cosine";  ///< registry name: "constant", "cosine", "linear", "one-cycle",
                                ///< "plateau", "polynomial", "step"
  double lr =
      0.01;  ///< > 0: the highest rate; reached at the end of the warm-up, except with one-cycle
  double final_fraction = 0.01;   ///< 0..1 of lr: where cosine, linear, one-cycle and polynomial
                                  ///< end; the lowest rate of plateau
  std::int64_t warmup_steps = 0;  ///< >= 0: step s of the warm-up has (s + 1) / warmup_steps of the
                                  ///< rate that comes after it
  double power = 1;               ///< polynomial: > 0; over 1 falls early, under 1 late
  double drop_factor = 0.1;     ///< step, plateau: 0..1, the rate is multiplied by it at each drop
  std::int64_t drop_steps = 0;  ///< step: steps between drops; 0: a third of the run
};

std::vector<EntryInfo> schedule_infos();

}  // namespace letterpress
