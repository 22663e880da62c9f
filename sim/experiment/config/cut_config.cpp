#include "sim/experiment/config/cut_config.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "models/graph/tiling_config.h"
#include "models/operators/operator.h"
#include "sim/experiment/config/block_choice.h"
#include "sim/experiment/config/operator_tilings.h"
#include "sim/runtime/execution.h"

namespace a3sim {
namespace {

constexpr std::int64_t kMostRows = 1 << 30, kMostPartitions = 4096;
constexpr std::int64_t kMostShares = 65535;  // a region's share has 16 bits

// Checks that tiles and their buffers fit in L0 and L1.
void check_fits(const Config& config, const Tiling& t, const Hardware::Cube& cube, DataType dtype) {
  const auto bytes = [&](std::uint32_t rows) {
    return static_cast<std::int64_t>(std::uint64_t{rows} * t.base_k * element_bits(dtype) / 8);
  };
  const std::int64_t a = bytes(t.base_m), b = bytes(t.base_n);
  const auto check = [&](std::string_view what, std::int64_t bytes, Bytes size) {
    if (bytes <= size.count) return;
    config.error("base_k",
                 fmt::format("blocks of {} x {} x {} of {} need {} bytes of {}, which has {}: make base_k, "
                             "base_m, base_n or step_k smaller",
                             t.base_m, t.base_n, t.base_k, name_of(dtype), bytes, what, size.count));
  };
  check("L0A", a * t.l0_buffers, cube.l0a);
  check("L0B", b * t.l0_buffers, cube.l0b);
  check("L0C", std::int64_t{4} * t.base_m * t.base_n * t.l0c_buffers, cube.l0c);  // sums of 4 bytes
  check("L1", (a + b) * t.step_k * t.l1_buffers, cube.l1);
}

// Reduces the blocks of K per load to what fits in L1.
void fit_into_l1(Tiling& t, const Hardware::Cube& cube, DataType dtype) {
  const std::int64_t blocks =
      std::int64_t{t.base_m + t.base_n} * t.base_k * element_bits(dtype) / 8 * t.l1_buffers;
  while (t.step_k > 1 && blocks * t.step_k > cube.l1.count) t.step_k /= 2;
}

// A fused kernel divides the rows that it sends evenly among its AIVs, which put an eighth of their rows at a
// time.
std::uint32_t dealt_rows(const Experiment& experiment) {
  constexpr std::uint64_t kPutsAWorker = 8;
  const std::uint64_t rows = std::uint64_t{experiment.shape.tokens} * experiment.shape.top_k;
  return static_cast<std::uint32_t>(
      std::max<std::uint64_t>(1, rows / (kPutsAWorker * experiment.workers.count(CoreUnit::kVector))));
}

// Reads the number of source ranks per partition, and sets the number of partitions that this gives.
void read_sources(const Config& config, const Experiment& experiment, CutOptions& cut) {
  constexpr std::int64_t kMostSources = 65535;
  cut.sources = static_cast<std::uint32_t>(config.integer("sources", 0, kMostSources, 0));
  if (cut.sources == 0) return;
  const MoeShape& shape = experiment.shape;
  if (shape.experts() == 0)
    config.error("sources", "rows have sources where ranks send them to experts: expected none");
  else
    cut.partitions = partitions_of_sources(shape.ep, cut.sources);
}

// Kernels are not cut to suit their neighbours: a collective sends whole experts, and vector operators are
// divided evenly among their workers, in tiles small enough for that.
CutOptions read_cut(const Config& config, const Experiment& experiment) {
  constexpr std::uint32_t kWholeExperts = 1 << 30, kEven = 32;
  CutOptions cut;
  const ScheduleCut cut_for = Executions::get(experiment.run.execution).cut();
  cut.kernel = cut_for != ScheduleCut::kTiles;
  if (cut.kernel) cut.task_rows = kEven;
  if (experiment.run.transport == Transport::kCollective) cut.chunk = kWholeExperts;
  if (cut_for == ScheduleCut::kFused) {
    cut.chunk = dealt_rows(experiment);
    cut.task_rows = std::clamp(cut.chunk, 1U, kEven);
  }
  cut.shares = static_cast<std::uint32_t>(
      config.integer("shares", 1, kMostShares,
                     std::min<std::int64_t>(kMostShares, experiment.workers.count(CoreUnit::kMatrix))));
  cut.partitions =
      static_cast<std::uint32_t>(config.integer("partitions", 1, kMostPartitions, cut.partitions));
  read_sources(config, experiment, cut);
  cut.chunk = static_cast<std::uint32_t>(config.integer("chunk", 1, kMostRows, cut.chunk));
  cut.task_rows = static_cast<std::uint32_t>(config.integer("task_rows", 1, kMostRows, cut.task_rows));
  return cut;
}

// Reads what passes cut otherwise. Entries of a pass that does not run are checked and left aside.
void read_own_cuts(const Config& config, Experiment& experiment) {
  const std::array<std::string_view, 2> usual{"forward", "backward"};
  for (const std::string& name : config.names()) {
    const Config block = config.map(name);
    OwnCut cut;
    const auto read = [&](const char* key, std::uint32_t& value, std::int64_t most) {
      if (block.has(key)) value = static_cast<std::uint32_t>(block.integer(key, 1, most));
    };
    read("partitions", cut.partitions, kMostPartitions);
    read("chunk", cut.chunk, kMostRows);
    read("task_rows", cut.task_rows, kMostRows);
    block.finish();
    if (cut.partitions > 0 && experiment.cut.sources > 0)
      block.error("partitions", "cut.sources says how many there are: expected none");
    const auto pass = std::ranges::find(experiment.passes, name, &Pass::name);
    if (pass != experiment.passes.end())
      pass->cut = cut;
    else if (std::ranges::find(usual, name) == usual.end())
      config.error(name, "there is no such pass");
  }
}

// Regions of a result are shares, each of one product.
void check_regions(const Config& root, bool shares_stated, Experiment& experiment) {
  const Tiling& tiling = experiment.cut.tiling;
  const std::uint32_t regions = tiling.grid_m * tiling.grid_n;
  if (regions == 0) return;
  if (experiment.shape.experts() > 0)
    root.map("tiling").error("grid_m",
                             "regions are of one product, and experts have one each: expected none");
  if (!shares_stated) experiment.cut.shares = regions;
  if (experiment.cut.shares != regions) {
    root.map("cut").error("shares", fmt::format("expected {}: tiling.grid_m times tiling.grid_n", regions));
  }
}

bool has_products(const Experiment& experiment) {
  return std::ranges::any_of(experiment.passes, [](const Pass& pass) {
    return std::ranges::any_of(pass.graph.operators(), [](const OperatorNode& op) {
      return Operators::get(op.type).unit() == CoreUnit::kMatrix;
    });
  });
}

// A buffer of one byte could not be read, which has already been reported.
bool has_buffers(const Hardware::Cube& cube) {
  return std::min({cube.l1, cube.l0a, cube.l0b, cube.l0c}) > 1_B;
}

// Reads the blocks of all products. Those of single operators get known keys here, and are read behind the order.
void read_tilings(const Config& root, bool shares_stated, Experiment& experiment) {
  const Hardware::Cube& cube = experiment.hardware.cube;
  const Config block = root.map("tiling");
  // Blocks of K have the same bytes for all types, so what fits in L0 and L1 for one type fits for all.
  Tiling usual;
  usual.base_k = static_cast<std::uint16_t>(usual.base_k * element_bits(DataType::kBf16) /
                                            element_bits(experiment.shape.dtype));
  fit_into_l1(usual, cube, experiment.shape.dtype);
  const bool chosen = block.choice("blocks", {"stated", "by_shape"}, "stated") == 1;
  const Config of_operators = block.map("operators");
  for (const std::string& name : of_operators.names())  // known keys from here on
    static_cast<void>(read_tiling(of_operators.map(name), usual));
  experiment.cut.tiling = read_tiling(block, usual);
  if (chosen) choose_blocks(experiment);
  check_regions(root, shares_stated, experiment);
  if (has_products(experiment) && has_buffers(cube))
    check_fits(block, experiment.cut.tiling, cube, experiment.shape.dtype);
  if (!experiment.passes.empty() && !has_products(experiment))
    for (const std::string& key : block.keys()) block.let_stand(key);
}

}  // namespace

void read_cut_and_tiling(const Config& root, Experiment& experiment) {
  const Config block = root.map("cut");
  const bool shares_stated = block.has("shares");
  experiment.cut = read_cut(block, experiment);
  if (block.has("passes")) read_own_cuts(block.map("passes"), experiment);
  block.finish();
  experiment.run.kernel_sources = experiment.cut.sources;
  read_tilings(root, shares_stated, experiment);
}

void read_tilings_of_operators(const Config& root, Experiment& experiment) {
  const Hardware::Cube& cube = experiment.hardware.cube;
  read_operator_tilings(root.map("tiling").map("operators"), experiment,
                        [&](const Config& block, const Tiling& own, DataType dtype) {
                          if (has_buffers(cube)) check_fits(block, own, cube, dtype);
                        });
}

}  // namespace a3sim
