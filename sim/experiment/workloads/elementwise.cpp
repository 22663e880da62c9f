#include "models/operators/elementwise.h"

#include "sim/experiment/config/workload.h"

namespace a3sim {
namespace {

void read_elementwise(const Config& root, const Config& /*block*/, Experiment& experiment) {
  const Config config = root.map("elementwise");
  ElementwiseShape shape;
  const std::vector<std::string_view> types = elementwise_operators();
  shape.type = types[config.choice("operator", types)];
  const auto read = [&](std::string_view key, std::int64_t most, std::int64_t fallback) {
    return static_cast<std::uint32_t>(config.integer(key, 1, most, fallback));
  };
  shape.rows = static_cast<std::uint32_t>(config.integer("rows", 1, kMostShape));
  shape.cols = static_cast<std::uint32_t>(config.integer("cols", 1, kMostShape));
  shape.sweeps = read("sweeps", 64, 1);
  shape.slices = read("slices", 64, 1);
  if (shape.rows % shape.slices != 0) config.error("slices", "expected a divisor of the rows");
  shape.dtype = read_dtype(config);
  check_fits_memory(config, experiment.hardware.memory.hbm_size, {"rows", "cols"},
                    3.0 * shape.rows * shape.cols * element_bytes(shape.dtype));
  config.finish();
  experiment.shape.ep = 1;
  experiment.shape.dtype = shape.dtype;
  shape.task_rows = (shape.rows / shape.slices + experiment.workers.count(CoreUnit::kVector) - 1) /
                    experiment.workers.count(CoreUnit::kVector);
  if (shape.rows % shape.slices == 0) experiment.passes.push_back({"elementwise", elementwise_graph(shape)});
}

A3SIM_REGISTER(Workload, "elementwise", "one elementwise operator", Workload{read_elementwise});

}  // namespace
}  // namespace a3sim
