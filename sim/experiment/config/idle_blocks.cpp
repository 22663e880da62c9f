#include "sim/experiment/config/idle_blocks.h"

#include <initializer_list>

namespace a3sim {

void let_schedules_stand(const Config& root) {
  const auto stand = [&](const char* block, std::initializer_list<const char*> keys) {
    for (const char* key : keys) root.map(block).let_stand(key);
  };
  stand("experiment", {"pass", "window", "rows", "dispatch", "columns"});
  stand("cut", {"chunk", "partitions", "shares", "sources", "task_rows"});
  stand("order", {"assignment", "ctq", "vtq", "ctq_list", "vtq_list"});
  stand("l2", {"mode", "policy", "start"});
  stand("bucket", {"rows"});
}

}  // namespace a3sim
