#include <fmt/format.h>

#include <algorithm>

#include "sim/study/report.h"
#include "sim/study/reproduction.h"

namespace a3sim {
namespace {

constexpr std::uint32_t kEpSizes[] = {4, 8, 16};

// What the default leaves open, at the first of these sizes: how many cores software sees, how many AIVs it
// uses, what the L2 holds at the start, whether puts allocate at their destination.
struct Variant {
  std::string name;
  std::vector<std::string> overrides;
};

std::vector<Variant> variants() {
  return {{"24 AIC, 48 AIV", {"workers.aic=24", "workers.aiv=48"}},
          {"25 AIV", {"workers.aiv=25"}},
          {"l2 warm", {"l2.start=warm"}},
          {"l2 used", {"l2.start=used"}},
          {"puts past the l2",
           {"l2.hints.Dispatch.write=bypass", "l2.hints.Combine.write=bypass",
            "l2.hints.Dispatch_bwd.write=bypass", "l2.hints.Combine_bwd.write=bypass"}}};
}

// Dispatch-to-Combine latency of the paper's MoE-FFN for each EP size.
class MoeFfn final : public Reproduction {
 public:
  Reproduced run(const Setting& setting) const override;

 private:
  struct Row {
    std::string pass;
    Duration latency{};
    Bounds bounds;
  };
  static nlohmann::ordered_json case_of(std::uint32_t ep, const std::string& pass) {
    return {{"ep", ep}, {"pass", pass}, {"execution", "static"}};
  }
  static bool wanted(const Setting& setting, std::uint32_t ep);
  static std::vector<Row> rows_of(const Experiment& experiment);
  static Point point_of(const Row& row, std::uint32_t ep, const Experiment& experiment);
  static void add(const Experiment& experiment, std::uint32_t ep, const std::string& variant,
                  Reproduced& result);
};

bool MoeFfn::wanted(const Setting& setting, std::uint32_t ep) {
  return setting.wants(case_of(ep, "forward")) || setting.wants(case_of(ep, "backward")) ||
         setting.wants(case_of(ep, "total"));
}

std::vector<MoeFfn::Row> MoeFfn::rows_of(const Experiment& experiment) {
  std::vector<Row> rows;
  Row total{"total", {}, {}};
  for (const PassResult& pass : run_experiment(experiment, false)) {
    rows.push_back({pass.name, pass.run.makespan, pass.bounds});
    total.latency += pass.run.makespan;
    for (std::uint32_t b = 0; b < kBounds; ++b) total.bounds.time[b] += pass.bounds.time[b];
  }
  rows.push_back(total);
  return rows;
}

Point MoeFfn::point_of(const Row& row, std::uint32_t ep, const Experiment& experiment) {
  Point point{.kase = case_of(ep, row.pass),
              .metric = "latency",
              .unit = "ms",
              .value = milliseconds(row.latency),
              .hardware = experiment.hardware.name};
  point.extra.emplace_back("binding", row.pass == "total" ? "" : name_of(row.bounds.binding()));
  for (std::uint32_t b = 0; b < kBounds; ++b) {
    point.extra.emplace_back(fmt::format("{}{}", b == 0 ? ">= " : "", name_of(static_cast<Bound>(b))),
                             in_milliseconds(row.bounds.time[b]));
  }
  return point;
}

void MoeFfn::add(const Experiment& experiment, std::uint32_t ep, const std::string& variant,
                 Reproduced& result) {
  for (const Row& row : rows_of(experiment)) {
    result.points.push_back(point_of(row, ep, experiment));
    result.points.back().variant = variant;
  }
}

Reproduced MoeFfn::run(const Setting& setting) const {
  Reproduced result;
  std::string machine;
  for (const std::uint32_t ep : kEpSizes) {
    if (!wanted(setting, ep)) continue;
    const std::string config = fmt::format("ep{}", ep);
    const Experiment experiment = setting.load(config);
    machine =
        fmt::format("{}: {} AIC, {} AIV; order {}; network {}", experiment.hardware.name,
                    experiment.workers[0], experiment.workers[1], experiment.order.name, experiment.network);
    add(experiment, ep, "", result);
    if (!setting.variants || ep != kEpSizes[0]) continue;
    for (const auto& [name, overrides] : variants()) {
      if (std::ranges::all_of(overrides, [&](const auto& o) { return setting.leaves_open(o); }))
        add(setting.load(config, overrides), ep, name, result);
    }
  }
  result.heading = fmt::format(
      "MoE-FFN of the HyperParallel-MoE paper, Dispatch to Combine, static taskflow\n{}\n", machine);
  result.notes = "The columns from 'cube' on are lower bounds in ms; 'binding' names the largest.\n";
  return result;
}

const Reproductions::Entry kEntry("moe_ffn", "EP4, 8, 16: Dispatch-to-Combine latency, forward and backward",
                                  std::make_unique<MoeFfn>());

}  // namespace
}  // namespace a3sim
