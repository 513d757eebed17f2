#include "trainer/fit/options/idle_flags.h"

#include <array>

namespace letterpress {

std::string idle_flags(const FitOptions& options) {
  const FitOptions defaults;
  const bool steps = options.schedule == "step", plateau = options.schedule == "plateau";
  struct Of {
    const char *flag, *owner;
    bool owned, given;
  };
  const std::array flags{
      Of{"--momentum", "--optimiser sgd", options.optimiser == "sgd",
         options.momentum != defaults.momentum},
      Of{"--power", "--schedule polynomial", options.schedule == "polynomial",
         options.power != defaults.power},
      Of{"--drop-factor", "--schedule step or plateau", steps || plateau,
         options.drop_factor != defaults.drop_factor},
      Of{"--drop-every", "--schedule step", steps, options.drop_every != defaults.drop_every},
      Of{"--plateau-patience", "--schedule plateau", plateau,
         options.plateau_patience != defaults.plateau_patience},
      Of{"--plateau-cooldown", "--schedule plateau", plateau,
         options.plateau_cooldown != defaults.plateau_cooldown},
      Of{"--scale-every", "--multi-scale", options.multi_scale != "none",
         options.scale_every != defaults.scale_every}};
  std::string text;
  int n = 0;
  for (const Of& one : flags) {
    if (one.owned || !one.given) continue;
    text += (n++ > 0 ? ", " : "") + std::string(one.flag) + " (of " + one.owner + ")";
  }
  if (n == 0) return {};
  return text + (n == 1 ? " does nothing here" : " do nothing here");
}

}  // namespace letterpress
