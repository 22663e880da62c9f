#include <algorithm>

#include "sim/result/metrics/pass_analysis.h"

namespace a3sim {
namespace {

using Form = Metric::Form;

double ps(Duration time) { return static_cast<double>(time.count()); }

MetricAmount latency(const PassAnalysis& pass) { return {.part = ps(pass.latency())}; }
// Returns the longest call of an operator by a rank.
MetricAmount longest_call(const PassAnalysis& pass, std::string_view op) {
  Duration longest{};
  static_cast<void>(pass.span(op));  // refuses an unknown operator
  for (const std::vector<TraceTask>& rank : pass.trace().ranks)
    for (const TraceTask& task : rank)
      if (pass.trace().operators[task.op].name == op) longest = std::max(longest, task.end - task.start);
  return {.part = ps(longest)};
}

// Returns when the first task starts: what its launches take. Needs the records.
MetricAmount launches(const PassAnalysis& pass) {
  Duration first = Duration::max();
  for (const std::vector<TraceTask>& rank : pass.trace().ranks)
    for (const TraceTask& task : rank) first = std::min(first, task.start);
  return {.part = ps(first)};
}

MetricAmount bound(const PassAnalysis& pass) { return {.part = ps(pass.outcome().bounds.largest())}; }
MetricAmount efficiency(const PassAnalysis& pass) { return {bound(pass).part, latency(pass).part}; }
MetricAmount completion_skew(const PassAnalysis& pass) { return {.part = ps(pass.outcome().ends_apart)}; }

A3SIM_REGISTER(Metric, "latency", "from the common start to the last completion",
               Metric{.form = Form::kMilliseconds,
                      .amount = latency,
                      .better = Metric::Better::kSmaller,
                      .of_operator = longest_call});
A3SIM_REGISTER(
    Metric, "launch_time", "until the first task starts",
    Metric{.form = Form::kMilliseconds, .amount = launches, .needs_records = true, .published_only = true});
A3SIM_REGISTER(Metric, "device_time", "from the launch of a kernel to its end",
               Metric{.form = Form::kMilliseconds, .amount = latency, .published_only = true});
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

A3SIM_REGISTER(Metric, "exposed", "communication per rank that no matrix product hides",
               Metric{Form::kMilliseconds, mean_of(&Overlap::exposed), true, Metric::Better::kSmaller});
A3SIM_REGISTER(Metric, "hidden", "communication per rank that matrix products hide",
               Metric{Form::kMilliseconds, mean_of(&Overlap::hidden), true});

// Returns the metric: the share of the time of all workers that run tasks of a unit in which they do so.
auto busy(CoreUnit unit) {
  return [unit](const PassAnalysis& pass) {
    MetricAmount amount;
    const WorkerKinds& lanes = pass.outcome().lanes;
    const std::uint32_t lane = lanes.queue_for(unit);
    if (lane == kNone) return amount;
    for (const RankResult& rank : pass.run().ranks) {
      amount.part += static_cast<double>(rank.busy[lane].count());
      amount.whole += static_cast<double>((pass.run().makespan * lanes[lane].count).count());
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
