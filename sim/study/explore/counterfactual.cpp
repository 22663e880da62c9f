#include "sim/study/explore/counterfactual.h"

#include <algorithm>
#include <map>

#include "sim/core/error.h"
#include "sim/core/parallel.h"

namespace a3sim {
namespace {

using Values = std::vector<std::pair<std::string, std::string>>;

Values values_of(const std::filesystem::path& file) {
  Diagnostics diagnostics;
  const Config root = Config::load(file, {}, diagnostics);
  diagnostics.throw_if_any();
  return root.values();
}

bool is_remark(std::string_view path) {
  constexpr std::string_view kRemarks[] = {"name", "source", "note"};
  const std::string_view key = path.substr(path.rfind('.') + 1);
  return std::find(std::begin(kRemarks), std::end(kRemarks), key) != std::end(kRemarks);
}

bool is_below(std::string_view path, std::string_view of) {
  return path.starts_with(of) && (path.size() == of.size() || path[of.size()] == '.');
}

void take_links(Experiment& b, const Experiment& a) {
  b.hardware.fabric = a.hardware.fabric;
  b.hardware.collective = a.hardware.collective;
  b.parallel.tp_stride = a.parallel.tp_stride;
  b.parallel.nodes = a.parallel.nodes;
  b.network = a.network;
  for (std::size_t r = 0; r < std::min(a.ranks.size(), b.ranks.size()); ++r) b.ranks[r].die = a.ranks[r].die;
}

void take_ranks(Experiment& b, const Experiment& a) {
  for (std::size_t r = 0; r < std::min(a.ranks.size(), b.ranks.size()); ++r) {
    b.ranks[r].start = a.ranks[r].start;
    b.ranks[r].clock = a.ranks[r].clock;
  }
}

// Kernels cut their work on their own, and may be cut in the graph.
void take_waits(Experiment& b, const Experiment& a) {
  const Tiling tiling = b.cut.tiling;
  b.order = a.order;
  b.cut = a.cut;
  b.cut.tiling = tiling;
  if (b.execution != a.execution && b.parallel.ep == a.parallel.ep) b.passes = a.passes;
  b.execution = a.execution;
  b.transport = a.transport;
  std::copy(std::begin(a.poll), std::end(a.poll), b.poll);
  b.dispatch_servers = a.dispatch_servers;
}

void take_l2(Experiment& b, const Experiment& a) {
  b.l2 = a.l2;
  b.hardware.memory.l2_size = a.hardware.memory.l2_size;
  b.hardware.memory.l2_ways = a.hardware.memory.l2_ways;
}

void take_memory(Experiment& b, const Experiment& a) {
  const Hardware::MemorySystem own = b.hardware.memory;
  b.hardware.memory = a.hardware.memory;
  b.hardware.memory.l2_size = own.l2_size;
  b.hardware.memory.l2_ways = own.l2_ways;
}

void take_compute(Experiment& b, const Experiment& a) {
  b.hardware.clock = a.hardware.clock;
  b.hardware.cube = a.hardware.cube;
  b.hardware.vector = a.hardware.vector;
}

void take_workers(Experiment& b, const Experiment& a) {
  b.hardware.workers = a.hardware.workers;
  std::copy(std::begin(a.workers), std::end(a.workers), std::begin(b.workers));
}

void take_overheads(Experiment& b, const Experiment& a) { b.hardware.runtime = a.hardware.runtime; }

void take_tiling(Experiment& b, const Experiment& a) { b.cut.tiling = a.cut.tiling; }

void take_workload(Experiment& b, const Experiment& a) {
  b.shape = a.shape;
  b.parallel.ep = a.parallel.ep;
  if (b.ranks.size() != a.ranks.size()) b.ranks = a.ranks;
  b.routing = a.routing;
  b.bucket_rows = a.bucket_rows;
  b.bucket_where = a.bucket_where;
  b.window = a.window;
  b.passes = a.passes;
  b.order.elsewhere = a.order.elsewhere;
}

Duration run(Experiment experiment, const std::vector<std::string>& passes) {
  std::erase_if(experiment.passes, [&](const Pass& pass) {
    return std::find(passes.begin(), passes.end(), pass.name) == passes.end();
  });
  Duration sum{};
  for (const PassResult& pass : run_experiment(experiment, false, backend_in_threads(experiment)))
    sum += pass.run.makespan;
  return sum;
}

// Whether the rates of A mean something else for B.
bool rates_differ(const std::map<std::string, L2Rates>& a, const std::map<std::string, L2Rates>& b) {
  const bool all = std::all_of(b.begin(), b.end(), [&](const auto& of) { return a.contains(of.first); });
  return all && std::any_of(b.begin(), b.end(), [&](const auto& of) { return a.at(of.first) != of.second; });
}

Experiment with_rates(const Experiment& experiment, const std::map<std::string, L2Rates>& rates) {
  Experiment other = experiment;
  other.l2.rates = rates;
  other.l2.start = L2Start::kCold;  // there is nothing to find
  return other;
}

}  // namespace

const std::vector<ConfigPart>& config_parts() {
  static const std::vector<ConfigPart> kParts{
      {"links",
       {"hardware.fabric", "hardware.collective", "parallel.tp_stride", "parallel.nodes", "network"},
       take_links},
      {"order, cut and execution",
       {"order", "cut", "experiment.execution", "experiment.communication", "experiment.poll",
        "experiment.dispatch_servers"},
       take_waits},
      {"L2 size and policy", {"l2", "hardware.memory.l2_size", "hardware.memory.l2_ways"}, take_l2},
      {"memory rates", {"hardware.memory"}, take_memory},
      {"compute rates", {"hardware.clock", "hardware.workers"}, take_compute},
      {"number of workers",
       {"workers", "hardware.workers.cube.count", "hardware.workers.vector.count"},
       take_workers},
      {"task and launch overheads", {"hardware.runtime"}, take_overheads},
      {"starts and clocks of ranks", {"ranks"}, take_ranks},
      {"tiling", {"tiling"}, take_tiling},
      {"workload",
       {"model", "parallel", "routing", "bucket", "experiment", "graph", "gemm", "elementwise", "swiglu_add"},
       take_workload}};
  return kParts;
}

std::size_t part_of(std::string_view path) {
  const std::vector<ConfigPart>& parts = config_parts();
  std::size_t part = parts.size(), longest = 0;
  for (std::size_t p = 0; p < parts.size(); ++p) {
    for (const std::string_view of : parts[p].paths) {
      if (!is_below(path, of) || of.size() <= longest) continue;
      part = p;
      longest = of.size();
    }
  }
  return part;
}

std::vector<ConfigDifference> config_differences(const std::filesystem::path& a,
                                                 const std::filesystem::path& b) {
  const Values of_a = values_of(a), of_b = values_of(b);
  const std::map<std::string, std::string> in_a(of_a.begin(), of_a.end()), in_b(of_b.begin(), of_b.end());
  std::vector<ConfigDifference> differences;
  for (const auto& [path, value] : of_a) {
    const auto other = in_b.find(path);
    if (is_remark(path) || (other != in_b.end() && other->second == value)) continue;
    differences.push_back({path, value, other == in_b.end() ? "" : other->second});
  }
  for (const auto& [path, value] : of_b) {
    if (!is_remark(path) && !in_a.contains(path)) differences.push_back({path, "", value});
  }
  return differences;
}

Counterfactuals run_counterfactuals(const RunToCompare& a, const RunToCompare& b,
                                    const std::vector<std::string>& passes, unsigned threads) {
  const Experiment of_a = load_experiment(a.configuration, {}), of_b = load_experiment(b.configuration, {});
  const std::vector<ConfigPart>& parts = config_parts();
  std::vector<std::vector<ConfigDifference>> by_part(parts.size() + 1);
  for (const ConfigDifference& difference : config_differences(a.configuration, b.configuration))
    by_part[part_of(difference.path)].push_back(difference);
  Counterfactuals result;
  result.elsewhere = std::move(by_part.back());
  std::vector<Experiment> experiments{of_b};
  for (std::size_t p = 0; p < parts.size(); ++p) {
    if (by_part[p].empty()) continue;
    parts[p].take(experiments.emplace_back(of_b), of_a);
    result.parts.push_back({std::string(parts[p].name), std::move(by_part[p]), {}, {}});
  }
  const bool rates = rates_differ(a.rates, b.rates);
  if (rates) {
    experiments.push_back(with_rates(of_b, a.rates));
    experiments.push_back(with_rates(of_b, b.rates));
  }
  std::vector<Duration> makespans(experiments.size());
  in_parallel(experiments.size(), threads, [&](std::size_t i) {
    try {
      makespans[i] = run(experiments[i], passes);
    } catch (const Error& error) {
      if (i == 0 || i > result.parts.size()) throw;
      result.parts[i - 1].error = error.what();
    }
  });
  result.b = makespans[0];
  for (std::size_t p = 0; p < result.parts.size(); ++p) result.parts[p].makespan = makespans[p + 1];
  if (rates) result.hit_rates = makespans[makespans.size() - 2] - makespans.back();
  return result;
}

}  // namespace a3sim
