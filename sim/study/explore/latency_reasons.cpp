#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sim/study/explore/order_comparison.h"

namespace a3sim {
namespace {

class Reasons {
 public:
  Reasons(const OrderComparison& comparison, const TriedOrder& than)
      : order_(comparison.tried()),
        than_(than),
        queue_(comparison.main_queue()),
        worker_(queue_ == QueueType::kCtq ? "AIC" : "AIV"),
        workers_(comparison.workers[static_cast<std::size_t>(queue_)]) {}

  std::vector<LatencyReason> all(const Experiment& experiment) {
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
  std::vector<LatencyReason> reasons_;
};

}  // namespace

std::vector<LatencyReason> latency_reasons(const Experiment& experiment, const OrderComparison& comparison,
                                           const TriedOrder& than) {
  return Reasons(comparison, than).all(experiment);
}

}  // namespace a3sim
