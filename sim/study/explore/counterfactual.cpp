#include "sim/study/explore/counterfactual.h"

#include <algorithm>
#include <map>

#include "sim/core/error.h"
#include "sim/core/progress.h"
#include "sim/core/progress_lines.h"
#include "sim/experiment/evaluate_by_run.h"

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
  constexpr std::string_view kRemarks[] = {"name", "stack", "source", "note"};
  const std::string_view key = path.substr(path.rfind('.') + 1);
  return std::find(std::begin(kRemarks), std::end(kRemarks), key) != std::end(kRemarks);
}

// True if `path` is `name` or below it. `*` in it stands for any one name.
bool is_below(std::string_view path, std::string_view name) {
  while (true) {
    const std::size_t wanted = std::min(name.find('.'), name.size()),
                      found = std::min(path.find('.'), path.size());
    if (name.substr(0, wanted) != "*" && name.substr(0, wanted) != path.substr(0, found)) return false;
    if (wanted == name.size()) return true;
    if (found == path.size()) return false;
    name.remove_prefix(wanted + 1);
    path.remove_prefix(found + 1);
  }
}

// True if A's rates differ from B's and can be used for B.
bool rates_differ(const std::map<std::string, L2Rates>& a, const std::map<std::string, L2Rates>& b) {
  const bool all =
      std::all_of(b.begin(), b.end(), [&](const auto& entry) { return a.contains(entry.first); });
  return all && std::any_of(b.begin(), b.end(),
                            [&](const auto& entry) { return a.at(entry.first) != entry.second; });
}

Experiment with_rates(const Experiment& experiment, const std::map<std::string, L2Rates>& rates) {
  Experiment other = experiment;
  other.run.l2.rates = rates;
  other.run.l2.start = L2Start::kCold;  // there is nothing to find
  return other;
}

}  // namespace

namespace {

constexpr std::string_view kShares = "cut.shares";

// Where one cube takes one share of a product, shares follow the number of cubes.
bool shares_follow(const Experiment& experiment) {
  return experiment.cut.shares == experiment.workers.count(CoreUnit::kMatrix);
}

// The part of a key where the shares follow the number of workers, or do not.
std::size_t part_where(bool follow, std::string_view path) {
  return part_of(follow && path == kShares ? "workers" : path);
}

bool both_follow(const std::filesystem::path& a, const std::filesystem::path& b) {
  return shares_follow(load_experiment(a, {})) && shares_follow(load_experiment(b, {}));
}

}  // namespace

Experiment with_part(const std::filesystem::path& a, const std::filesystem::path& b, std::size_t part) {
  Diagnostics diagnostics;
  const bool follow = both_follow(a, b);
  const auto taken = [&](std::string_view path) { return part_where(follow, path) == part; };
  return read_experiment(Config::load_with_parts(b, a, taken, diagnostics), diagnostics);
}

const std::vector<ConfigPart>& config_parts() {
  static const std::vector<ConfigPart> kParts{
      {"links",
       {"hardware.fabric", "program.collective", "parallel.tp_stride", "parallel.nodes", "network",
        "hardware.copy_engine", "program.bulk", "program.puts"}},
      {"order, cut and execution",
       {"order", "cut", "experiment.execution", "experiment.communication", "experiment.poll",
        "experiment.dispatch_servers", "experiment.launch", "experiment.ready", "mega_moe",
        "chunked_gemm.chunk_tiles"}},
      {"L2 size and policy", {"l2", "hardware.memory.l2_size", "hardware.memory.l2_ways"}},
      {"memory rates", {"hardware.memory"}},
      {"compute rates", {"hardware.clock", "hardware.workers", "program.vector", "program.attention"}},
      {"number of workers", {"workers", "hardware.workers.*.count", "hardware.workers.*.runs"}},
      {"task and launch overheads", {"program.tasks", "program.launch", "program.signals", "program.host"}},
      {"starts and clocks of ranks", {"ranks"}},
      {"tiling", {"tiling", "mega_moe.gmm1", "mega_moe.gmm2"}},
      {"workload",
       {"model", "parallel", "step", "routing", "bucket", "experiment", "graph", "gemm", "elementwise",
        "swiglu_add", "gathered_gemm", "chunked_gemm", "library_ep", "balance", "framework", "tutel",
        "triton"}}};
  return kParts;
}

std::size_t part_of(std::string_view path) {
  const std::vector<ConfigPart>& parts = config_parts();
  std::size_t part = parts.size(), longest = 0;
  for (std::size_t p = 0; p < parts.size(); ++p) {
    for (const std::string_view name : parts[p].paths) {
      if (!is_below(path, name) || name.size() <= longest) continue;
      part = p;
      longest = name.size();
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
                                    const std::vector<std::string>& passes, const JitterOptions& jitter,
                                    unsigned threads,
                                    const std::function<void(const Counterfactuals&)>& seen) {
  const Experiment of_b = load_experiment(b.configuration, {});
  const std::vector<ConfigPart>& parts = config_parts();
  std::vector<std::vector<ConfigDifference>> by_part(parts.size() + 1);
  const bool follow = both_follow(a.configuration, b.configuration);
  for (const ConfigDifference& difference : config_differences(a.configuration, b.configuration))
    by_part[part_where(follow, difference.path)].push_back(difference);
  Counterfactuals result;
  result.elsewhere = std::move(by_part.back());
  std::vector<Variant> variants;
  const auto add = [&](Experiment experiment) {
    std::erase_if(experiment.passes, [&](const Pass& pass) {
      return std::find(passes.begin(), passes.end(), pass.name) == passes.end();
    });
    variants.push_back({std::move(experiment), nullptr});
  };
  add(load_experiment(a.configuration, {}));
  add(of_b);
  const std::size_t first_part = variants.size();
  std::vector<std::size_t> runnable;  // for each variant from there on, its part
  for (std::size_t p = 0; p < parts.size(); ++p) {
    if (by_part[p].empty()) continue;
    Counterfactual part{std::string(parts[p].name), std::move(by_part[p]), {}, {}};
    try {
      add(with_part(a.configuration, b.configuration, p));
      runnable.push_back(result.parts.size());
    } catch (const InputError& error) {
      part.error = error.what();
    }
    result.parts.push_back(std::move(part));
  }
  if (rates_differ(a.rates, b.rates)) {
    add(with_rates(of_b, a.rates));
    add(with_rates(of_b, b.rates));
  }
  const auto take_both = [&](std::size_t v, const Evaluated& evaluated) {
    (v == 0 ? result.a : result.b) = evaluated.totals();
    if (seen) seen(result);
  };
  const auto take_part = [&](std::size_t v, const Evaluated& evaluated) {
    if (v < runnable.size()) result.parts[runnable[v]].totals = evaluated.totals();
    if (seen) seen(result);
  };
  // Of each variant its passes, that it is prepared, and that it has ended.
  const Progress progress(kSimulationsInAll, variants.size() * (passes.size() * jitter.draws() + 2));
  const EvaluateOptions how{.jitter = jitter, .threads = threads};
  std::vector<std::string> failed;
  const std::span all(variants);
  const std::vector<Evaluated> both = evaluate_in_turn(all.first(first_part), how, failed, take_both);
  for (const std::string& why : failed)
    if (!why.empty()) throw RunError(why);
  const std::vector<Evaluated> done =
      evaluate_in_turn(all.subspan(first_part), how, failed, take_part, &both.back());
  for (std::size_t p = 0; p < runnable.size(); ++p) result.parts[runnable[p]].error = failed[p];
  for (std::size_t v = runnable.size(); v < done.size(); ++v)
    if (!failed[v].empty()) throw RunError(failed[v]);
  if (runnable.size() < done.size())
    result.hit_rates = difference_between(done[done.size() - 2].totals(), done.back().totals());
  return result;
}

}  // namespace a3sim
