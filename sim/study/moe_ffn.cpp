#include <fmt/format.h>

#include "sim/study/experiment.h"
#include "sim/study/reference.h"
#include "sim/study/report.h"
#include "sim/study/reproduction.h"
#include "traces/table.h"

namespace a3sim {
namespace {

constexpr std::uint32_t kEpSizes[] = {4, 8, 16};

// Dispatch-to-Combine latency of the paper's MoE-FFN for each EP size.
class MoeFfn final : public Reproduction {
 public:
  Reproduced run(const std::filesystem::path& configs) const override;

 private:
  struct Row {
    std::uint32_t ep;
    std::string pass;
    Duration latency{};
    Bounds bounds;
  };
  static std::vector<Row> rows_of(std::uint32_t ep, const Experiment& experiment);
};

std::vector<MoeFfn::Row> MoeFfn::rows_of(std::uint32_t ep, const Experiment& experiment) {
  std::vector<Row> rows;
  Row total{ep, "total", {}, {}};
  for (const PassResult& pass : run_experiment(experiment, false)) {
    rows.push_back({ep, pass.name, pass.run.makespan, pass.bounds});
    total.latency += pass.run.makespan;
    for (std::uint32_t b = 0; b < kBounds; ++b) total.bounds.time[b] += pass.bounds.time[b];
  }
  rows.push_back(total);
  return rows;
}

Reproduced MoeFfn::run(const std::filesystem::path& configs) const {
  const std::vector<Reference> references = read_references(configs / "reference" / "moe_ffn.yaml");
  std::vector<std::string> header{"EP", "pass", "simulated ms", "published ms", "error", "binding"};
  for (std::uint32_t b = 0; b < kBounds; ++b) {
    header.push_back(fmt::format("{}{}", b == 0 ? ">= " : "", name_of(static_cast<Bound>(b))));
  }
  Table table(header);
  Reproduced result;
  std::string machine;
  for (const std::uint32_t ep : kEpSizes) {
    const Experiment experiment = load_experiment(configs / "experiments" / fmt::format("ep{}.yaml", ep), {});
    machine =
        fmt::format("{}: {} AIC, {} AIV; order {}; network {}; no L2 yet", experiment.hardware.name,
                    experiment.workers[0], experiment.workers[1], experiment.order.name, experiment.network);
    for (const Row& row : rows_of(ep, experiment)) {
      const nlohmann::ordered_json kase{{"ep", ep}, {"pass", row.pass}, {"execution", "static"}};
      const Reference* reference = find_reference(references, kase);
      const double value = milliseconds(row.latency);
      std::vector<std::string> cells{fmt::format("{}", ep), row.pass, in_milliseconds(row.latency)};
      Point point{kase, "latency", "ms", value, {}, {}};
      if (reference) {
        const double published = milliseconds(reference->latency);
        point.reference = published;
        point.source = reference->source;
        cells.push_back(fmt::format("{:.1f}", published));
        cells.push_back(fmt::format("{:+.1f} %", 100 * (value / published - 1)));
      } else {
        cells.insert(cells.end(), {"-", "-"});
      }
      cells.push_back(row.pass == "total" ? "" : std::string(name_of(row.bounds.binding())));
      for (const Duration bound : row.bounds.time) cells.push_back(in_milliseconds(bound));
      table.add(cells);
      result.points.push_back(std::move(point));
    }
  }
  result.text = fmt::format(
      "MoE-FFN of the HyperParallel-MoE paper, Dispatch to Combine, static taskflow\n{}\n\n{}\n"
      "The columns from 'cube' on are lower bounds in ms; 'binding' names the largest.\n",
      machine, table.text());
  return result;
}

const Reproductions::Entry kEntry("moe_ffn", "EP4, 8, 16: Dispatch-to-Combine latency, forward and backward",
                                  std::make_unique<MoeFfn>());

}  // namespace
}  // namespace a3sim
