#include "sim/compare/orders/ingredient.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace a3sim {
namespace {

// A put to another rank begins or ends.
struct PutEdge {
  Time at;
  std::uint32_t src, dst;
  int change;  // 1 or -1
};

std::vector<PutEdge> edges_of(const PassResult& pass) {
  std::vector<PutEdge> edges;
  for (std::uint32_t r = 0; r < pass.schedule.size(); ++r) {
    for (std::size_t t = 0; t < pass.run.ranks[r].records.size(); ++t) {
      const TaskRecord& record = pass.run.ranks[r].records[t];
      const std::uint32_t dst = pass.schedule[r].tasks()[t].dst;
      if (record.put_bytes == 0 || dst == r || record.done <= record.start) continue;
      edges.push_back({record.start, r, dst, 1});
      edges.push_back({record.done, r, dst, -1});
    }
  }
  std::ranges::sort(edges, {}, [](const PutEdge& edge) { return std::pair(edge.at, edge.change); });
  return edges;
}

// Keeps how many puts of each source and to each receiver are under way.
class PutCounts {
 public:
  void apply(const PutEdge& edge) {
    std::map<std::uint32_t, int>& of_source = by_source_[edge.src];
    of_source[edge.dst] += edge.change;
    if (of_source[edge.dst] == 0) of_source.erase(edge.dst);
    if (of_source.empty()) by_source_.erase(edge.src);
    by_receiver_[edge.dst] += edge.change;
    if (by_receiver_[edge.dst] == 0) by_receiver_.erase(edge.dst);
    all_ += edge.change;
  }
  bool any() const { return all_ > 0; }
  double destinations() const {
    std::size_t sum = 0;
    for (const auto& [source, receivers] : by_source_) sum += receivers.size();
    return static_cast<double>(sum) / static_cast<double>(by_source_.size());
  }
  double busiest(std::uint32_t ranks) const {
    const auto most = std::ranges::max_element(by_receiver_, {}, [](const auto& one) { return one.second; });
    return most->second * static_cast<double>(ranks) / all_;
  }

 private:
  std::map<std::uint32_t, std::map<std::uint32_t, int>> by_source_;
  std::map<std::uint32_t, int> by_receiver_;
  int all_ = 0;
};

PutsAtOnce puts_of(const PassResult& pass, std::uint32_t ranks) {
  PutsAtOnce puts;
  PutCounts counts;
  Time before{};
  for (const PutEdge& edge : edges_of(pass)) {
    if (counts.any()) {
      const double time = seconds(edge.at - before);
      puts.time += time;
      puts.destinations += time * counts.destinations();
      puts.busiest += time * counts.busiest(ranks);
    }
    counts.apply(edge);
    before = edge.at;
  }
  return puts;
}

double mean(double sum, const PutsAtOnce& puts) { return puts.time > 0 ? sum / puts.time : 0; }

std::string puts_text(const IngredientFacts& with, const IngredientFacts& without) {
  return fmt::format(
      "the puts of a rank face {:.1f} of {} other ranks at once ({:.1f} without), and the busiest "
      "receiver takes {:.2f} times the mean ({:.2f} without)",
      mean(with.puts.destinations, with.puts), with.ranks - 1, mean(without.puts.destinations, without.puts),
      mean(with.puts.busiest, with.puts), mean(without.puts.busiest, without.puts));
}

double hit_rate(const IngredientFacts& facts) {
  L2Traffic sum;
  for (const TriedOrder::Pass& pass : facts.passes)
    for (const L2Traffic& traffic : pass.l2) sum += traffic;
  return sum.read.hit_rate();
}

// Whether workers of the kind that both keep busy can be compared.
bool same_workers(const IngredientFacts& a, const IngredientFacts& b) {
  const std::uint32_t kind = main_kind_of(a.workers, a.passes);
  return a.passes.size() == b.passes.size() && a.workers.size() == b.workers.size() &&
         a.workers[kind] == b.workers[kind];
}

bool same_operators(const IngredientFacts& a, const IngredientFacts& b) {
  return std::ranges::equal(a.passes, b.passes, {}, &TriedOrder::Pass::names, &TriedOrder::Pass::names);
}

// The reasons where operators differ: what the average worker's time is spent on, all operators together.
std::vector<LatencyReason> reasons_in_sum(const IngredientFacts& with, const IngredientFacts& without) {
  const std::uint32_t kind = main_kind_of(with.workers, with.passes);
  std::vector<LatencyReason> reasons;
  for (std::uint32_t t = 0; t < kWorkerTimes; ++t) {
    const auto time = static_cast<WorkerTime>(t);
    double longer = 0;
    for (std::size_t p = 0; p < with.passes.size(); ++p)
      longer += seconds(part_of(with.passes[p].times[kind], time)) -
                seconds(part_of(without.passes[p].times[kind], time));
    const double mean_longer = longer / with.workers[kind].count;
    reasons.push_back({mean_longer, fmt::format("the average {} spends {:.3f} ms {} on: {}",
                                                with.workers[kind].name, 1e3 * std::abs(mean_longer),
                                                mean_longer < 0 ? "less" : "more", name_of(time))});
  }
  return reasons;
}

// Names the change that an order lacks, where it changes nothing.
std::string why_nothing(const IngredientFacts& with, const IngredientFacts& without) {
  constexpr auto kMatrix = static_cast<std::size_t>(CoreUnit::kMatrix),
                 kVector = static_cast<std::size_t>(CoreUnit::kVector);
  if (with.keys[kVector] != without.keys[kVector]) return "nothing: " + puts_text(with, without);
  if (with.keys[kMatrix] != without.keys[kMatrix]) {
    return fmt::format("nothing: {} of what tasks read is in the L2 ({} without)", in_percent(hit_rate(with)),
                       in_percent(hit_rate(without)));
  }
  return "next to nothing";
}

}  // namespace

void IngredientFacts::add(const IngredientFacts& other) {
  pass_names.insert(pass_names.end(), other.pass_names.begin(), other.pass_names.end());
  passes.insert(passes.end(), other.passes.begin(), other.passes.end());
  workers = other.workers;
  ranks = other.ranks;
  std::ranges::copy(other.keys, keys);
  puts.time += other.puts.time;
  puts.destinations += other.puts.destinations;
  puts.busiest += other.puts.busiest;
}

IngredientFacts facts_of(const Experiment& experiment, const PassResult& pass) {
  IngredientFacts facts{{pass.name}, {pass_facts(experiment, pass)}, experiment.workers, {}, {}, 0};
  std::ranges::copy(experiment.order.keys, facts.keys);
  facts.ranks = static_cast<std::uint32_t>(pass.schedule.size());
  for (WorkerKind& kind : facts.workers) kind.count *= facts.ranks;
  facts.puts = puts_of(pass, facts.ranks);
  return facts;
}

std::string reason_for(const IngredientFacts& with, const IngredientFacts& without, double longer) {
  constexpr double kNothing = 0.003;
  if (!same_workers(with, without)) return {};
  if (std::abs(longer) < kNothing) return why_nothing(with, without);
  const double sign = longer < 0 ? -1 : 1;
  const std::vector<LatencyReason> reasons =
      same_operators(with, without)
          ? latency_reasons(with.pass_names, with.workers, with.passes, without.passes)
          : reasons_in_sum(with, without);
  const std::string most = weightiest(reasons, sign).front().text;
  constexpr auto kVector = static_cast<std::size_t>(CoreUnit::kVector);
  const bool sends = with.keys[kVector] != without.keys[kVector];
  return sends ? most + "; " + puts_text(with, without) : most;
}

}  // namespace a3sim
