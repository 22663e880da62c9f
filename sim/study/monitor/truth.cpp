#include "sim/study/monitor/truth.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace a3sim {

std::string truth_json(const Injection& injection, std::uint32_t steps) {
  using nlohmann::ordered_json;
  ordered_json faults = ordered_json::array();
  for (const auto& fault : injection.faults) {
    faults.push_back({{"kind", fault->kind},
                      {"ranks", fault->ranks},
                      {"links", fault->links},
                      {"operators", fault->operators},
                      {"steps", {fault->first, std::min(fault->last, steps == 0 ? 0 : steps - 1)}},
                      {"entry", fault->text}});
  }
  const ordered_json truth{{"noise",
                            {{"durations", injection.noise.durations},
                             {"rates", injection.noise.rates},
                             {"seed", injection.noise.seed}}},
                           {"faults", faults}};
  return truth.dump(1) + "\n";
}

}  // namespace a3sim
