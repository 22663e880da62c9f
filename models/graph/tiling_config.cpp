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
  read("l0c_buffers", tiling.l0c_buffers, kMostBuffers);
  tiling.order = config.choice("order", fallback.order);
  config.finish();
  return tiling;
}

}  // namespace a3sim
