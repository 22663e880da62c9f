#include "models/graph/tiling_config.h"

namespace a3sim {

Tiling read_tiling(const Config& config, const Tiling& fallback) {
  constexpr std::int64_t kMostSize = 0xffff, kMostBuffers = 2;
  Tiling tiling = fallback;
  const auto read = [&]<class T>(std::string_view key, T& value, std::int64_t most) {
    value = static_cast<T>(config.integer(key, 1, most, value));
  };
  read("base_m", tiling.base_m, kMostSize);
  read("base_n", tiling.base_n, kMostSize);
  read("base_k", tiling.base_k, kMostSize);
  read("step_k", tiling.step_k, kMostSize);
  read("l1_buffers", tiling.l1_buffers, kMostBuffers);
  read("l0_buffers", tiling.l0_buffers, kMostBuffers);
  tiling.order = config.choice("order", fallback.order);
  tiling.unit_flag = config.choice("unit_flag", fallback.unit_flag);
  const std::int64_t most_regions = 255;
  tiling.grid_m = static_cast<std::uint8_t>(config.integer("grid_m", 0, most_regions, tiling.grid_m));
  tiling.grid_n = static_cast<std::uint8_t>(config.integer("grid_n", 0, most_regions, tiling.grid_n));
  if ((tiling.grid_m == 0) != (tiling.grid_n == 0)) {
    config.error(tiling.grid_m == 0 ? "grid_m" : "grid_n", "expected grid_m and grid_n, or neither");
  } else if (tiling.grid_m > 0 &&
             (tiling.order == BlockOrder::kDiagonal || tiling.order == BlockOrder::kStrips)) {
    config.error("order", "expected row_major or column_major: the other orders are not of regions");
  }
  config.finish();
  return tiling;
}

}  // namespace a3sim
