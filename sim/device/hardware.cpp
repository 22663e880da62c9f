#include "sim/device/hardware.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sim/core/closest.h"
#include "sim/device/read_workers.h"
#include "sim/memory/l2/l2.h"

namespace a3sim {
namespace {

constexpr std::int64_t kMostWays = 64;
constexpr double kLeastPart = 0.01;
constexpr std::int64_t kMostDies = 1 << 24;

std::uint32_t count(const Config& config, std::string_view key, std::int64_t min, std::int64_t max) {
  return static_cast<std::uint32_t>(config.integer(key, min, max));
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
  memory.hbm_size = config.bytes("hbm_size");
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

std::uint32_t Hardware::Cube::macs_per_cycle(DataType rows, DataType weights) const {
  const DataType wider = element_bits(weights) > element_bits(rows) ? weights : rows;
  switch (wider) {
    case DataType::kFp32:
    case DataType::kInt32:
      return macs_per_cycle_32;
    case DataType::kInt8:
      return macs_per_cycle_8;
    case DataType::kFp8E4m3:
    case DataType::kFp8E5m2:
    case DataType::kHif8:
    case DataType::kMxfp8:
      return macs_per_cycle_fp8;
    case DataType::kMxfp4:
      return macs_per_cycle_fp4;
    default:
      return macs_per_cycle_16;
  }
}

std::string why_no_products(const Hardware& hardware, DataType rows, DataType weights) {
  const bool mixed = rows != weights;
  return fmt::format("{} does not multiply {}{}{}: expected another type, or hardware.workers.cube.{}",
                     hardware.name, name_of(rows), mixed ? " by " : "", mixed ? name_of(weights) : "",
                     rows == DataType::kMxfp4 ? "macs_fp4" : "macs_fp8");
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

  read_workers(sourced.map("workers"), hardware);

  hardware.memory = read_memory(sourced.map("memory"));
  hardware.fabric = read_fabric(sourced.map("fabric"));
  if (sourced.has("copy_engine")) hardware.copy_engine = read_copy_engine(sourced.map("copy_engine"));
  config.finish();
  return hardware;
}

}  // namespace a3sim
