#include <catch2/catch.hpp>

#include "sim/describe/idle_keys.h"
#include "sim/experiment/config/configs_folder.h"
#include "sim/experiment/experiment.h"

namespace a3sim {
namespace {

bool is_idle(const char* experiment, const std::string& key, const char* value) {
  const std::vector<std::string> set{key + '=' + value};
  const auto idle = idle_keys(load_experiment(configs_folder() / "experiments" / experiment, set));
  return std::ranges::any_of(idle, [&](const IdleKey& one) { return one.path == key; });
}

// It was once said to have none under static execution.
TEST_CASE("The time of a barrier has an effect where a graph has barriers") {
  CHECK_FALSE(is_idle("ascend950_layer.yaml", "program.signals.sync_all", "1 us"));
  CHECK(is_idle("ascend950_row_puts.yaml", "program.signals.sync_all", "1 us"));
}

}  // namespace
}  // namespace a3sim
