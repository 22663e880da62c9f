#include "sim/experiment/workload.h"

#include <fmt/format.h>

#include <algorithm>

#include "models/graph/yaml_graph.h"
#include "models/operators/elementwise.h"
#include "sim/runtime/execution.h"

namespace a3sim {
namespace {

constexpr std::int64_t kMostShape = 1 << 30;

bool in_kernels(const Experiment& experiment) {
  return Executions::get(experiment.run.execution).by_kernels();
}

void read_model(const Config& root, Experiment& experiment) {
  experiment.parallel = read_parallel(root.map("parallel"));
  experiment.shape = read_shape(root.map("model"), experiment.parallel);
  experiment.routing = read_routing(root.map("routing"));
}

void read_moe_ffn(const Config& root, const Config& block, Experiment& experiment) {
  const std::size_t pass = block.choice("pass", {"forward", "backward", "both"}, "both");
  experiment.window = static_cast<Window>(block.choice("window", {"transport", "full"}, "transport"));
  read_model(root, experiment);
  if (pass != 1) experiment.passes.push_back({"forward", forward_graph(experiment.shape, experiment.window)});
  if (pass != 0)
    experiment.passes.push_back({"backward", backward_graph(experiment.shape, experiment.window)});
}

// An A3 die's memory. Nothing larger can be measured, and what is much larger never ends here either.
void check_fits_memory(const Config& config, std::string_view key, double elements, DataType dtype) {
  constexpr double kMemory = 64.0 * (1ULL << 30);
  const double bytes = elements * element_bytes(dtype);
  if (bytes <= kMemory) return;
  config.error(key, fmt::format("the tensors would take {:.1f} GiB, expected at most the 64 GiB of a die",
                                bytes / (1ULL << 30)));
}

void read_gemm(const Config& config, Experiment& experiment) {
  const auto size = [&](std::string_view key) {
    return static_cast<std::uint32_t>(config.integer(key, 1, kMostShape));
  };
  const std::uint32_t m = size("m"), n = size("n"), k = size("k");
  const auto experts = static_cast<std::uint32_t>(config.integer("experts", 0, 0xfffe, 0));
  if (experts > 0 && !in_kernels(experiment))
    config.error("experts", "products of several experts run kernel by kernel: experiment.execution=kernel");
  const auto dtype = static_cast<DataType>(config.choice("dtype", {"bf16", "fp16", "fp32", "int8"}, "bf16"));
  const double weights = 1.0 * k * n * std::max(1U, experts);
  check_fits_memory(config, "m", 1.0 * m * k + 1.0 * m * n + weights, dtype);
  config.finish();
  experiment.shape.ep = 1;
  experiment.shape.dtype = dtype;
  if (experts > 0) {
    experiment.shape.tokens = m;
    experiment.shape.hidden = k;
    experiment.shape.intermediate = n;
    experiment.shape.top_k = 1;
    experiment.shape.experts_per_rank = experts;
  }
  experiment.passes.push_back({"gemm", gemm_graph(m, n, k, experts > 0, dtype)});
}

void read_elementwise(const Config& config, Experiment& experiment) {
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
  shape.dtype = static_cast<DataType>(config.choice("dtype", {"bf16", "fp16", "fp32", "int8"}, "bf16"));
  check_fits_memory(config, "rows", 3.0 * shape.rows * shape.cols, shape.dtype);
  config.finish();
  experiment.shape.ep = 1;
  experiment.shape.dtype = shape.dtype;
  shape.task_rows = (shape.rows / shape.slices + experiment.workers[1] - 1) / experiment.workers[1];
  if (shape.rows % shape.slices == 0) experiment.passes.push_back({"elementwise", elementwise_graph(shape)});
}

void read_swiglu_add(const Config& config, Experiment& experiment) {
  const auto rows = static_cast<std::uint32_t>(config.integer("rows", 1, kMostShape));
  const auto width = static_cast<std::uint32_t>(config.integer("width", 1, kMostShape));
  const auto tile_rows = static_cast<std::uint32_t>(config.integer("tile_rows", 1, kMostShape));
  const auto dtype = static_cast<DataType>(config.choice("dtype", {"bf16", "fp16", "fp32", "int8"}, "bf16"));
  check_fits_memory(config, "rows", 5.0 * rows * width, dtype);
  config.finish();
  experiment.shape.ep = 1;
  experiment.shape.dtype = dtype;
  // A kernel's workers have even slabs of rows.
  const std::uint32_t slab = (rows + experiment.workers[1] - 1) / experiment.workers[1];
  experiment.passes.push_back(
      {"swiglu_add", swiglu_add_graph(rows, width, in_kernels(experiment) ? slab : tile_rows, dtype)});
}

}  // namespace

void read_workload(const Config& root, Experiment& experiment) {
  const Config block = root.map("experiment");
  experiment.name = block.text("name");
  experiment.run = read_run_options(block);
  const std::size_t workload =
      block.choice("workload", {"moe_ffn", "swiglu_add", "graph", "gemm", "elementwise"}, "moe_ffn");
  switch (workload) {
    case 0:
      read_moe_ffn(root, block, experiment);
      break;
    case 1:
      read_swiglu_add(root.map("swiglu_add"), experiment);
      break;
    case 3:
      read_gemm(root.map("gemm"), experiment);
      break;
    case 4:
      read_elementwise(root.map("elementwise"), experiment);
      break;
    default:
      read_model(root, experiment);
      experiment.passes.push_back(
          {root.map("graph").text("name"), graph_from_config(root.map("graph"), experiment.shape)});
  }
  block.finish();
}

}  // namespace a3sim
