#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <ranges>
#include <stdexcept>

#include "sim/compare/orders/order_comparison.h"
#include "sim/result/saved_rows.h"
#include "sim/result/saved_values.h"
#include "sim/variation/times_faster.h"
#include "version.h"

namespace a3sim {
namespace {

// Sums over all passes, by kind of worker and for the L2.
struct Sums {
  explicit Sums(std::size_t kinds) : busy(kinds), waited(kinds), idle(kinds) {}
  std::vector<Duration> busy, waited, idle;
  L2Traffic l2;
};

Sums sums_of(const TriedOrder& order, const WorkerKinds& kinds) {
  Sums sums(kinds.size());
  for (const TriedOrder::Pass& pass : order.passes) {
    for (std::size_t q = 0; q < kinds.size(); ++q) {
      sums.busy[q] += pass.busy[q];
      sums.waited[q] += part_of(pass.times[q], WorkerTime::kWait);
      sums.idle[q] += part_of(pass.times[q], WorkerTime::kIdle);
    }
    for (const L2Traffic& traffic : pass.l2) sums.l2 += traffic;
  }
  return sums;
}

std::string remark(const OrderComparison& comparison, const TriedOrder& order) {
  std::vector<std::string> words;
  if (&order == &comparison.tried()) words.emplace_back("tried");
  if (comparison.asked_for && &order == comparison.against()) words.emplace_back("compared with");
  if (order.same_as)
    words.push_back("same as " +
                    (*order.same_as == 0 ? "the tried one" : comparison.orders[*order.same_as].name));
  return fmt::format("{}", fmt::join(words, ", "));
}

std::vector<Column> columns_of(const Experiment& experiment, const OrderComparison& comparison) {
  const std::string& worker = comparison.workers[comparison.main_kind()].name;
  std::vector<Column> columns{Column::words("order"), Column::data("same_as"), Column::data("refused")};
  for (const Pass& pass : experiment.passes)
    columns.push_back(Column::milliseconds(pass.name + " ms", "passes_ps." + pass.name));
  Column total = Column::milliseconds("total ms", "total_ps");
  columns.push_back(experiment.passes.size() > 1 ? total : std::move(total).for_programs());
  const bool asked = comparison.asked_for.has_value();
  const std::string key = asked ? "to_against" : "to_best_shipped";
  columns.push_back(
      Column::signed_percent(asked ? "to " + comparison.against()->name : "to best shipped", key, 2));
  columns.push_back(Column::words("95 %").for_people());
  for (const char* end : {"_low", "_high"}) columns.push_back(Column::data(key + end));
  columns.push_back(Column::percent(worker + " busy").for_people());
  columns.push_back(Column::milliseconds(worker + " waits ms").for_people());
  columns.push_back(Column::milliseconds("idle ms").for_people());
  columns.push_back(Column::percent("L2 read hits").for_people());
  columns.push_back(Column::words("").for_people());
  for (const WorkerKind& kind : comparison.workers) {
    for (const char* key : {".workers", ".busy_ps", ".waited_ps", ".idle_ps"})
      columns.push_back(Column::data(kind.name + key));
  }
  describe_traffic(L2Traffic(), DataColumns(columns));
  return columns;
}

std::vector<Cell> row_of(const OrderComparison& comparison, const TriedOrder& order) {
  const TriedOrder* other = comparison.against();
  const Sums sums = sums_of(order, comparison.workers);
  const std::uint32_t main = comparison.main_kind();
  const double workers = comparison.workers[main].count;
  std::vector<Cell> row{order.name, order.same_as ? comparison.orders[*order.same_as].name : Cell(), Cell()};
  for (const Latencies& pass : order.latencies) row.emplace_back(median_of(pass));
  row.emplace_back(order.total());
  if (other) {
    const MedianInterval to_other = relative_difference(order.totals, other->totals);
    row.insert(row.end(), {to_other.median, interval_in_percent(to_other), to_other.low, to_other.high});
  } else {
    row.insert(row.end(), {Cell(), Cell(), Cell(), Cell()});
  }
  row.insert(row.end(), {seconds(sums.busy[main]) / seconds(order.totals[comparison.explained]) / workers,
                         static_cast<double>(sums.waited[main].count()) / workers,
                         static_cast<double>(sums.idle[main].count()) / workers, sums.l2.read.hit_rate(),
                         remark(comparison, order)});
  for (std::size_t q = 0; q < comparison.workers.size(); ++q)
    row.insert(row.end(), {whole(comparison.workers[q].count), sums.busy[q], sums.waited[q], sums.idle[q]});
  describe_traffic(sums.l2, DataCells(row));
  return row;
}

void add_orders(Report& report, const Experiment& experiment, const OrderComparison& comparison) {
  Table& table = report.table("orders", columns_of(experiment, comparison));
  for (const TriedOrder& order : comparison.orders) {
    if (order.refused.empty()) {
      table.add(row_of(comparison, order));
    } else {
      std::vector<Cell> row{order.name, Cell(), order.refused};
      row.resize(table.columns().size());
      table.add(std::move(row), Audience::kPrograms);
    }
  }
}

// Returns "is 3.10 % slower than".
std::string compared(double difference) {
  constexpr double kMany = 2;
  if (1 + difference >= kMany) return fmt::format("takes {:.2f} times as long as", 1 + difference);
  return fmt::format("is {:.2f} % {} than", 100 * std::abs(difference), difference < 0 ? "faster" : "slower");
}

// Compares the tried order with another one, which is called `name` in the sentence.
std::string compared_with(const Experiment& experiment, const OrderComparison& comparison,
                          const TriedOrder& than, const std::string& name) {
  const TriedOrder &order = comparison.tried(), *const other = &than;
  if (other->same_as == 0) return fmt::format("{} has the schedules of {}.\n", order.name, name);
  if (order.totals == other->totals) return fmt::format("{} is as fast as {}.\n", order.name, name);
  const MedianInterval difference = relative_difference(order.totals, other->totals);
  const std::string interval = interval_in_percent(difference);
  if (!difference.clear()) {
    return fmt::format("{} does not differ by more than noise from {}: {:+.2f} % ({}).\n", order.name, name,
                       100 * difference.median, interval);
  }
  const double sign = difference.median < 0 ? -1 : 1;
  const std::vector<LatencyReason> reasons =
      weightiest(latency_reasons(experiment, comparison, *other), sign);
  const LatencyReason& reason = reasons.front();
  return fmt::format("{} {} {} ({} instead of {} ms{}), most of all because {}.\n", order.name,
                     compared(difference.median), name, in_milliseconds(order.total()),
                     in_milliseconds(other->total()), interval.empty() ? "" : "; " + interval, reason.text);
}

// Returns what two orders have in common that the baseline has not: "which sends in the same order". Compared with such an order
// alone, what they share would seem to be worth nothing.
std::string shared_text(const TriedOrder& order, const TriedOrder& other, const TriedOrder& baseline) {
  const auto shares = [&](CoreUnit unit) {
    const auto u = static_cast<std::size_t>(unit);
    return order.spec.keys[u] == other.spec.keys[u] && order.spec.keys[u] != baseline.spec.keys[u];
  };
  if (shares(CoreUnit::kVector)) return ", which sends in the same order";
  return shares(CoreUnit::kMatrix) ? ", which has the same order of matrix tasks" : "";
}

// First the order without any ingredient, where it is shipped and fits, then the one that the tried order is compared with.
std::vector<const TriedOrder*> compared_orders(const OrderComparison& comparison) {
  constexpr const char* kBaseline = "naive";  // configs/orders/naive.yaml: what others are measured against
  const TriedOrder &order = comparison.tried(), *const other = comparison.against();
  if (!other) return {};
  const auto baseline = std::ranges::find_if(
      comparison.orders.begin() + static_cast<std::ptrdiff_t>(comparison.first_shipped),
      comparison.orders.end(),
      [](const TriedOrder& shipped) { return shipped.name == kBaseline && shipped.refused.empty(); });
  if (comparison.asked_for || baseline == comparison.orders.end() || &*baseline == other ||
      &*baseline == &order)
    return {other};
  return {&*baseline, other};
}

std::string verdict(const Experiment& experiment, const OrderComparison& comparison) {
  const TriedOrder& order = comparison.tried();
  const std::vector<const TriedOrder*> others = compared_orders(comparison);
  if (others.empty())
    return fmt::format("{}: none of the shipped orders fits this experiment.\n", order.name);
  const TriedOrder &first = *others.front(), &last = *others.back();
  if (&first == &last) return compared_with(experiment, comparison, last, comparison.against_name());
  return compared_with(experiment, comparison, first, fmt::format("{}, the baseline", first.name)) +
         compared_with(experiment, comparison, last,
                       comparison.against_name() + shared_text(order, last, first));
}

// The verdict's numbers, for pages: the differences with their intervals, and the largest reasons for them.
void add_compared(Report& report, const Experiment& experiment, const OrderComparison& comparison) {
  constexpr std::size_t kReasons = 5;
  Table& table = report.table(
      "compared", {Column::data("than"), Column::data("median"), Column::data("low"), Column::data("high")},
      Audience::kPrograms);
  Table& why = report.table("reasons",
                            {Column::data("than"), Column::data("what"), Column::data("ms"),
                             Column::data("hits"), Column::data("other_hits")},
                            Audience::kPrograms);
  for (const TriedOrder* const other : compared_orders(comparison)) {
    const MedianInterval difference = relative_difference(comparison.tried().totals, other->totals);
    table.add({other->name, difference.median, difference.low, difference.high});
    if (!difference.clear() || other->same_as == 0) continue;
    const double sign = difference.median < 0 ? -1 : 1;
    const std::vector<LatencyReason> reasons =
        weightiest(latency_reasons(experiment, comparison, *other), sign);
    const auto has_sign = [&](const LatencyReason& reason) { return sign * reason.seconds > 0; };
    for (const LatencyReason& reason : reasons | std::views::filter(has_sign) | std::views::take(kReasons))
      why.add({other->name, reason.what, 1e3 * reason.seconds, reason.hits, reason.other_hits});
  }
}

}  // namespace

std::vector<LatencyReason> latency_reasons(const Experiment& experiment, const OrderComparison& comparison,
                                           const TriedOrder& than) {
  if (!than.refused.empty()) throw std::logic_error("order " + than.name + " was not run: " + than.refused);
  std::vector<std::string> names;
  for (const Pass& pass : experiment.passes) names.push_back(pass.name);
  return latency_reasons(names, comparison.workers, comparison.tried().passes, than.passes);
}

std::vector<LatencyReason> latency_reasons(std::span<const std::string> pass_names, const WorkerKinds& kinds,
                                           std::span<const TriedOrder::Pass> passes,
                                           std::span<const TriedOrder::Pass> than) {
  const std::uint32_t kind = main_kind_of(kinds, passes);
  const std::string& worker = kinds[kind].name;
  const double workers = kinds[kind].count;
  std::vector<LatencyReason> reasons;
  // `before` and `after` are the words around the amount.
  const auto add = [&](const std::string& what, const std::string& reason_kind, double longer,
                       const std::string& before, const std::string& after) {
    const double mean = longer / workers;
    const char* const sign = mean < 0 ? "less" : "more";
    reasons.push_back(
        {mean, fmt::format("{} {:.3f} ms {}{}", before, 1e3 * std::abs(mean), sign, after), what});
    reasons.back().kind = reason_kind;
  };
  const auto longer = [](Duration time, Duration other) { return seconds(time) - seconds(other); };
  for (std::size_t p = 0; p < passes.size(); ++p) {
    const TriedOrder::Pass &a = passes[p], &b = than[p];
    const std::string &pass = pass_names[p], without_rows = pass + ": without rows";
    for (std::size_t op = 0; op < a.names.size(); ++op) {
      if (a.queues[op] != kind) continue;
      const OperatorStats &x = a.operators[op], &y = b.operators[op];
      const std::string name = fmt::format("{} in {}", a.names[op], pass), tasks = "tasks of " + name;
      add(name + ": waits for rows", without_rows, longer(x.waited, y.waited), tasks + " wait",
          fmt::format(" for their rows (average {})", worker));
      add(name + ": tasks alone", pass + ": alone", longer(x.ideal, y.ideal), tasks + " take",
          fmt::format(" alone (average {})", worker));
      for (std::uint32_t l = 0; l < kLimits; ++l) {
        const auto limit = static_cast<Limit>(l);
        const bool misses = limit == Limit::kMiss;
        const std::string hits = in_percent(a.l2[op].read.hit_rate()),
                          other_hits = in_percent(b.l2[op].read.hit_rate());
        const std::string found =
            misses ? fmt::format("; they find {} of what they read in the L2, not {}", hits, other_hits) : "";
        add(fmt::format("{}: lost to {}", name, name_of(limit)),
            fmt::format("{}: lost to {}", pass, name_of(limit)), longer(x.lost[l], y.lost[l]),
            tasks + " lose", fmt::format(" to {} (average {}{})", name_of(limit), worker, found));
        if (!misses) continue;
        reasons.back().hits = hits;
        reasons.back().other_hits = other_hits;
      }
    }
    const auto by_time = [&](WorkerTime time) {
      return longer(part_of(a.times[kind], time), part_of(b.times[kind], time));
    };
    add(pass + ": idle", without_rows, by_time(WorkerTime::kIdle),
        fmt::format("in {} the average {} is idle", pass, worker),
        ", before its first task and after its last");
    add(pass + ": fetching and handing out", pass + ": handing out", by_time(WorkerTime::kScheduling),
        fmt::format("in {} fetching and handing out tasks takes the average {}", pass, worker), "");
  }
  return reasons;
}

std::vector<LatencyReason> weightiest(std::vector<LatencyReason> reasons, double sign) {
  std::map<std::string, double> of_kind;
  for (const LatencyReason& reason : reasons) of_kind[reason.kind] += sign * reason.seconds;
  std::ranges::stable_sort(reasons, std::greater(), [&](const LatencyReason& reason) {
    return std::pair(of_kind[reason.kind], sign * reason.seconds);
  });
  return reasons;
}

Report order_report(const Experiment& experiment, const OrderComparison& comparison,
                    const JitterOptions& jitter) {
  const std::vector<std::string>& errors = comparison.findings.errors;
  Report report;
  report.fact("schema_version", 1).fact("a3sim", kVersion).fact("name", experiment.name);
  report.fact("results", comparison.results);
  add_jitter(report, jitter);
  report.say(fmt::format("{} (a3sim {}), {} execution: order {} and the shipped ones\n{}", experiment.name,
                         kVersion, experiment.run.execution, comparison.tried().name, jitter_note(jitter)));
  report.say(errors.empty()
                 ? "schedules  sound: thresholds, waits, rows, no deadlock for any durations ('a3sim check' "
                   "says more)\n"
                 : fmt::format("wrong: {}\n", fmt::join(errors, "\nwrong: ")));
  if (!comparison.results.empty()) report.say_on(fmt::format("results    {}\n", comparison.results));
  add_orders(report, experiment, comparison);
  Table& notes = report.table("checked", {Column::data("note")}, Audience::kPrograms);
  for (const std::string& note : comparison.findings.notes) notes.add({note});
  report.say(
      fmt::format("'{} waits': time of the average one that waits for rows of tasks; 'idle': "
                  "before its first task and after its last.\n",
                  comparison.workers[comparison.main_kind()].name));
  for (const TriedOrder& order : comparison.orders) {
    if (!order.refused.empty()) report.say_on(fmt::format("Does not fit: {}.\n", order.refused));
  }
  report.say_on(verdict(experiment, comparison), "verdict");
  add_compared(report, experiment, comparison);
  if (!comparison.conditions.empty())
    add_conditions(report, comparison.tried().name, comparison.against()->name, comparison.conditions,
                   jitter.draws());
  if (!comparison.spread.empty()) add_spread(report, comparison.spread);
  if (const TriedOrder* other = comparison.against(); other && other->same_as != 0) {
    const TriedOrder& tried = comparison.tried();
    const std::string faster = times_faster(tried.name, tried.totals, other->name, other->totals);
    if (!faster.empty()) report.say(faster + '\n');
  }
  return report;
}

}  // namespace a3sim
