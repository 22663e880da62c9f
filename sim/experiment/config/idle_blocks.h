#pragma once

#include "sim/core/config/config.h"

namespace a3sim {

// Lets keys stand (Config::let_stand()) that only schedules of tasks have, for work that runs none.
void let_schedules_stand(const Config& root);

}  // namespace a3sim
