#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "models/graph/tiling_config.h"
#include "models/operators/operator.h"
#include "scheduler/orders/order_config.h"
#include "sim/core/closest.h"
#include "sim/core/config/foreign.h"
#include "sim/core/config/include.h"
#include "sim/core/read_file.h"
#include "sim/experiment/config/alike_ranks.h"
#include "sim/experiment/config/block_choice.h"
#include "sim/experiment/config/configs_folder.h"
#include "sim/experiment/config/job_blocks.h"
#include "sim/experiment/config/kernel_lists.h"
#include "sim/experiment/config/launch_layers.h"
#include "sim/experiment/config/operator_tilings.h"
#include "sim/experiment/config/workload.h"
#include "sim/experiment/experiment.h"
#include "sim/network/network.h"
#include "sim/runtime/execution.h"
#include "traces/import/chakra_graph.h"

namespace a3sim {
namespace {

// Returns what reads a file of another program; nullptr for a configuration of ours.
const ForeignConfig* foreign_reader(const std::filesystem::path& file) {
  // A pipe is read once, by whoever takes it.
  std::error_code none;
  const bool regular = std::filesystem::is_regular_file(file, none);
  const std::string text = regular ? try_read_file(file, kLargestFile).text : "";
  for (const auto& [name, item] : ForeignConfigs::all())
    if (item.object->takes(file, text)) return item.object.get();
  return nullptr;
}

constexpr std::int64_t kMostRows = 1 << 30, kMostPartitions = 4096;
constexpr std::int64_t kMostWorkers = 16384;
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

// Reads how many workers of each kind run tasks: all of the hardware's, unless the configuration states
// fewer. Ignores numbers of AIC and AIV if the hardware has none, because other experiments may be included.
void read_workers(const Config& config, Experiment& experiment) {
  const auto read = [&](const std::string& kind, std::uint32_t most) {
    return of_execution(config, kind, experiment, [&](const Config& block, const std::string& key) {
      const bool runs = key == kind || key == experiment.run.execution;
      return static_cast<std::uint32_t>(block.integer(key, 1, runs ? most : kMostWorkers, most));
    });
  };
  experiment.workers = experiment.hardware.workers;
  refuse_other_kinds(config, experiment.workers);
  for (WorkerKind& kind : experiment.workers) kind.count = read(kind.key(), kind.count);
  for (const WorkerKind& usual : aic_and_aiv(kMostWorkers, kMostWorkers)) {
    const auto is_usual = [&](const WorkerKind& kind) { return kind.name == usual.name; };
    if (config.has(usual.key()) && std::ranges::none_of(experiment.workers, is_usual))
      static_cast<void>(read(usual.key(), usual.count));
  }
  config.finish();
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

// Returns the operators of all passes of a MoE-FFN. An order may name those that an experiment leaves out.
std::vector<std::string> operators_of_moe_ffn(const MoeShape& shape) {
  std::vector<std::string> names;
  for (const Graph& graph : {forward_graph(shape, Window::kFull), backward_graph(shape, Window::kFull),
                             backward_graph(shape, Window::kFull, WeightGradients::kCastFp32),
                             backward_graph(shape, Window::kFull, WeightGradients::kAddFp32)}) {
    for (const OperatorNode& op : graph.operators()) {
      if (std::ranges::find(names, op.name) == names.end()) names.push_back(op.name);
    }
  }
  return names;
}

bool has_products(const Experiment& experiment) {
  return std::ranges::any_of(experiment.passes, [](const Pass& pass) {
    return std::ranges::any_of(pass.graph.operators(), [](const OperatorNode& op) {
      return Operators::get(op.type).unit() == CoreUnit::kMatrix;
    });
  });
}

// Checks that the machine multiplies what the graphs' products have as operands.
void check_types(const Config& root, const Experiment& experiment) {
  const Hardware& hardware = experiment.hardware;
  for (const Pass& pass : experiment.passes)
    for (const OperatorNode& op : pass.graph.operators()) {
      if (Operators::get(op.type).unit() != CoreUnit::kMatrix) continue;
      const DataType rows = pass.graph.tensor(op.inputs[0]).dtype,
                     weights = pass.graph.tensor(op.inputs[1]).dtype;
      if (hardware.cube.macs_per_cycle(rows, weights) == 0)
        root.map("hardware").map("workers").error("cube", why_no_products(hardware, rows, weights));
    }
}

void check_hints(const Config& l2, const Experiment& experiment) {
  std::vector<std::string> known = experiment.order.elsewhere;
  for (const Pass& pass : experiment.passes) {
    for (const OperatorNode& op : pass.graph.operators()) {
      if (std::find(known.begin(), known.end(), op.name) == known.end()) known.push_back(op.name);
    }
  }
  for (const auto& [op, hint] : experiment.run.l2.read_hints) {
    if (std::find(known.begin(), known.end(), op) == known.end() && !Operators::find(op))
      l2.error("hints", fmt::format("no operator is called '{}'{}", op, suggestion(op, known)));
  }
}

// Returns the network that shares links exactly if that is fast enough, otherwise one that approximates this.
const char* default_network(std::uint32_t ranks) {
  constexpr std::uint32_t kMostExact = 64;
  return ranks <= kMostExact ? "native" : "endpoint-share";
}

// Says which ranks run.
enum class Simulate : std::uint8_t {
  kAll,
  kAlike  // one of each set of ranks that are alike, if the group turns
};
constexpr auto names_of(Simulate) { return std::to_array<std::string_view>({"all", "alike"}); }

// Returns the number of ranks that represent all; 0 if all run.
std::uint32_t kept_ranks(const Config& block, Simulate simulate, const Experiment& experiment) {
  if (simulate == Simulate::kAll) return 0;
  const std::vector<RankOptions>& ranks = experiment.run.ranks;
  if (experiment.work->micro_batches()) {
    block.error("simulate", "micro-batches run on all ranks: expected all");
  } else if (std::ranges::any_of(ranks, [](const RankOptions& rank) {
               return rank.start != Duration::zero() || rank.clock != 1 || rank.hbm != 1;
             })) {
    block.error("simulate", "the block 'ranks' tells ranks apart: expected all");
  }
  return alike_ranks(experiment);
}

// Refuses a file that is only a machine, a model or an order, and one without a machine, with one sentence instead of an
// error for each missing key.
void refuse_part(const Config& root, const std::filesystem::path& file) {
  const std::vector<std::string> keys = root.keys();
  if (keys.empty()) return;
  if ((root.has("experiment") || root.has("parallel")) && root.has("hardware")) return;
  if (root.has("experiment") || root.has("parallel"))
    throw InputError(
        fmt::format("{}: hardware: missing, no machine is included; begin with an experiment (include: [ep8, "
                    "...]), or with "
                    "a machine, a program and an order (include: [a3_24_48, hyperparallel, published, ...])",
                    root.mark().text()));
  throw InputError(fmt::format(
      "{}: no experiment, it has '{}' alone; run an experiment that says 'include: [EXPERIMENT, {}]' "
      "('a3sim config init experiment -o FILE' writes one)",
      file.string(), fmt::join(keys, "', '"), file.filename().string()));
}

// Checks that the program has a scheduler on the device, if one must hand out tasks.
void check_scheduler(const Config& root, const Experiment& experiment) {
  if (!charges(experiment.run, "program.tasks.dynamic_task") || experiment.program.tasks.dynamic_task) return;
  root.map("experiment")
      .error(
          "execution",
          fmt::format("program '{}' has no scheduler on the device: include programs/hyperparallel.yaml, or "
                      "say program.tasks.dynamic_task, what one spends on a task",
                      experiment.program.name));
}

Experiment read(const Config& root) {
  Experiment experiment;
  experiment.hardware = read_hardware(root.map("hardware"));
  experiment.program = read_program(root.map("program"));
  check_stack(root.map("program"), experiment.program, experiment.hardware.name, experiment.hardware.stack);
  if (root.map("experiment").boolean("sustained", false)) {
    const Hardware::Cube& cube = experiment.hardware.cube;
    if (cube.sustained == cube.speed) root.map("experiment").let_stand("sustained");
    experiment.hardware = sustained(experiment.hardware);
  }
  const auto simulate = root.map("experiment").choice("simulate", Simulate::kAll);
  experiment.work = read_work(root, experiment);
  check_scheduler(root, experiment);
  read_workers(root.map("workers"), experiment);
  read_workload(root, experiment);
  experiment.run.ranks =
      read_ranks(root, experiment.shape.ep, experiment.parallel, experiment.hardware.fabric);
  const bool shares_stated = root.map("cut").has("shares");
  experiment.cut = read_cut(root.map("cut"), experiment);
  if (root.map("cut").has("passes")) read_own_cuts(root.map("cut").map("passes"), experiment);
  root.map("cut").finish();
  experiment.representatives = kept_ranks(root.map("experiment"), simulate, experiment);
  experiment.run.kernel_sources = experiment.cut.sources;
  // Blocks of K have the same bytes for all types, so what fits in L0 and L1 for one type fits for all.
  Tiling tiling;
  tiling.base_k = static_cast<std::uint16_t>(tiling.base_k * element_bits(DataType::kBf16) /
                                             element_bits(experiment.shape.dtype));
  fit_into_l1(tiling, experiment.hardware.cube, experiment.shape.dtype);
  const bool chosen = root.map("tiling").choice("blocks", {"stated", "by_shape"}, "stated") == 1;
  const Config own_tilings = root.map("tiling").map("operators");
  for (const std::string& name : own_tilings.names())  // known keys from here on; laid over the others' below
    static_cast<void>(read_tiling(own_tilings.map(name), tiling));
  experiment.cut.tiling = read_tiling(root.map("tiling"), tiling);
  if (chosen) choose_blocks(experiment);
  check_regions(root, shares_stated, experiment);
  // A buffer of one byte could not be read, which has already been reported.
  const Hardware::Cube& cube = experiment.hardware.cube;
  const bool known = std::min({cube.l1, cube.l0a, cube.l0b, cube.l0c}) > 1_B;
  if (has_products(experiment) && known) {
    check_fits(root.map("tiling"), experiment.cut.tiling, experiment.hardware.cube, experiment.shape.dtype);
  }
  if (!experiment.passes.empty() && !has_products(experiment))
    for (const std::string& key : root.map("tiling").keys()) root.map("tiling").let_stand(key);
  check_types(root, experiment);
  experiment.run.l2 = read_l2(root.map("l2"));
  experiment.order = read_order(root.map("order"));
  if (!charges(experiment.run, "program.tasks.static_task")) root.map("order").let_stand("assignment");
  if (experiment.shape.experts() > 0) experiment.order.elsewhere = operators_of_moe_ffn(experiment.shape);
  experiment.order.elsewhere.insert(experiment.order.elsewhere.end(), experiment.absent.begin(),
                                    experiment.absent.end());
  read_operator_tilings(own_tilings, experiment, [&](const Config& block, const Tiling& own, DataType dtype) {
    if (known) check_fits(block, own, cube, dtype);
  });
  for (const KernelListError& wrong : name_kernels(experiment))
    root.map("experiment").error(wrong.key, wrong.why);
  check_hints(root.map("l2"), experiment);
  const Config bucket = root.map("bucket");
  if (bucket.has("rows"))
    experiment.bucket_rows = static_cast<std::uint32_t>(bucket.integer("rows", 0, kMostRows));
  experiment.bucket_where = bucket.mark("rows").text() + ": " + bucket.path("rows");
  bucket.finish();
  const Config network = root.map("network");
  experiment.run.cables =
      read_cable_planes(network, experiment.hardware.fabric, dies_of(experiment.run.ranks));
  const bool exact = experiment.representatives > 0 || !experiment.run.cables.empty();
  const char* const usual = exact ? "native" : default_network(experiment.shape.ep);
  experiment.network = network.registered<NetworkBackend>("backend", usual).value_or(usual);
  network.finish();
  root.finish();
  return experiment;
}

}  // namespace

namespace {

bool any_is_set(std::span<const std::string_view> keys, std::span<const std::string> overrides) {
  return std::ranges::any_of(overrides, [&](const std::string& set) {
    return std::ranges::any_of(keys, [&](std::string_view key) { return set.starts_with(key); });
  });
}

// Returns whether the model of a file has no experts.
bool is_dense(const std::filesystem::path& file) {
  Diagnostics diagnostics;
  const Config root = Config::parse(fmt::format("include: ['{}']\n", file.filename().string()), file.string(),
                                    {}, diagnostics);
  return diagnostics.empty() && root.has("model") && !root.map("model").has("experts");
}

// Returns whether the whole model is trained: if it has no experts to be run alone, or an option of a
// training step is set.
bool as_training_step(const std::filesystem::path& file, std::span<const std::string> overrides) {
  constexpr std::string_view kStep[] = {
      "step.",        "parallel.tp=", "parallel.pp=",   "parallel.vpp=",
      "parallel.cp=", "parallel.dp=", "parallel.dies=", "experiment.workload=training_step"};
  return any_is_set(kStep, overrides) || is_dense(file);
}

// Returns whether a step of inference is asked for.
bool as_inference_step(std::span<const std::string> overrides) {
  constexpr std::string_view kInference[] = {"inference.", "experiment.workload=inference_step"};
  return any_is_set(kInference, overrides);
}

// Returns the configuration of a training step on A3: kernel by kernel, with the host's all-to-all for rows.
std::string training_step_with(const std::string& model) {
  const std::filesystem::path configs = configs_folder();
  return fmt::format(
      "include: ['{}', '{}', '{}', '{}', '{}']\n"
      "experiment: {{name: hf, workload: training_step, execution: kernel}}\n",
      (configs / "hardware" / "a3_training.yaml").string(),
      (configs / "programs" / "hyperparallel_training.yaml").string(),
      (configs / "steps" / "a3.yaml").string(), (configs / "orders" / "published.yaml").string(), model);
}

// Returns the configuration of a step of inference on A3, as the shipped experiments of decode have it; experts on 8 dies, as
// when they run alone.
std::string inference_step_with(const std::string& model, bool dense) {
  const std::filesystem::path configs = configs_folder();
  return fmt::format(
      "include: ['{}', '{}', '{}', '{}', '{}']\n"
      "experiment: {{name: hf, workload: inference_step, execution: fused, communication: one_sided}}\n"
      "parallel: {{ep: {}}}\n",
      (configs / "hardware" / "a3_24_48.yaml").string(),
      (configs / "programs" / "cann_inference.yaml").string(),
      (configs / "steps" / "a3_inference.yaml").string(), (configs / "orders" / "ratr.yaml").string(), model,
      dense ? 1 : 8);
}

// Returns the configuration of a model file: its experts run as in hf.yaml, or all of it is trained or serves requests.
std::string model_text(const std::filesystem::path& file, std::span<const std::string> overrides) {
  const std::string model = file.filename().string();
  if (as_inference_step(overrides)) return inference_step_with(model, is_dense(file));
  if (as_training_step(file, overrides)) return training_step_with(model);
  return fmt::format("include: ['{}', '{}']\n", (configs_folder() / "experiments" / "hf.yaml").string(),
                     model);
}

}  // namespace

Experiment read_experiment(const Config& root, const Diagnostics& diagnostics) {
  Experiment experiment = read(root);
  diagnostics.throw_if_any();
  experiment.tree = root.tree();
  experiment.resolved = root.resolved();
  experiment.values = root.values();
  return experiment;
}

// Returns the configuration of a training step that a launch script describes, on A3. The script's own values win over
// those of a model's config.json; `said`: what is not modelled, in place of what the script's reader says.
static std::string launch_text(const std::filesystem::path& script, const std::filesystem::path& model,
                               const std::vector<std::string>& said) {
  const std::string base = (configs_folder() / "steps" / "launch_script.yaml").string();
  const std::string below =
      model.empty() ? "" : fmt::format("'{}', ", std::filesystem::absolute(model).string());
  std::string text = fmt::format("include: ['{}', {}'{}']\nexperiment: {{name: '{}'}}\n", base, below,
                                 script.filename().string(), script.stem().string());
  if (!said.empty()) text += "step:\n  not_modelled:\n";
  for (const std::string& line : said) text += fmt::format("    - {}\n", nlohmann::json(line).dump());
  return text;
}

Experiment load_launch(const std::filesystem::path& script, const std::filesystem::path& model,
                       std::span<const std::string> overrides) {
  const bool asked = std::ranges::any_of(
      overrides, [](const std::string& override) { return override.starts_with("model.layers="); });
  const std::vector<std::string> said =
      model.empty() || asked ? std::vector<std::string>() : layers_left_out(script, model);
  return parse_experiment(launch_text(script, model, said), script.string(), overrides);
}

// Returns the configuration that replays a folder of Chakra execution traces.
static std::string chakra_text(const std::filesystem::path& folder) {
  const std::filesystem::path whole = std::filesystem::absolute(folder).lexically_normal();
  const std::filesystem::path name = whole.has_filename() ? whole.filename() : whole.parent_path().filename();
  return fmt::format("include: ['{}']\nexperiment: {{name: '{}'}}\nkernel: {{folder: '{}'}}\n",
                     (configs_folder() / "steps" / "chakra.yaml").string(), name.string(), whole.string());
}

Experiment load_experiment(const std::filesystem::path& file, std::span<const std::string> overrides) {
  if (is_chakra_folder(file)) return parse_experiment(chakra_text(file), file.string(), overrides);
  const ForeignConfig* const foreign = foreign_reader(file);
  if (foreign != nullptr && foreign->trains()) return load_launch(file, {}, overrides);
  if (foreign != nullptr) return parse_experiment(model_text(file, overrides), file.string(), overrides);
  Diagnostics diagnostics;
  const Config root = Config::load(file, overrides, diagnostics);
  if (diagnostics.empty()) refuse_part(root, file);
  refuse_job_blocks(root);
  return read_experiment(root, diagnostics);
}

Experiment parse_experiment(std::string_view text, const std::string& name,
                            std::span<const std::string> overrides) {
  Diagnostics diagnostics;
  return read_experiment(Config::parse(text, name, overrides, diagnostics), diagnostics);
}

}  // namespace a3sim
