#include <algorithm>

#include "sim/study/metrics/metric.h"

namespace a3sim {
namespace {

using Form = Metric::Form;

double ps(Duration time) { return static_cast<double>(time.count()); }

MetricAmount latency(const PassAnalysis& pass) { return {.part = ps(pass.latency())}; }
MetricAmount bound(const PassAnalysis& pass) { return {.part = ps(pass.result().bounds.largest())}; }
MetricAmount efficiency(const PassAnalysis& pass) { return {bound(pass).part, latency(pass).part}; }
MetricAmount completion_skew(const PassAnalysis& pass) {
  const auto [first, last] = std::ranges::minmax(pass.run().ranks, {}, &RankResult::end);
  return {.part = ps(last.end - first.end)};
}

Metric latency_metric() {
  Metric metric{Form::kMilliseconds, latency, false, Metric::Better::kSmaller};
  metric.of_batch = {
      {"forward", [](const MicroBatchResult& result) { return milliseconds(result.forward); }},
      {"backward", [](const MicroBatchResult& result) { return milliseconds(result.backward); }},
      {"total",
       [](const MicroBatchResult& result) { return milliseconds(result.forward + result.backward); }}};
  metric.of_step = [](const StepFigures& figures) { return milliseconds(figures.time); };
  return metric;
}

A3SIM_REGISTER(Metric, "latency", "from the common start to the last completion", Metric(latency_metric()));
A3SIM_REGISTER(Metric, "bound", "the largest lower bound", Metric{Form::kMilliseconds, bound});
A3SIM_REGISTER(Metric, "efficiency", "the bound's part of the latency",
               Metric{Form::kShareOfTime, efficiency, false, Metric::Better::kLarger});
A3SIM_REGISTER(Metric, "completion_skew", "from the first rank's end to the last's",
               Metric{Form::kMilliseconds, completion_skew, false, Metric::Better::kSmaller});

auto mean_of(Duration Overlap::* time) {
  return [time](const PassAnalysis& pass) {
    return MetricAmount{.part = static_cast<double>((pass.overlap().*time).count()),
                        .count = static_cast<double>(pass.run().ranks.size())};
  };
}

A3SIM_REGISTER(Metric, "exposed", "communication that no cube's work covers, a rank",
               Metric{Form::kMilliseconds, mean_of(&Overlap::exposed), true, Metric::Better::kSmaller});
A3SIM_REGISTER(Metric, "hidden", "communication below cubes' work, a rank",
               Metric{Form::kMilliseconds, mean_of(&Overlap::hidden), true});

// Returns the metric: the share of the time of all workers that run tasks of a unit in which they do so.
auto busy(CoreUnit unit) {
  return [unit](const PassAnalysis& pass) {
    MetricAmount amount;
    for (std::size_t r = 0; r < pass.run().ranks.size(); ++r) {
      const Ssc& ssc = pass.result().schedule[r];
      const std::uint32_t queue = ssc.kinds().queue_for(unit);
      amount.part += static_cast<double>(pass.run().ranks[r].busy[queue].count());
      amount.whole += static_cast<double>((pass.run().makespan * ssc.workers(queue)).count());
    }
    return amount;
  };
}

A3SIM_REGISTER(Metric, "aic_busy", "of the AICs' time, or that of what runs matrix tasks",
               Metric{Form::kShareOfTime, busy(CoreUnit::kMatrix), false, Metric::Better::kLarger});
A3SIM_REGISTER(Metric, "aiv_busy", "of the AIVs' time, or that of what runs vector tasks",
               Metric{Form::kShareOfTime, busy(CoreUnit::kVector)});

// Returns "blame.l2_read".
std::string blame_name(Blame blame) {
  std::string name = "blame.";
  for (const char c : name_of(blame))
    name += c == ' ' ? '_' : static_cast<char>(c >= 'A' && c <= 'Z' ? c + 32 : c);
  return name;
}

// Registers the critical path's time by resource. The times sum to the latency.
[[maybe_unused]] const bool kBlamesRegistered = [] {
  for (std::uint32_t b = 0; b < kBlames; ++b) {
    const auto amount = [b](const PassAnalysis& pass) {
      return MetricAmount{.part = static_cast<double>(pass.blame()[b].count())};
    };
    Metrics::Entry(blame_name(static_cast<Blame>(b)), "of the critical path",
                   std::make_unique<Metric>(Metric{Form::kMilliseconds, amount, true}));
  }
  return true;
}();

}  // namespace
}  // namespace a3sim
