#include "sim/check/data_matrix.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/core/parallel.h"
#include "sim/experiment/config/configs_folder.h"
#include "sim/experiment/config/order_file.h"
#include "sim/runtime/execution.h"

namespace a3sim {
namespace {

// Counts of a case's tensors without delays, and all its faults.
struct Sums {
  std::size_t elements = 0, different = 0, unwritten = 0;
  std::vector<std::string> faults;
};

Sums sums_of(DataCase data_case, std::uint64_t seed, const Adversary& adversary) {
  if (data_case.experiment.network == "simgrid") data_case.experiment.network = "native";
  const DataCheck check(std::move(data_case), seed);
  Sums sums;
  for (const DataCheck::Pass& pass : check.passes()) {
    for (const TensorComparison& tensor : pass.outcome) {
      sums.elements += tensor.elements;
      sums.different += tensor.different;
      sums.unwritten += tensor.unwritten;
    }
  }
  sums.faults = check_data(check, adversary).faults;
  return sums;
}

}  // namespace

std::vector<DataCase> cases_of_all_ways(const std::filesystem::path& file,
                                        std::span<const std::string> overrides, std::uint64_t seed) {
  // The experiment's own execution comes first, the others by name.
  std::vector<std::string> executions;
  for (const auto& [name, type] : Executions::all()) executions.push_back(name);
  std::ranges::stable_partition(executions,
                                [](const std::string& name) { return name == RunOptions{}.execution; });
  std::vector<DataCase> all;
  for (const std::string& execution : executions) {
    for (const Transport transport : {Transport::kPuts, Transport::kCollective}) {
      if (transport == Transport::kCollective && !Executions::get(execution).takes_collectives()) continue;
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
  for (const std::filesystem::path& file : files_in(configs_folder() / "orders")) {
    const OrderSpec order = read_order_file(file);
    for (const DataCase& data_case : cases) {
      if (!names_known_operators(data_case.experiment, order)) continue;
      DataCase& other = result.emplace_back(data_case);
      other.experiment = with_order(std::move(other.experiment), order);
    }
  }
  return result;
}

DataFindings check_matrix(std::span<const DataCase> cases, std::uint64_t seed, const Adversary& adversary,
                          unsigned threads) {
  std::vector<Sums> sums(cases.size());
  in_parallel(cases.size(), threads, [&](std::size_t i) { sums[i] = sums_of(cases[i], seed, adversary); });
  DataFindings findings;
  Table& table = findings.report.table(
      "runs",
      {Column::words("order"), Column::words("execution"), Column::words("communication"),
       Column::count("partitions"), Column::count("ranks"), Column::count("experts"),
       Column::count("without rows", "idle_experts"), Column::count("elements"), Column::count("different"),
       Column::count("no number", "no_number"), Column::words("verdict")});
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const Experiment& experiment = cases[i].experiment;
    const std::string& execution = experiment.run.execution;
    const std::string transport(name_of(experiment.run.transport));
    table.add({experiment.order.name, execution, transport, whole(experiment.cut.partitions),
               whole(experiment.shape.ep), whole(experiment.shape.experts()), whole(idle_experts(cases[i])),
               whole(sums[i].elements), whole(sums[i].different), whole(sums[i].unwritten),
               sums[i].faults.empty() ? "equal" : "WRONG"});
    for (const std::string& fault : sums[i].faults)
      findings.faults.push_back(
          fmt::format("order {}, {}, {}: {}", experiment.order.name, execution, transport, fault));
  }
  return findings;
}

}  // namespace a3sim
