#include "sim/device/read_workers.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "models/operators/engine_put.h"
#include "sim/core/closest.h"

namespace a3sim {
namespace {

constexpr std::int64_t kMostWorkers = 16384;
constexpr std::int64_t kMostPerCycle = 1 << 24;
constexpr double kLeastShare = 0.01;
constexpr double kMostFaster = 1e6;  // than what is stated: a product that takes next to no time
constexpr std::uint32_t kCubeFace = 16 * 16;

std::uint32_t whole(const Config& config, std::string_view key, std::int64_t min, std::int64_t max) {
  return static_cast<std::uint32_t>(config.integer(key, min, max));
}

std::string capitals(std::string text) {
  for (char& c : text) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  }
  return text;
}

// Reads products per cycle.
std::uint32_t macs_per_cycle(const Config& config, std::string_view key, std::string_view unit) {
  const double value = config.per_cycle(key, unit);
  const bool whole =
      value <= static_cast<double>(kMostPerCycle) && value == static_cast<std::uint32_t>(value);
  const std::uint32_t number = whole ? static_cast<std::uint32_t>(value) : 0;
  if (number == 0 || number % kCubeFace != 0) {
    config.error(key, "expected a multiple of 256 per cycle, up to 2^24: the cube works on 16 x 16 results");
    return kCubeFace;
  }
  return number;
}

// Adds a kind that runs tasks of these units; each unit has one.
void add_kind(WorkerKinds& kinds, WorkerKind added, const Config& config) {
  for (std::uint32_t u = 0; u < kCoreUnits; ++u) {
    const auto unit = static_cast<CoreUnit>(u);
    if (!added.has(unit) || kinds.count(unit) == 0) continue;
    config.error("runs", fmt::format("another kind of worker runs '{}' too, expected one", name_of(unit)));
    return;
  }
  for (const std::string& runs : config.with_sources(false).texts("runs")) {
    if (kinds.queue_naming(runs) != kNone)
      config.error("runs", fmt::format("another kind of worker has '{}' as its own too, expected one", runs));
  }
  for (const WorkerKind& kind : kinds) {
    if (kind.name == added.name)
      config.error("count", fmt::format("another kind is called {} too", kind.name));
  }
  kinds.add(std::move(added));
}

// Reads a kind whose name is neither `cube` nor `vector`: it runs what no other kind runs then, units or
// operators.
WorkerKind read_kind(const Config& config, const std::string& name) {
  WorkerKind kind{capitals(name), whole(config, "count", 1, kMostWorkers), {}};
  bool has_unit = false;
  if (!is_kind_name(kind.name))
    config.error("count",
                 fmt::format("the kind's name '{}' is not one of up to 32 letters, digits and _", name));
  for (const std::string& runs : config.with_sources(false).texts("runs")) {
    const auto unit = std::ranges::find(kNamesOf<CoreUnit>, runs);
    if (unit != kNamesOf<CoreUnit>.end()) {
      has_unit = true;
      kind.units[static_cast<std::size_t>(unit - kNamesOf<CoreUnit>.begin())] = true;
    } else if (runs == kMoves || Operators::find(runs) != nullptr) {
      kind.operators += (kind.operators.empty() ? "" : " ") + runs;
    } else {
      config.error("runs", fmt::format("'{}', expected matrix, vector, moves (all operators that move rows "
                                       "between ranks), or types of operators{}",
                                       runs, suggestion(runs, Operators::names())));
    }
  }
  if (has_unit && !kind.operators.empty()) config.error("runs", "expected units, or operators, not both");
  if (!has_unit && kind.operators.empty() && !config.is_wrong("runs"))
    config.error("runs", "nothing, expected matrix, vector, moves or types of operators");
  return kind;
}

// Reads the kinds of worker. A kind says what it runs; otherwise cube cores (AIC) run products and vector
// cores (AIV) all else. Each block gives the number of its workers.
WorkerKinds read_kinds(const Config& config) {
  WorkerKinds kinds;
  const WorkerKinds usual = aic_and_aiv(0, 0);
  constexpr std::string_view kBlocks[] = {"cube",
                                          "vector"};  // of the usual kinds; all hardware describes such work
  for (std::uint32_t k = 0; k < usual.size(); ++k) {
    const Config block = config.map(kBlocks[k]);
    if (!block.has("count")) continue;
    WorkerKind kind = usual[k];
    kind.count = whole(block, "count", 1, kMostWorkers);
    kinds.add(std::move(kind));
  }
  for (const std::string& name : config.names({"cube", "vector"})) {
    const Config block = config.map(name);
    add_kind(kinds, read_kind(block, name), block);
  }
  for (std::uint32_t k = 0; k < usual.size(); ++k) {
    const auto unit = static_cast<CoreUnit>(k);
    if (kinds.count(unit) > 0) continue;
    config.map(kBlocks[k])
        .error("count", fmt::format("no kind of worker runs '{}': expected a count here, or a kind "
                                    "with `runs: [{}]`",
                                    name_of(unit), name_of(unit)));
    // Takes a large number, so that nothing else seems wrong.
    kinds.add({usual[k].name, kMostWorkers, usual[k].units});
  }
  return kinds;
}

Hardware::Cube read_cube(const Config& config) {
  Hardware::Cube cube;
  cube.macs_per_cycle_16 = macs_per_cycle(config, "macs_16", "MAC");
  cube.macs_per_cycle_32 = macs_per_cycle(config, "macs_32", "MAC");
  cube.macs_per_cycle_8 = macs_per_cycle(config, "macs_8", "MAC");
  cube.mad_head_cycles = whole(config, "mad_head_cycles", 0, kMostPerCycle);
  if (config.has("macs_fp8")) cube.macs_per_cycle_fp8 = macs_per_cycle(config, "macs_fp8", "MAC");
  if (config.has("macs_fp4")) cube.macs_per_cycle_fp4 = macs_per_cycle(config, "macs_fp4", "MAC");
  if (config.has("l0_in_turns")) cube.l0_in_turns = config.boolean("l0_in_turns", true);
  if (config.has("hbm_part")) cube.hbm_part = config.number("hbm_part", kLeastShare, 1);
  cube.unaligned = config.number("unaligned", kLeastShare, 1);
  cube.rows_128 = config.number("rows_128", kLeastShare, 1);
  cube.rows_256 = config.number("rows_256", kLeastShare, 1);
  if (cube.rows_256 < cube.rows_128) config.error("rows_256", "expected at least what rows_128 is");
  cube.load_issue_cycles = config.number("load_issue_cycles", 0, kMostPerCycle);
  constexpr std::uint32_t kMostRows = 1024;
  if (config.has("least_rows")) cube.least_rows = whole(config, "least_rows", 1, kMostRows);
  if (config.has("speed")) cube.speed = config.number("speed", kLeastShare, kMostFaster);
  cube.sustained =
      config.has("sustained") ? config.number("sustained", kLeastShare, kMostFaster) : cube.speed;
  cube.l1 = config.bytes("l1");
  cube.l0a = config.bytes("l0a");
  cube.l0b = config.bytes("l0b");
  cube.l0c = config.bytes("l0c");
  return cube;
}

// A pipe in the configuration. Machines have those that products and vector work cannot do without, unless a
// way through other stores takes their place.
struct PipeKey {
  std::string_view block, key;
  Store from, to;
};
constexpr PipeKey kPipes[] = {
    {"cube", "gm_to_l1", Store::kGm, Store::kL1},   {"cube", "l1_to_l0a", Store::kL1, Store::kL0a},
    {"cube", "l1_to_l0b", Store::kL1, Store::kL0b}, {"cube", "l0c_to_gm", Store::kL0c, Store::kGm},
    {"cube", "l0c_to_ub", Store::kL0c, Store::kUb}, {"cube", "l0c_to_l1", Store::kL0c, Store::kL1},
    {"cube", "l1_to_ub", Store::kL1, Store::kUb},   {"cube", "ub_to_l1", Store::kUb, Store::kL1},
    {"vector", "gm_to_ub", Store::kGm, Store::kUb}, {"vector", "ub_to_gm", Store::kUb, Store::kGm}};

Pipes read_pipes(const Config& workers) {
  Pipes pipes;
  for (const PipeKey& pipe : kPipes) {
    const Config block = workers.map(pipe.block);
    if (block.has(pipe.key)) pipes.set(pipe.from, pipe.to, block.per_cycle_or_none(pipe.key, "B"));
  }
  return pipes;
}

// Returns the rate of a way. Notes an error at the key of its pipe if there is none.
double needed_way(const Pipes& pipes, const Config& workers, Store from, Store to) {
  const double rate = pipes.way(from, to);
  if (rate > 0) return rate;
  const auto key =
      std::ranges::find_if(kPipes, [&](const PipeKey& pipe) { return pipe.from == from && pipe.to == to; });
  workers.map(key->block)
      .error(key->key, fmt::format("missing, expected bytes per cycle, or pipes by another way from {} to {}",
                                   name_of(from), name_of(to)));
  return 1;
}

// Sets the ways that products take. What a miss costs on a way through other stores is what the memory's pipe
// on it costs.
void set_ways(Hardware& hardware, const Config& workers) {
  const Pipes& pipes = hardware.pipes;
  const Config cube = workers.map("cube"), vector = workers.map("vector");
  Hardware::Cube& to = hardware.cube;
  hardware.vector.gm_to_ub = needed_way(pipes, workers, Store::kGm, Store::kUb);
  hardware.vector.ub_to_gm = needed_way(pipes, workers, Store::kUb, Store::kGm);
  to.gm_to_l1 = needed_way(pipes, workers, Store::kGm, Store::kL1);
  to.l1_to_l0a = needed_way(pipes, workers, Store::kL1, Store::kL0a);
  to.l1_to_l0b = needed_way(pipes, workers, Store::kL1, Store::kL0b);
  to.l0c_to_gm = needed_way(pipes, workers, Store::kL0c, Store::kGm);
  to.l0c_to_ub = pipes.way(Store::kL0c, Store::kUb, true);
  to.ub_to_l1 = pipes.way(Store::kUb, Store::kL1, true);
  const bool own_l1 = pipes.pipe(Store::kGm, Store::kL1) > 0, own_ub = pipes.pipe(Store::kGm, Store::kUb) > 0;
  if (own_l1 || !own_ub || cube.has("gm_to_l1_miss")) to.gm_to_l1_miss = cube.per_cycle("gm_to_l1_miss", "B");
  if (own_ub || !own_l1 || vector.has("gm_to_ub_miss"))
    hardware.vector.gm_to_ub_miss = vector.per_cycle("gm_to_ub_miss", "B");
  if (to.gm_to_l1_miss == 0) to.gm_to_l1_miss = std::min(hardware.vector.gm_to_ub_miss, to.gm_to_l1);
  if (hardware.vector.gm_to_ub_miss == 0)
    hardware.vector.gm_to_ub_miss = std::min(to.gm_to_l1_miss, hardware.vector.gm_to_ub);
}

Hardware::Vector read_vector(const Config& config) {
  Hardware::Vector vector;
  vector.simple_fp32 = config.per_cycle("simple_fp32", "element");
  vector.convert = config.per_cycle("convert", "element");
  vector.transcendental = config.per_cycle("transcendental", "element");
  vector.startup_cycles = config.number("startup_cycles", 0, kMostPerCycle);
  if (config.has("load_startup_cycles"))
    vector.load_startup = config.number("load_startup_cycles", 0, kMostPerCycle);
  vector.unaligned = config.number("unaligned", kLeastShare, 1);
  vector.ub = config.bytes("ub");
  return vector;
}

// Reads what a kind with operators of its own says of its vector work; all else is as `vector` has it.
std::optional<Hardware::Vector> read_own_vector(const Config& config, const Hardware::Vector& usual) {
  Hardware::Vector own = usual;
  bool states = false;
  const auto read = [&](const char* key, double& value, const char* unit) {
    if (!config.has(key)) return;
    states = true;
    value = config.per_cycle(key, unit);
  };
  read("simple_fp32", own.simple_fp32, "element");
  read("convert", own.convert, "element");
  read("transcendental", own.transcendental, "element");
  read("gm_to_ub", own.gm_to_ub, "B");
  read("gm_to_ub_miss", own.gm_to_ub_miss, "B");
  read("ub_to_gm", own.ub_to_gm, "B");
  if (config.has("startup_cycles")) {
    states = true;
    own.startup_cycles = config.number("startup_cycles", 0, kMostPerCycle);
  }
  if (config.has("ub")) {
    states = true;
    own.ub = config.bytes("ub");
  }
  return states ? std::optional(own) : std::nullopt;
}

void read_own_vectors(const Config& workers, Hardware& hardware) {
  hardware.own_vectors.resize(hardware.workers.size());
  for (const std::string& name : workers.names({"cube", "vector"})) {
    const Config block = workers.map(name);
    for (std::uint32_t q = 0; q < hardware.workers.size(); ++q) {
      const WorkerKind& kind = hardware.workers[q];
      if (kind.name == capitals(name) && !kind.operators.empty())
        hardware.own_vectors[q] = read_own_vector(block, hardware.vector);
    }
    block.finish();
  }
}

}  // namespace

void read_workers(const Config& config, Hardware& hardware) {
  hardware.workers = read_kinds(config);
  hardware.cube = read_cube(config.map("cube"));
  hardware.vector = read_vector(config.map("vector"));
  hardware.pipes = read_pipes(config);
  set_ways(hardware, config);
  read_own_vectors(config, hardware);
  config.finish();
}

}  // namespace a3sim
