#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sim/study/explore/trial.h"
#include "sim/study/summary/report.h"

namespace a3sim {
namespace {

class Reasons {
 public:
  Reasons(const Trial& trial, const TriedOrder& than)
      : order_(trial.tried()),
        than_(than),
        queue_(trial.main_queue()),
        worker_(queue_ == QueueType::kCtq ? "AIC" : "AIV"),
        workers_(trial.workers[static_cast<std::size_t>(queue_)]) {}

  std::vector<TrialReason> all(const Experiment& experiment) {
    for (std::size_t p = 0; p < order_.passes.size(); ++p) add_pass(p, experiment.passes[p].name);
    return std::move(reasons_);
  }

 private:
  // `before` and `after` stand round the amount.
  void add(double longer_of_all, const std::string& before, const std::string& after) {
    const double longer = longer_of_all / workers_;
    reasons_.push_back({longer, fmt::format("{} {:.3f} ms {}{}", before, 1e3 * std::abs(longer),
                                            longer < 0 ? "less" : "more", after)});
  }

  void add_pass(std::size_t p, const std::string& name) {
    const TriedOrder::Pass &a = order_.passes[p], &b = than_.passes[p];
    double without = workers_ * (seconds(a.latency) - seconds(b.latency));
    for (std::size_t op = 0; op < a.names.size(); ++op) {
      if (a.queues[op] == queue_) without -= add_operator(a, b, op, name);
    }
    add(without, fmt::format("in {} the average {} stands without a task", name, worker_), "");
  }

  // The sum of the operator's reasons, over all workers.
  double add_operator(const TriedOrder::Pass& a, const TriedOrder::Pass& b, std::size_t op,
                      const std::string& pass) {
    const OperatorStats &x = a.operators[op], &y = b.operators[op];
    const auto longer = [](Duration of, Duration than) { return seconds(of) - seconds(than); };
    const std::string tasks = fmt::format("tasks of {} in {}", a.names[op], pass);
    const std::string mean = fmt::format("average {}", worker_);
    add(longer(x.waited, y.waited), tasks + " wait", fmt::format(" for their rows ({})", mean));
    add(longer(x.ideal, y.ideal), tasks + " take", fmt::format(" alone ({})", mean));
    for (std::uint32_t l = 0; l < kLimits; ++l) {
      const auto limit = static_cast<Limit>(l);
      const std::string hits = fmt::format("; they find {:.1f} % of what they read in the L2, not {:.1f} %",
                                           100 * a.l2[op].read.hit_rate(), 100 * b.l2[op].read.hit_rate());
      add(longer(x.lost[l], y.lost[l]), tasks + " lose",
          fmt::format(" to {} ({}{})", name_of(limit), mean, limit == Limit::kMiss ? hits : ""));
    }
    return longer(x.waited, y.waited) + longer(x.ran, y.ran);
  }

  const TriedOrder &order_, &than_;
  QueueType queue_;
  std::string_view worker_;
  double workers_;
  std::vector<TrialReason> reasons_;
};

// "is 3.10 % slower than".
std::string compared(Duration time, Duration than) {
  constexpr double kMany = 2;
  const double ratio = seconds(time) / seconds(than);
  if (ratio >= kMany) return fmt::format("takes {:.2f} times as long as", ratio);
  return fmt::format("is {:.2f} % {} than", 100 * std::abs(ratio - 1), ratio < 1 ? "faster" : "slower");
}

}  // namespace

std::vector<TrialReason> trial_reasons(const Experiment& experiment, const Trial& trial,
                                       const TriedOrder& than) {
  return Reasons(trial, than).all(experiment);
}

std::string trial_verdict(const Experiment& experiment, const Trial& trial) {
  const TriedOrder &order = trial.tried(), *best = trial.best();
  if (!best) return fmt::format("{}: none of the shipped orders fits this experiment.\n", order.name);
  if (best->same_as == 0)
    return fmt::format("{} has the schedules of {}, the best shipped order.\n", order.name, best->name);
  if (order.total == best->total)
    return fmt::format("{} is as fast as {}, the best shipped order.\n", order.name, best->name);
  const double sign = order.total < best->total ? -1 : 1;
  const std::vector<TrialReason> reasons = trial_reasons(experiment, trial, *best);
  const TrialReason& reason =
      *std::ranges::max_element(reasons, {}, [&](const TrialReason& r) { return sign * r.seconds; });
  return fmt::format("{} {} {}, the best shipped order ({} instead of {} ms), most of all because {}.\n",
                     order.name, compared(order.total, best->total), best->name, in_milliseconds(order.total),
                     in_milliseconds(best->total), reason.text);
}

}  // namespace a3sim
