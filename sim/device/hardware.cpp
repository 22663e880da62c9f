#include "sim/device/hardware.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sim/core/closest.h"
#include "sim/memory/l2/l2.h"

namespace a3sim {
namespace {

constexpr std::int64_t kMostWorkers = 16384;
constexpr std::int64_t kMostPerCycle = 1 << 24;
constexpr std::int64_t kMostWays = 64;
constexpr double kLeastPart = 0.01;
constexpr double kMostFaster = 1e6;  // than what is stated: a product that takes next to no time
constexpr std::uint32_t kCubeFace = 16 * 16;
constexpr std::int64_t kMostDies = 1 << 24;

std::uint32_t count(const Config& config, std::string_view key, std::int64_t min, std::int64_t max) {
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
    config.error(key, "expected a multiple of 256 a cycle, up to 2^24: the cube works on 16 x 16 results");
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
  for (const WorkerKind& kind : kinds) {
    if (kind.name == added.name)
      config.error("count", fmt::format("another kind is called {} too", kind.name));
  }
  if (std::ranges::find(added.units, true) != added.units.end()) kinds.add(std::move(added));
}

// Reads a kind whose name is neither `cube` nor `vector`.
WorkerKind read_kind(const Config& config, const std::string& name) {
  WorkerKind kind{capitals(name), count(config, "count", 1, kMostWorkers), {}};
  if (!is_kind_name(kind.name))
    config.error("count",
                 fmt::format("the kind's name '{}' is not one of up to 32 letters, digits and _", name));
  for (const std::string& runs : config.with_sources(false).texts("runs")) {
    const auto unit = std::ranges::find(kNamesOf<CoreUnit>, runs);
    if (unit == kNamesOf<CoreUnit>.end()) {
      config.error("runs", fmt::format("'{}', expected matrix and vector, or one of them", runs));
    } else {
      kind.units[static_cast<std::size_t>(unit - kNamesOf<CoreUnit>.begin())] = true;
    }
  }
  return kind;
}

// Reads the kinds of worker. A kind says what it runs; otherwise cube cores (AIC) run products and vector
// cores (AIV) all else. Each block gives the number of its workers.
WorkerKinds read_workers(const Config& config) {
  WorkerKinds kinds;
  const WorkerKinds usual = aic_and_aiv(0, 0);
  constexpr std::string_view kBlocks[] = {"cube",
                                          "vector"};  // of the usual kinds; all hardware describes such work
  for (std::uint32_t k = 0; k < usual.size(); ++k) {
    const Config block = config.map(kBlocks[k]);
    if (!block.has("count")) continue;
    WorkerKind kind = usual[k];
    kind.count = count(block, "count", 1, kMostWorkers);
    kinds.add(std::move(kind));
  }
  for (const std::string& name : config.names({"cube", "vector"})) {
    const Config block = config.map(name);
    add_kind(kinds, read_kind(block, name), block);
    block.finish();
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
  cube.mad_head_cycles = count(config, "mad_head_cycles", 0, kMostPerCycle);
  cube.l1_to_l0a = config.per_cycle("l1_to_l0a", "B");
  cube.l1_to_l0b = config.per_cycle("l1_to_l0b", "B");
  cube.gm_to_l1 = config.per_cycle("gm_to_l1", "B");
  cube.gm_to_l1_miss = config.per_cycle("gm_to_l1_miss", "B");
  cube.l0c_to_gm = config.per_cycle("l0c_to_gm", "B");
  if (config.has("hbm_part")) cube.hbm_part = config.number("hbm_part", kLeastPart, 1);
  cube.unaligned = config.number("unaligned", kLeastPart, 1);
  cube.rows_128 = config.number("rows_128", kLeastPart, 1);
  cube.rows_256 = config.number("rows_256", kLeastPart, 1);
  if (cube.rows_256 < cube.rows_128) config.error("rows_256", "expected at least what rows_128 is");
  cube.load_issue_cycles = config.number("load_issue_cycles", 0, kMostPerCycle);
  constexpr std::uint32_t kMostRows = 1024;
  if (config.has("least_rows")) cube.least_rows = count(config, "least_rows", 1, kMostRows);
  if (config.has("speed")) cube.speed = config.number("speed", kLeastPart, kMostFaster);
  cube.sustained = config.has("sustained") ? config.number("sustained", kLeastPart, kMostFaster) : cube.speed;
  cube.l1 = config.bytes("l1");
  cube.l0a = config.bytes("l0a");
  cube.l0b = config.bytes("l0b");
  cube.l0c = config.bytes("l0c");
  return cube;
}

Hardware::Vector read_vector(const Config& config) {
  Hardware::Vector vector;
  vector.simple_fp32 = config.per_cycle("simple_fp32", "element");
  vector.convert = config.per_cycle("convert", "element");
  vector.transcendental = config.per_cycle("transcendental", "element");
  vector.startup_cycles = config.number("startup_cycles", 0, kMostPerCycle);
  if (config.has("load_startup_cycles"))
    vector.load_startup = config.number("load_startup_cycles", 0, kMostPerCycle);
  vector.gm_to_ub = config.per_cycle("gm_to_ub", "B");
  vector.gm_to_ub_miss = config.per_cycle("gm_to_ub_miss", "B");
  vector.ub_to_gm = config.per_cycle("ub_to_gm", "B");
  vector.unaligned = config.number("unaligned", kLeastPart, 1);
  vector.ub = config.bytes("ub");
  return vector;
}

Hardware::MemorySystem read_memory(const Config& config) {
  Hardware::MemorySystem memory;
  memory.l2_size = config.bytes("l2_size");
  if (config.has("in_flight")) memory.in_flight = config.bytes("in_flight");
  memory.l2_read = config.rate("l2_read");
  memory.l2_write = config.rate("l2_write");
  memory.l2_ways = count(config, "l2_ways", 1, kMostWays);
  const std::int64_t stride = std::int64_t{memory.l2_ways} * kL2Line;
  const auto known = [&](const char* key) { return config.has(key) && !config.is_wrong(key); };
  if (known("l2_size") && known("l2_ways") && memory.l2_size.count % stride != 0) {
    config.error("l2_size",
                 fmt::format("{} bytes, expected a multiple of {}: {} ways (l2_ways) of lines of {} bytes",
                             memory.l2_size.count, stride, memory.l2_ways, kL2Line));
  }
  memory.l2_line_read = config.rate("l2_line_read");
  memory.hbm_read = config.rate("hbm_read");
  memory.hbm_write = config.rate("hbm_write");
  config.finish();
  return memory;
}

// Notes an error for a plane that lacks a rate and has a name similar to another's: a misspelt name makes a
// plane of its own.
void check_plane(const Config& planes, const std::string& name) {
  const Config plane = planes.map(name);
  if (plane.has("egress") && plane.has("ingress")) return;
  std::vector<std::string> others = planes.names();
  std::erase(others, name);
  if (const std::string_view meant = closest(name, others); !meant.empty())
    planes.error(
        name, fmt::format("a plane with one rate, expected egress and ingress; did you mean '{}'?", meant));
}

Hardware::Fabric::Plane read_plane(const Config& config, const std::string& name) {
  Hardware::Fabric::Plane plane{name, config.rate("egress"), config.rate("ingress"), {}};
  plane.read = config.has("read") ? config.rate("read") : std::min(plane.egress, plane.ingress);
  config.finish();
  return plane;
}

Hardware::Fabric::Level read_level(const Config& config, const std::string& name,
                                   const std::vector<Hardware::Fabric::Plane>& planes) {
  Hardware::Fabric::Level level;
  level.name = name;
  level.dies = config.has("dies") ? count(config, "dies", 1, kMostDies) : kNone;
  level.latency = config.duration("latency");
  level.payload = config.has("payload") ? config.number("payload", kLeastPart, 1) : 1;
  const std::string plane = config.with_sources(false).text("plane");
  std::vector<std::string> known;
  for (const auto& p : planes) {
    if (p.name == plane) level.plane = static_cast<std::uint32_t>(&p - planes.data());
    known.push_back(p.name);
  }
  if (level.plane >= planes.size() || planes[level.plane].name != plane)
    config.error("plane", fmt::format("unknown plane '{}'{}", plane, suggestion(plane, known)));
  config.finish();
  return level;
}

// Notes an error unless each level consists of whole ones of the level before. Only the last level may be
// open.
void check_levels(const Config& config, const std::vector<Hardware::Fabric::Level>& levels) {
  for (std::size_t i = 1; i < levels.size(); ++i) {
    const std::uint32_t inner = levels[i - 1].dies, outer = levels[i].dies;
    if (inner == kNone) {
      config.error(levels[i - 1].name, "only the last level may leave out its dies");
    } else if (outer != kNone && (outer <= inner || outer % inner != 0)) {
      config.error(levels[i].name,
                   fmt::format("{} dies, expected a multiple of the {} of level '{}' before it", outer, inner,
                               levels[i - 1].name));
    }
  }
}

Hardware::Fabric read_fabric(const Config& config) {
  Hardware::Fabric fabric;
  const Config planes = config.map("planes"), levels = config.map("levels");
  for (const std::string& name : planes.names()) {
    check_plane(planes, name);
    fabric.planes.push_back(read_plane(planes.map(name), name));
  }
  if (fabric.planes.empty()) config.error("planes", "expected at least one plane: what connects the dies");
  planes.finish();
  for (const std::string& name : levels.names())
    fabric.levels.push_back(read_level(levels.map(name), name, fabric.planes));
  levels.finish();
  check_levels(levels, fabric.levels);
  if (fabric.levels.empty()) config.error("levels", "expected at least one level: how far apart dies may be");
  fabric.put_per_worker = config.rate("put_per_worker");
  fabric.pull_per_worker =
      config.has("pull_per_worker") ? config.rate("pull_per_worker") : fabric.put_per_worker;
  if (config.has("put_row")) fabric.put_row = config.duration("put_row");
  fabric.put_startup = config.duration("put_startup");
  fabric.put_stream = config.has("put_stream") ? config.rate("put_stream") : fabric.put_per_worker;
  fabric.put_piece = config.has("put_piece") ? config.duration("put_piece") : fabric.put_startup;
  fabric.unaligned = config.number("unaligned", kLeastPart, 1);
  fabric.put_fence = config.duration("put_fence");
  config.finish();
  return fabric;
}

Hardware::CopyEngine read_copy_engine(const Config& config) {
  constexpr std::int64_t kMostEngines = 64;
  Hardware::CopyEngine engine;
  engine.count = count(config, "count", 1, kMostEngines);
  engine.rate = config.rate("rate");
  engine.startup = config.duration("startup");
  config.finish();
  return engine;
}

}  // namespace

const Hardware::Fabric::Level* Hardware::Fabric::level(std::string_view name) const {
  const auto found = std::ranges::find(levels, name, &Level::name);
  return found == levels.end() ? nullptr : &*found;
}

Hardware sustained(const Hardware& hardware) {
  Hardware slower = hardware;
  slower.cube.speed *= hardware.cube.sustained / hardware.cube.speed;
  return slower;
}

Hardware at_clock(const Hardware& hardware, double factor) {
  Hardware scaled = hardware;
  const double clock = static_cast<double>(hardware.clock.count) * factor;
  scaled.clock.count = std::max<std::int64_t>(1, std::llround(clock));
  return scaled;
}

Hardware read_hardware(const Config& config) {
  Hardware hardware;
  hardware.name = config.text("name");
  hardware.stack = config.text("stack", "");
  const Config sourced = config.with_sources(true);
  hardware.clock = sourced.frequency("clock");

  const Config workers = sourced.map("workers");
  hardware.workers = read_workers(workers);
  hardware.cube = read_cube(workers.map("cube"));
  hardware.vector = read_vector(workers.map("vector"));
  workers.finish();

  hardware.memory = read_memory(sourced.map("memory"));
  hardware.fabric = read_fabric(sourced.map("fabric"));
  if (sourced.has("copy_engine")) hardware.copy_engine = read_copy_engine(sourced.map("copy_engine"));
  config.finish();
  return hardware;
}

}  // namespace a3sim
