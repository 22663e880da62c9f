#include <fmt/format.h>

#include "sim/experiment/run_experiment.h"
#include "sim/runtime/run.h"
#include "sim/study/published/reproduction.h"
#include "sim/study/summary/report.h"

namespace a3sim {
namespace {

constexpr std::uint32_t kElementBytes = 2;  // bf16

// Rows of a rank that go to each rank's one expert.
RoutingCounts all_to_all(std::uint32_t ep, std::uint64_t rows) {
  RoutingCounts counts(ep, ep);
  for (std::uint32_t src = 0; src < ep; ++src) {
    for (std::uint32_t dst = 0; dst < ep; ++dst) counts.at(src, dst) = static_cast<std::uint32_t>(rows / ep);
  }
  return counts;
}

// One rank sends to one other.
RoutingCounts one_way(std::uint32_t /*ep*/, std::uint64_t rows) {
  RoutingCounts counts(2, 2);
  counts.at(0, 1) = static_cast<std::uint32_t>(rows);
  return counts;
}

class Collective final : public Reproduction {
 public:
  Reproduced run(const Setting& setting) const override;

 private:
  // The configuration's own values, and what to call their results.
  struct Way {
    nlohmann::ordered_json kase;
    std::vector<std::string> own;
    std::uint64_t bytes;  // of a rank
    RoutingCounts (*counts)(std::uint32_t ep, std::uint64_t rows);
    std::string variant{};
  };
  static void add(const Setting& setting, const Way& way, Reproduced& result);
  static void add_groups(const Setting& setting, bool host, Reproduced& result);
};

void Collective::add(const Setting& setting, const Way& way, Reproduced& result) {
  if (!setting.wants(way.kase)) return;
  const Experiment experiment = setting.load("all_to_all", way.own);
  const MoeShape& shape = experiment.shape;
  const RoutingCounts counts =
      way.counts(shape.ep, way.bytes / (std::uint64_t{shape.hidden} * kElementBytes));
  const Compiled compiled = compile_all(experiment, counts);
  const std::vector<PassResult> passes = run_compiled(experiment, compiled, false, backend_of(experiment));
  const RunResult& run = passes.front().run;
  const Bounds& bounds = passes.front().bounds;
  // What others measure begins when the kernel runs.
  const Duration latency = run.makespan - experiment.hardware.runtime.kernel_launch;
  const double sent = static_cast<double>(run.ranks.front().sent);
  Point point{way.kase, "latency", "us", microseconds(latency), experiment.hardware.name, way.variant};
  point.extra = {{"network", run.network},
                 {">= link us",
                  fmt::format("{:.1f}", microseconds(bounds.time[static_cast<std::size_t>(Bound::kLink)]))}};
  Point bandwidth{way.kase,   "bandwidth", "GB/s", sent / seconds(latency) * 1e-9, experiment.hardware.name,
                  way.variant};
  result.points.push_back(std::move(point));
  result.points.push_back(std::move(bandwidth));
}

void Collective::add_groups(const Setting& setting, bool host, Reproduced& result) {
  const auto way = [&](std::uint32_t ep, std::uint64_t bytes, std::vector<std::string> more,
                       std::string variant) {
    more.push_back(fmt::format("parallel.ep={}", ep));
    more.push_back(fmt::format("experiment.execution={}", host ? "kernel" : "static"));
    more.push_back(fmt::format("experiment.communication={}", host ? "collective" : "one_sided"));
    const nlohmann::ordered_json kase{{"by", host ? "host" : "AIV"}, {"ep", ep}, {"bytes", bytes}};
    add(setting, {kase, more, bytes, all_to_all, std::move(variant)}, result);
  };
  constexpr std::uint64_t kSizes[] = {1ULL << 20, 1ULL << 24, 1ULL << 28};
  for (const std::uint32_t ep : {8U, 16U, 32U}) {
    for (const std::uint64_t bytes : kSizes) way(ep, bytes, {}, "");
  }
  if (!setting.variants) return;
  way(8, kSizes[2], {"parallel.tp_stride=2"}, "no pairs in packages");
  way(16, kSizes[2], {"parallel.nodes=2"}, "over two nodes");
}

Reproduced Collective::run(const Setting& setting) const {
  Reproduced result;
  result.heading =
      "All-to-alls by the host's collective and by puts of the AIVs, dies side by side; and one die to one "
      "other\n"
      "a3; 'bytes' are a rank's, its own part included; from the first instruction to the last byte's "
      "arrival\n";
  add_groups(setting, true, result);
  add_groups(setting, false, result);
  for (const std::uint32_t aiv : {1U, 8U, 24U}) {
    add(setting,
        {{{"by", "AIV"}, {"from", 1}, {"aiv", aiv}},
         {"parallel.ep=2", "parallel.tp_stride=2", "experiment.execution=static",
          "experiment.communication=one_sided", fmt::format("workers.aiv={}", aiv)},
         1ULL << 28,
         one_way},
        result);
  }
  return result;
}

A3SIM_REGISTER(Reproduction, "collective", "all-to-alls of the host and of the AIVs, by group and size",
               Collective);

}  // namespace
}  // namespace a3sim
