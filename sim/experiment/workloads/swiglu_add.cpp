#include "sim/experiment/config/workload.h"

namespace a3sim {
namespace {

// Reads the number of tiles or the rows of a tile.
std::uint32_t rows_of_tile(const Config& config, std::uint32_t rows) {
  const auto tiles =
      config.has("tiles") ? static_cast<std::uint32_t>(config.integer("tiles", 1, kMostShape)) : 0;
  if (tiles == 0 || config.has("tile_rows"))
    return static_cast<std::uint32_t>(config.integer("tile_rows", 1, kMostShape));
  return (rows + tiles - 1) / tiles;
}

void read_swiglu_add(const Config& root, const Config& /*block*/, Experiment& experiment) {
  const Config config = root.map("elementwise");
  const auto rows = static_cast<std::uint32_t>(config.integer("rows", 1, kMostShape));
  const auto cols = static_cast<std::uint32_t>(config.integer("cols", 1, kMostShape));
  const std::uint32_t tile_rows = rows_of_tile(config, rows);
  const auto dtype = read_dtype(config);
  check_fits_memory(config, experiment.hardware.memory.hbm_size, {"rows", "cols"}, 5.0 * rows * cols, dtype);
  config.finish();
  experiment.shape.ep = 1;
  experiment.shape.dtype = dtype;
  // A kernel's workers get equal slabs of rows.
  const std::uint32_t slab =
      (rows + experiment.workers.count(CoreUnit::kVector) - 1) / experiment.workers.count(CoreUnit::kVector);
  experiment.passes.push_back(
      {"swiglu_add", swiglu_add_graph(rows, cols, in_kernels(experiment) ? slab : tile_rows, dtype)});
}

A3SIM_REGISTER(Workload, "swiglu_add", "SwiGLU, then Add, in tiles", Workload{read_swiglu_add});

}  // namespace
}  // namespace a3sim
