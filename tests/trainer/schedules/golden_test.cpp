#include <doctest/doctest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/locations.h"
#include "trainer/schedules/schedule.h"

using namespace letterpress;

TEST_CASE("every schedule has the rates of PyTorch's scheduler at every step") {
  const nlohmann::json golden =
      nlohmann::json::parse(std::ifstream(std::string(LETTERPRESS_SOURCE_DIR) + "/tests/golden/schedules/schedules.json"));
  const auto steps = golden.at("steps").get<std::int64_t>();
  for (const ScheduleInfo& info : schedule_infos()) {
    CAPTURE(info.name);
    const ScheduleOptions options{.name = info.name, .lr = golden.at("lr"), .final_fraction = golden.at("final_fraction")};
    const auto rates = golden.at("shapes").at(info.name).get<std::vector<double>>();
    REQUIRE(rates.size() == static_cast<std::size_t>(steps) + 1);
    for (std::int64_t step = 0; step <= steps; ++step) {
      CAPTURE(step);
      CHECK(learning_rate(options, step, steps) == doctest::Approx(rates[static_cast<std::size_t>(step)]).epsilon(1e-9).scale(1e-3));
    }
  }
}
