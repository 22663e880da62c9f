#include <fmt/format.h>

#include <algorithm>

#include "sim/experiment/run_experiment.h"
#include "sim/study/published/reproduction.h"
#include "sim/study/summary/report.h"

namespace a3sim {
namespace {

constexpr std::uint32_t kEpSizes[] = {4, 8, 16};
constexpr const char* kExecutions[] = {"kernel", "static", "dynamic"};

// What the default leaves open: how many cores software sees, how many AIVs it uses, what the L2 holds at the
// start, whether puts allocate at their destination; and how far off the network is that larger groups get.
struct Variant {
  std::string name;
  std::vector<std::string> overrides;
  std::uint32_t ep = 4;
};

std::vector<Variant> variants() {
  return {{"24 AIC, 48 AIV", {"workers.aic=24", "workers.aiv=48"}},
          {"25 AIV", {"workers.aiv=25"}},
          {"l2 warm", {"l2.start=warm"}},
          {"l2 used", {"l2.start=used"}},
          {"puts past the l2",
           {"l2.hints.Dispatch.write=bypass", "l2.hints.Combine.write=bypass",
            "l2.hints.Dispatch_bwd.write=bypass", "l2.hints.Combine_bwd.write=bypass"}},
          {"network endpoint-share", {"network.backend=endpoint-share"}, 16}};
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
  // One group, run in one way.
  struct Way {
    std::uint32_t ep;
    std::string execution;
  };
  static nlohmann::ordered_json case_of(const Way& way, const std::string& pass) {
    return {{"ep", way.ep}, {"pass", pass}, {"execution", way.execution}};
  }
  static bool wanted(const Setting& setting, const Way& way);
  static void add_variants(const Setting& setting, const Way& way, const std::string& config,
                           Reproduced& result);
  static std::vector<Row> rows_of(const Experiment& experiment);
  static Point point_of(const Row& row, const Way& way, const Experiment& experiment);
  static std::vector<Row> add(const Experiment& experiment, const Way& way, const std::string& variant,
                              Reproduced& result);
  static void add_speedups(const std::vector<Row>& kernels, const std::vector<Row>& rows, const Way& way,
                           Reproduced& result);
};

bool MoeFfn::wanted(const Setting& setting, const Way& way) {
  return setting.wants(case_of(way, "forward")) || setting.wants(case_of(way, "backward")) ||
         setting.wants(case_of(way, "total"));
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

Point MoeFfn::point_of(const Row& row, const Way& way, const Experiment& experiment) {
  Point point{.kase = case_of(way, row.pass),
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

std::vector<MoeFfn::Row> MoeFfn::add(const Experiment& experiment, const Way& way, const std::string& variant,
                                     Reproduced& result) {
  std::vector<Row> rows = rows_of(experiment);
  for (const Row& row : rows) {
    result.points.push_back(point_of(row, way, experiment));
    result.points.back().variant = variant;
  }
  return rows;
}

// Against the same group kernel by kernel.
void MoeFfn::add_speedups(const std::vector<Row>& kernels, const std::vector<Row>& rows, const Way& way,
                          Reproduced& result) {
  for (std::size_t i = 0; i < rows.size() && i < kernels.size(); ++i) {
    const double speedup = seconds(kernels[i].latency) / seconds(rows[i].latency);
    result.points.push_back(
        {case_of(way, rows[i].pass), "speedup", "x", speedup, result.points.back().hardware});
  }
}

void MoeFfn::add_variants(const Setting& setting, const Way& way, const std::string& config,
                          Reproduced& result) {
  for (const auto& [name, overrides, ep] : variants()) {
    if (ep == way.ep && std::ranges::all_of(overrides, [&](const auto& o) { return setting.leaves_open(o); }))
      add(setting.load(config, overrides), way, name, result);
  }
}

Reproduced MoeFfn::run(const Setting& setting) const {
  Reproduced result;
  std::string machine;
  for (const std::uint32_t ep : kEpSizes) {
    std::vector<Row> kernels;
    for (const char* execution : kExecutions) {
      const Way way{ep, execution};
      if (!wanted(setting, way)) continue;
      const std::string config = fmt::format("ep{}", ep);
      const Experiment experiment = setting.load(config, {fmt::format("experiment.execution={}", execution)});
      machine = fmt::format("{}: {} AIC, {} AIV; order {}; network {}", experiment.hardware.name,
                            experiment.workers[0], experiment.workers[1], experiment.order.name,
                            experiment.network);
      const std::vector<Row> rows = add(experiment, way, "", result);
      if (experiment.run.execution == "kernel")
        kernels = rows;
      else
        add_speedups(kernels, rows, way, result);
      if (setting.variants && experiment.run.execution == "static")
        add_variants(setting, way, config, result);
    }
  }
  result.heading = fmt::format(
      "MoE-FFN of the HyperParallel-MoE paper, Dispatch to Combine, run in three ways\n{}\n", machine);
  result.notes =
      "Speed-ups are those over the same group kernel by kernel. The columns from 'cube' on are lower bounds "
      "in ms; 'binding' names the largest.\n";
  return result;
}

A3SIM_REGISTER(Reproduction, "moe_ffn", "EP4, 8, 16: Dispatch-to-Combine latency, forward and backward",
               MoeFfn);

}  // namespace
}  // namespace a3sim
