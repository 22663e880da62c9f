#include <fmt/format.h>

#include <cmath>

#include "sim/study/explore/order_comparison.h"

namespace a3sim {

std::vector<LatencyReason> latency_reasons(const Experiment& experiment, const OrderComparison& comparison,
                                           const TriedOrder& than) {
  const std::uint32_t kind = comparison.main_kind();
  const std::string& worker = comparison.workers[kind].name;
  const double workers = comparison.workers[kind].count;
  std::vector<LatencyReason> reasons;
  // `before` and `after` stand round the amount.
  const auto add = [&](double longer, const std::string& before, const std::string& after) {
    const double mean = longer / workers;
    const char* const sign = mean < 0 ? "less" : "more";
    reasons.push_back({mean, fmt::format("{} {:.3f} ms {}{}", before, 1e3 * std::abs(mean), sign, after)});
  };
  const auto longer = [](Duration of, Duration other) { return seconds(of) - seconds(other); };
  for (std::size_t p = 0; p < comparison.tried().passes.size(); ++p) {
    const TriedOrder::Pass &a = comparison.tried().passes[p], &b = than.passes[p];
    const std::string& pass = experiment.passes[p].name;
    for (std::size_t op = 0; op < a.names.size(); ++op) {
      if (a.queues[op] != kind) continue;
      const OperatorStats &x = a.operators[op], &y = b.operators[op];
      const std::string tasks = fmt::format("tasks of {} in {}", a.names[op], pass);
      add(longer(x.waited, y.waited), tasks + " wait", fmt::format(" for their rows (average {})", worker));
      add(longer(x.ideal, y.ideal), tasks + " take", fmt::format(" alone (average {})", worker));
      for (std::uint32_t l = 0; l < kLimits; ++l) {
        const auto limit = static_cast<Limit>(l);
        const std::string hits =
            fmt::format("; they find {} of what they read in the L2, not {}",
                        in_percent(a.l2[op].read.hit_rate()), in_percent(b.l2[op].read.hit_rate()));
        add(longer(x.lost[l], y.lost[l]), tasks + " lose",
            fmt::format(" to {} (average {}{})", name_of(limit), worker, limit == Limit::kMiss ? hits : ""));
      }
    }
    const auto by_time = [&](WorkerTime time) {
      return longer(part_of(a.times[kind], time), part_of(b.times[kind], time));
    };
    add(by_time(WorkerTime::kIdle), fmt::format("in {} the average {} is idle", pass, worker),
        ", before its first task and after its last");
    add(by_time(WorkerTime::kScheduling),
        fmt::format("in {} fetching and handing out tasks takes the average {}", pass, worker), "");
  }
  return reasons;
}

}  // namespace a3sim
