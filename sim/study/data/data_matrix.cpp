#include "sim/study/data/data_matrix.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/core/parallel.h"
#include "sim/experiment/order_file.h"
#include "sim/runtime/execution.h"
#include "traces/report/table.h"

namespace a3sim {
namespace {

struct Line {
  std::size_t elements = 0, different = 0, unwritten = 0;
  std::vector<std::string> faults;
};

// A case's outcome: without delays its elements, all its faults.
Line check_line(const DataCase& of, std::uint64_t seed, const Adversary& adversary) {
  DataCase native = of;
  if (native.experiment.network == "simgrid") native.experiment.network = "native";
  const DataCheck check(std::move(native), seed);
  Line line;
  for (const DataCheck::Pass& pass : check.passes()) {
    for (const TensorComparison& tensor : pass.outcome) {
      line.elements += tensor.elements;
      line.different += tensor.different;
      line.unwritten += tensor.unwritten;
    }
  }
  line.faults = check_data(check, adversary).faults;
  return line;
}

std::string way_text(const Experiment& experiment) {
  return fmt::format("{}, {}", experiment.run.execution, name_of(experiment.run.transport));
}

}  // namespace

std::vector<DataCase> cases_of_all_ways(const std::filesystem::path& file,
                                        std::span<const std::string> overrides, std::uint64_t seed) {
  std::vector<DataCase> all;
  for (const auto& [execution, type] : Executions::all()) {
    for (const Transport transport : {Transport::kPuts, Transport::kCollective}) {
      if (transport == Transport::kCollective && !type.object->takes_collectives()) continue;
      std::vector<std::string> way(overrides.begin(), overrides.end());
      way.push_back("experiment.execution=" + execution);
      way.push_back(fmt::format("experiment.communication={}", name_of(transport)));
      std::ranges::move(small_cases(file, way, seed), std::back_inserter(all));
    }
  }
  return all;
}

std::vector<DataCase> under_shipped_orders(std::span<const DataCase> cases) {
  std::vector<DataCase> result;
  for (const std::filesystem::path& file : shipped_order_files()) {
    const OrderSpec order = read_order_file(file);
    for (const DataCase& of : cases) {
      DataCase& other = result.emplace_back(of);
      other.experiment.order = order;
      other.experiment.order.elsewhere = of.experiment.order.elsewhere;
    }
  }
  return result;
}

DataFindings check_matrix(std::span<const DataCase> cases, std::uint64_t seed, const Adversary& adversary,
                          unsigned threads) {
  std::vector<Line> lines(cases.size());
  in_parallel(cases.size(), threads,
              [&](std::size_t i) { lines[i] = check_line(cases[i], seed, adversary); });
  Table table({"order", "execution", "communication", "partitions", "ranks", "experts", "without rows",
               "elements", "different", "no number", "verdict"});
  DataFindings findings;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const Experiment& experiment = cases[i].experiment;
    const Line& line = lines[i];
    table.add({experiment.order.name, experiment.run.execution,
               std::string(name_of(experiment.run.transport)), std::to_string(experiment.cut.partitions),
               std::to_string(experiment.shape.ep), std::to_string(experiment.shape.experts()),
               std::to_string(idle_experts(cases[i])), std::to_string(line.elements),
               std::to_string(line.different), std::to_string(line.unwritten),
               line.faults.empty() ? "equal" : "WRONG"});
    for (const std::string& fault : line.faults)
      findings.faults.push_back(
          fmt::format("order {}, {}: {}", experiment.order.name, way_text(experiment), fault));
  }
  findings.text = table.text();
  return findings;
}

}  // namespace a3sim
