#include "sim/device/moved_keys.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace a3sim {
namespace {

// Keys that were once below `hardware`, by block. An empty key stands for every key of the block.
struct Moved {
  std::string_view block, key, now;
};
constexpr Moved kMoved[] = {
    {"runtime", "static_task", "program.tasks.static_task"},
    {"runtime", "dynamic_task", "program.tasks.dynamic_task"},
    {"runtime", "cube_task_start", "program.tasks.cube_task_start"},
    {"runtime", "local_visibility", "program.signals.local_visibility"},
    {"runtime", "kernel_launch", "program.launch.alone"},
    {"runtime", "queued_launch", "program.launch.queued"},
    {"runtime", "sync_all", "program.signals.sync_all"},
    {"collective", "", "program.collective"},
    {"host", "", "program.host"},
    {"bulk", "", "program.bulk"},
    {"copy_engine", "submit", "program.host.submit"},
};

bool stands(const Config& map, std::string_view key) {
  const std::vector<std::string> keys = map.keys();
  return std::ranges::find(keys, key) != keys.end();
}

void refuse(const Config& block, std::string_view key, const std::string& now) {
  block.let_stand(key);
  block.error(key, fmt::format("this belongs to the program, not to the machine: write {}, in a file of "
                               "configs/programs/ or in the experiment",
                               now));
}

}  // namespace

// Looks only at what is there, since a machine has none of these keys.
void refuse_program_keys(const Config& hardware) {
  for (const Moved& moved : kMoved) {
    if (!stands(hardware, moved.block)) continue;
    const Config block = hardware.map(moved.block);
    for (const std::string& key : block.keys()) {
      if (moved.key.empty())
        refuse(block, key, fmt::format("{}.{}", moved.now, key));
      else if (moved.key == key)
        refuse(block, key, std::string(moved.now));
    }
  }
  if (!stands(hardware, "workers")) return;
  const Config workers = hardware.map("workers");
  if (!stands(workers, "vector")) return;
  const Config vector = workers.map("vector");
  if (stands(vector, "tile")) refuse(vector, "tile", "program.vector.tile");
}

}  // namespace a3sim
