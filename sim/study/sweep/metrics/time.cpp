#include <algorithm>

#include "sim/study/sweep/sweep_metric.h"

namespace a3sim {
namespace {

using Form = SweepMetric::Form;

double ps(Duration time) { return static_cast<double>(time.count()); }

MetricAmount latency(const MeasuredPass& pass) { return {.part = ps(pass.run().makespan)}; }
MetricAmount bound(const MeasuredPass& pass) { return {.part = ps(pass.result().bounds.largest())}; }
MetricAmount efficiency(const MeasuredPass& pass) { return {bound(pass).part, latency(pass).part}; }
MetricAmount completion_skew(const MeasuredPass& pass) {
  const auto [first, last] = std::ranges::minmax(pass.run().ranks, {}, &RankResult::end);
  return {.part = ps(last.end - first.end)};
}

A3SIM_REGISTER(SweepMetric, "latency", "from the common start to the last completion",
               SweepMetric{
                   Form::kMilliseconds,
                   latency,
                   false,
                   SweepMetric::Better::kSmaller,
                   {{"forward", [](const MicroBatchResult& of) { return milliseconds(of.forward); }},
                    {"backward", [](const MicroBatchResult& of) { return milliseconds(of.backward); }},
                    {"total",
                     [](const MicroBatchResult& of) { return milliseconds(of.forward + of.backward); }}}});
A3SIM_REGISTER(SweepMetric, "bound", "the largest lower bound", SweepMetric{Form::kMilliseconds, bound});
A3SIM_REGISTER(SweepMetric, "efficiency", "the bound's part of the latency",
               SweepMetric{Form::kShareOfTime, efficiency, false, SweepMetric::Better::kLarger});
A3SIM_REGISTER(SweepMetric, "completion_skew", "from the first rank's end to the last's",
               SweepMetric{Form::kMilliseconds, completion_skew, false, SweepMetric::Better::kSmaller});

auto mean_of(Duration Overlap::* time) {
  return [time](const MeasuredPass& pass) {
    return MetricAmount{.part = static_cast<double>((pass.overlap().*time).count()),
                        .count = static_cast<double>(pass.run().ranks.size())};
  };
}

A3SIM_REGISTER(SweepMetric, "exposed", "communication that no cube's work covers, a rank",
               SweepMetric{Form::kMilliseconds, mean_of(&Overlap::exposed), true,
                           SweepMetric::Better::kSmaller});
A3SIM_REGISTER(SweepMetric, "hidden", "communication below cubes' work, a rank",
               SweepMetric{Form::kMilliseconds, mean_of(&Overlap::hidden), true});

// Of the time of all ranks' workers that run tasks of a unit, that in which they run any.
auto busy(CoreUnit unit) {
  return [unit](const MeasuredPass& pass) {
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

A3SIM_REGISTER(SweepMetric, "aic_busy", "of the AICs' time, or that of what runs matrix tasks",
               SweepMetric{Form::kShareOfTime, busy(CoreUnit::kMatrix), false, SweepMetric::Better::kLarger});
A3SIM_REGISTER(SweepMetric, "aiv_busy", "of the AIVs' time, or that of what runs vector tasks",
               SweepMetric{Form::kShareOfTime, busy(CoreUnit::kVector)});

// "blame.l2_read".
std::string blame_name(Blame blame) {
  std::string name = "blame.";
  for (const char c : name_of(blame))
    name += c == ' ' ? '_' : static_cast<char>(c >= 'A' && c <= 'Z' ? c + 32 : c);
  return name;
}

// The critical path's share of each resource: they sum to the latency.
[[maybe_unused]] const bool kBlamesRegistered = [] {
  for (std::uint32_t b = 0; b < kBlames; ++b) {
    const auto amount = [b](const MeasuredPass& pass) {
      return MetricAmount{.part = static_cast<double>(pass.blame()[b].count())};
    };
    SweepMetrics::Entry(blame_name(static_cast<Blame>(b)), "of the critical path",
                        std::make_unique<SweepMetric>(SweepMetric{Form::kMilliseconds, amount, true}));
  }
  return true;
}();

}  // namespace
}  // namespace a3sim
