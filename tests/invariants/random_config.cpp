#include "tests/invariants/random_config.h"

#include <fmt/format.h>

#include <algorithm>
#include <ostream>

#include "sim/core/rng.h"
#include "sim/experiment/config/configs_folder.h"
#include "sim/experiment/experiment.h"
#include "tests/invariants/choices.h"

namespace a3sim {
namespace {

struct DrawnGroup {
  std::uint32_t ep, tokens;
};

DrawnGroup choose_group(Choices& c) {
  const DrawnGroup group{1 + c.below(8), 1 + c.below(40)};
  const std::uint32_t experts = 1 + c.below(3);
  c.set("parallel.ep", group.ep);
  c.set("model.tokens", group.tokens);
  c.set("model.experts_per_rank", experts);
  c.set("model.top_k", 1 + c.below(std::min(4U, group.ep * experts)));
  // Also rows that are no whole lines.
  c.set("model.hidden", c.of({64, 16, 256, 248, 100, 257}));
  c.set("model.intermediate", c.of({32, 16, 128, 100, 37}));
  c.choose("model.dtype", {"", "fp16", "fp32"});
  // Pairs in packages, other nodes, another supernode.
  const std::uint32_t stride = c.of({1U, 2U, 3U, 4U, 400U});
  const std::uint32_t two_nodes = c.below(2);
  c.set("parallel.tp_stride", stride);
  if (two_nodes && group.ep % 2 == 0 && group.ep / 2 * stride <= 16) c.set("parallel.nodes", 2);
  return group;
}

void choose_routing(Choices& c) {
  const std::uint32_t sampled = c.below(2), seed = c.below(1000);
  const double skew = c.of({0.0, 0.3, 1.0, 2.0, 8.0});
  if (!sampled) return c.set("routing.kind", "balanced");
  c.set("routing.kind", "sampled");
  c.set("routing.seed", seed);
  c.set("routing.skew", skew);
}

void choose_execution(Choices& c) {
  const std::string execution = c.of({"static", "dynamic", "kernel"});
  const bool collective = c.below(2) == 1 && execution != "dynamic";
  c.set("experiment.execution", execution);
  c.set("experiment.communication", collective ? "collective" : "one_sided");
  c.choose("experiment.dispatch_servers", {"", "2", "4"});
  c.choose("experiment.window", {"", "full"});
  c.choose("experiment.poll.aic", {"", "1 ps", "333 ns", "20 us"});
  c.choose("experiment.poll.aiv", {"", "1 ps", "77 ns", "50 us"});
}

// Any keys give a sound order: the compiler follows them wherever it is legal.
std::string keys(Choices& c) {
  constexpr std::string_view kFirst[] = {"stage, ", "", "depth, "};
  constexpr std::string_view kMore[] = {"expert",
                                        "tile",
                                        "chunk",
                                        "row",
                                        "op",
                                        "gexpert",
                                        "(dst - rank) % ep",
                                        "-path",
                                        "index",
                                        "floor(index / 3)",
                                        "bytes",
                                        "-expert",
                                        "src",
                                        "-tile",
                                        "-stage",
                                        "dst"};
  std::string list = fmt::format("[{}", kFirst[c.below(3)]);
  const std::uint32_t more = 1 + c.below(4);
  for (std::uint32_t i = 0; i < 4; ++i) {
    const std::string_view key = kMore[c.below(std::size(kMore))];
    if (i < more) list += std::string(key) + ", ";
  }
  return list + "index]";
}

void choose_order(Choices& c) {
  const std::uint32_t own = c.below(3);
  constexpr std::string_view kShipped[][2] = {
      {"[stage, op, expert, row, tile]", "[stage, expert, chunk, dst]"},                // naive
      {"[stage, expert, op, row, tile]", "[stage, expert, chunk, (dst - rank) % ep]"},  // full
      {"[stage, op, expert, row, tile]", "[floor(index / 50), op, index]"},             // interleaved tiles
  };
  const std::uint32_t shipped = c.below(3);
  for (std::uint32_t q = 0; q < kCoreUnits; ++q) {
    const std::string list = keys(c);
    c.set(q == 0 ? "order.ctq" : "order.vtq", own == 0 ? std::string(kShipped[shipped][q]) : list);
  }
  c.choose("order.assignment", {"", "shared"});
  const std::uint32_t limit = c.below(4);
  if (limit > 0) c.set("order.limit.Dispatch", limit);
}

void choose_cut(Choices& c, const DrawnGroup& group) {
  c.set("workers.aic", 1 + c.below(5));
  c.set("workers.aiv", 1 + c.below(7));
  c.set("cut.shares", 1 + c.below(4));
  c.set("cut.partitions", 1 + c.below(3));
  c.set("cut.chunk", c.of({64, 16, 7, 3}));
  c.set("cut.task_rows", c.of({64, 16, 7, 5}));
  if (c.below(3) == 2) c.set("bucket.rows", group.tokens);
  c.choose("tiling.base_m", {"", "32", "16"});
  c.choose("tiling.base_n", {"", "64", "32"});
  c.choose("tiling.base_k", {"", "32", "16"});
  c.choose("tiling.step_k", {"", "1"});
  c.choose("tiling.l1_buffers", {"", "1"});
  c.choose("tiling.l0_buffers", {"", "1"});
  c.choose("tiling.order", {"", "row_major"});
}

void choose_ranks(Choices& c, const DrawnGroup& group) {
  for (const char* start : {"", "3 us", "400 us"}) {
    const std::uint32_t rank = c.below(group.ep);
    if (c.below(3) == 2 && *start) c.set(fmt::format("ranks.start.{}", rank), start);
  }
  for (const char* clock : {"0.5", "1.7"}) {
    const std::uint32_t rank = c.below(group.ep);
    if (c.below(3) == 2) c.set(fmt::format("ranks.clock.{}", rank), clock);
  }
}

// Sizes down to what does not hold one task's rows. What ran before fills a small one soon.
void choose_l2(Choices& c) {
  const std::string mode = c.of({"pieces", "lines"});
  c.set("l2.mode", mode);
  const std::string start = c.of({"cold", "warm", "used"});
  c.set("l2.start", start);
  c.choose("l2.policy", {"", "fifo"});
  c.choose("l2.hash", {"", "modulo"});
  c.choose("l2.hints.GMM1", {"", "{read: bypass}", "{read: persist, write: bypass}"});
  const std::uint32_t size = c.below(3);
  constexpr const char* kSmall[][3] = {{"96 KiB", "72 KiB", "384 KiB"}, {"48 KiB", "12 KiB", "192 KiB"}};
  const char* const small = kSmall[mode == "lines"][size];
  if (c.below(2) == 1 || start == "used") c.set("hardware.memory.l2_size", small);
}

// Memory and ports from far more than is needed down to where puts alone fill the one or the other.
void choose_rates(Choices& c) {
  const auto rate = [&](const char* key, std::initializer_list<const char*> values) {
    c.choose(key, values);
  };
  rate("hardware.memory.hbm_read", {"", "60 GB/s", "3 GB/s", "100 TB/s"});
  rate("hardware.memory.hbm_write", {"", "90 GB/s", "2 GB/s", "100 TB/s"});
  rate("hardware.memory.l2_read", {"", "700 GB/s", "20 GB/s", "100 TB/s"});
  rate("hardware.memory.l2_write", {"", "500 GB/s", "15 GB/s", "100 TB/s"});
  rate("hardware.memory.l2_line_read", {"", "300 GB/s", "100 TB/s"});
  rate("hardware.fabric.put_per_worker", {"", "1 GB/s", "130 GB/s", "9 TB/s"});
  rate("hardware.fabric.planes.sio.egress", {"", "7 GB/s", "10 TB/s"});
  rate("hardware.fabric.planes.sio.ingress", {"", "9 GB/s", "10 TB/s"});
  rate("hardware.fabric.planes.hccs.egress", {"", "5 GB/s", "10 TB/s"});
  rate("hardware.fabric.planes.hccs.ingress", {"", "6 GB/s", "10 TB/s"});
  rate("program.collective.rate", {"", "4 GB/s", "1 TB/s"});
}

void choose_times(Choices& c) {
  const auto value = [&](const char* key, std::initializer_list<const char*> values) {
    c.choose(key, values);
  };
  value("hardware.clock", {"", "300 MHz", "7 GHz"});
  value("hardware.fabric.put_startup", {"", "0 us", "5 us"});
  value("hardware.fabric.put_fence", {"", "0 us", "1 us"});
  value("hardware.fabric.unaligned", {"", "0.3"});
  value("hardware.fabric.levels.node.latency", {"", "0 us", "20 us"});
  value("program.collective.fixed", {"", "0 us"});
  value("program.tasks.static_task", {"", "0 us", "2 us"});
  value("program.tasks.dynamic_task", {"", "0 us"});
  value("program.signals.local_visibility", {"", "0 us", "3 us"});
  value("program.launch.alone", {"", "0 us", "1 us"});
  value("program.launch.queued", {"", "0 us", "3 us"});
  value("program.tasks.cube_task_start", {"", "0 us", "20 us"});
}

}  // namespace

RandomConfig config_of(std::uint64_t seed) {
  RandomConfig config;
  Rng rng(seed);
  for (std::uint32_t& draw : config.draws) draw = rng.below(RandomConfig::kMostDraw);
  return config;
}

std::vector<std::string> overrides_of(const RandomConfig& config) {
  Choices c(config);
  const DrawnGroup group = choose_group(c);
  choose_routing(c);
  choose_execution(c);
  choose_order(c);
  choose_cut(c, group);
  choose_ranks(c, group);
  choose_l2(c);
  choose_rates(c);
  choose_times(c);
  const std::string backend = c.of({"native", "endpoint-share", "native", "simgrid"});
  c.set("network.backend", backend == "simgrid" && config.backends == Backends::kNative ? "native" : backend);
  return std::move(c).take();
}

Experiment experiment_of(const RandomConfig& config, const std::vector<std::string>& more) {
  std::vector<std::string> set = overrides_of(config);
  set.insert(set.end(), more.begin(), more.end());
  return load_experiment(configs_folder() / "experiments" / "ep4.yaml", set);
}

std::ostream& operator<<(std::ostream& out, const RandomConfig& config) {
  out << "a3sim run configs/experiments/ep4.yaml";
  for (const std::string& set : overrides_of(config)) out << " \\\n  --set '" << set << "'";
  return out << '\n';
}

}  // namespace a3sim

namespace rc {

Gen<a3sim::RandomConfig> Arbitrary<a3sim::RandomConfig>::arbitrary() {
  using a3sim::RandomConfig;
  const auto draws = gen::container<std::array<std::uint32_t, RandomConfig::kDraws>>(
      gen::resize(kNominalSize, gen::inRange<std::uint32_t>(0, RandomConfig::kMostDraw)));
  return gen::map(draws, [](const auto& drawn) { return RandomConfig{{}, drawn}; });
}

}  // namespace rc
