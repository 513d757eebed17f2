#include <doctest/doctest.h>

#include "tests/trainer/golden_json.h"
#include "trainer/schedules/schedule.h"

using namespace letterpress;

TEST_CASE("every schedule has the rates of PyTorch's scheduler at every step") {
  const nlohmann::json& golden = golden_json("schedules/schedules");
  const auto steps = golden.at("steps").get<std::int64_t>();
  for (const EntryInfo& info : schedule_infos()) {
    if (info.name == "plateau")
      continue;  // below its drops it is constant; they are tested with Plateau
    CAPTURE(info.name);
    ScheduleOptions options{.name = info.name,
                            .lr = golden.at("lr"),
                            .final_fraction = golden.at("final_fraction"),
                            .power = 2.5,
                            .drop_factor = 0.4,
                            .drop_steps = 25};
    if (info.name == "polynomial") options.final_fraction = 0;
    const auto rates = golden.at("shapes").at(info.name).get<std::vector<double>>();
    REQUIRE(rates.size() == static_cast<std::size_t>(steps) + 1);
    for (std::int64_t step = 0; step <= steps; ++step) {
      CAPTURE(step);
      CHECK(learning_rate(options, step, steps) ==
            doctest::Approx(rates[static_cast<std::size_t>(step)]).epsilon(1e-9).scale(1e-3));
    }
  }
}
