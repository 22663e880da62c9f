#include <fmt/format.h>

#include <algorithm>

#include "sim/core/parallel.h"
#include "sim/experiment/order_file.h"
#include "sim/experiment/run_experiment.h"
#include "sim/study/published/reproduction.h"
#include "sim/study/summary/report.h"

namespace a3sim {
namespace {

// A way to run the group: which of the ingredients it has, or what else differs from the full set.
struct Way {
  const char* name;
  const char* order = "full";  // configs/orders/
  std::vector<std::string> own{};
};

const std::vector<std::string> kKernels{"experiment.execution=kernel"},
    kHost{"experiment.communication=collective"},
    kPutKernels{"experiment.execution=kernel", "experiment.communication=one_sided"};

// From kernels to the full set, one ingredient more each time.
std::vector<Way> added() {
  return {{"kernel by kernel", "naive", kKernels},
          {"+ one-sided puts", "naive", kPutKernels},
          {"+ tiles", "naive"},
          {"+ RATR", "ratr"},
          {"+ interleaving = full"}};
}

// The full set without one of them.
std::vector<Way> taken_away() {
  return {{"full - one-sided puts", "full", kHost},
          {"full - tiles", "full", kPutKernels},
          {"full - RATR", "interleaved_branches"},
          {"full - interleaving", "ratr"}};
}

// The full set on another machine, or run otherwise.
std::vector<Way> otherwise() {
  return {{"full, over two nodes", "full", {"parallel.nodes=2"}},
          {"full, pairs in packages", "full", {"parallel.tp_stride=1"}},
          {"full, 24 AIC and 48 AIV", "full", {"workers.aic=24", "workers.aiv=48"}},
          {"full, 25 AIV", "full", {"workers.aiv=25"}},
          {"full, looks every 50 and 150 us", "full", {"experiment.poll={aic: 50 us, aiv: 150 us}"}},
          {"full, dynamic", "full", {"experiment.execution=dynamic"}}};
}

// What each ingredient of the taskflow brings. The paper gives totals only.
class Ablation final : public Reproduction {
 public:
  Reproduced run(const Setting& setting) const override;
  bool is_long() const override { return true; }

 private:
  static constexpr std::uint32_t kEpSizes[] = {4, 8};
  static nlohmann::ordered_json case_of(std::uint32_t ep, const Way& step, const std::string& pass) {
    return {{"ep", ep}, {"step", step.name}, {"pass", pass}};
  }
  struct Timed {
    std::vector<PassResult> passes;
    std::string hardware;
    Duration total() const {
      Duration sum{};
      for (const PassResult& pass : passes) sum += pass.run.makespan;
      return sum;
    }
  };
  static Timed time(const Setting& setting, std::uint32_t ep, const Way& step);
  static void add(std::uint32_t ep, const Way& step, const Timed& timed, const Timed& against,
                  Reproduced& result);
};

Ablation::Timed Ablation::time(const Setting& setting, std::uint32_t ep, const Way& step) {
  Experiment experiment = setting.load(fmt::format("ep{}", ep), step.own);
  const std::vector<std::string> elsewhere = experiment.order.elsewhere;
  experiment.order = read_order_file(setting.configs / "orders" / (std::string(step.order) + ".yaml"));
  experiment.order.elsewhere = elsewhere;
  Timed timed{run_experiment(experiment, false), experiment.hardware.name};
  for (PassResult& pass : timed.passes) pass.schedule.clear();  // many of them live at a time
  return timed;
}

void Ablation::add(std::uint32_t ep, const Way& step, const Timed& timed, const Timed& against,
                   Reproduced& result) {
  const auto point = [&](const std::string& pass, Duration latency, Duration other, Duration bound) {
    Point& p = result.points.emplace_back(
        Point{case_of(ep, step, pass), "latency", "ms", milliseconds(latency), timed.hardware});
    const double more = 100 * (seconds(latency) / seconds(other) - 1);
    p.extra = {{"against", fmt::format("{:+.1f} %", more)}, {"bound", in_milliseconds(bound)}};
  };
  Duration bound{};
  for (std::size_t p = 0; p < timed.passes.size(); ++p) {
    const PassResult& pass = timed.passes[p];
    point(pass.name, pass.run.makespan, against.passes[p].run.makespan, pass.bounds.largest());
    bound += pass.bounds.largest();
  }
  point("total", timed.total(), against.total(), bound);
}

Reproduced Ablation::run(const Setting& setting) const {
  const std::vector<Way> more = added(), fewer = taken_away(), others = otherwise();
  std::vector<Way> steps = more;
  steps.insert(steps.end(), fewer.begin(), fewer.end());
  steps.insert(steps.end(), others.begin(), others.end());
  Reproduced result;
  result.heading =
      "What each ingredient of the taskflow brings: one more at a time, then the full set without one, then "
      "the full\n"
      "set on other machines and run otherwise. 'against': the step before, or the full set\n";
  for (const std::uint32_t ep : kEpSizes) {
    const bool any = std::ranges::any_of(steps, [&](const Way& step) {
      return std::ranges::any_of(std::vector<std::string>{"forward", "backward", "total"},
                                 [&](const auto& pass) { return setting.wants(case_of(ep, step, pass)); });
    });
    if (!any) continue;
    std::vector<Timed> timed(steps.size());
    in_parallel(steps.size(), setting.threads,
                [&](std::size_t i) { timed[i] = time(setting, ep, steps[i]); });
    const std::size_t full = more.size() - 1;
    for (std::size_t i = 0; i < steps.size(); ++i)
      add(ep, steps[i], timed[i], timed[i > full ? full : std::max<std::size_t>(i, 1) - 1], result);
  }
  return result;
}

A3SIM_REGISTER(Reproduction, "ablation", "EP4, 8: what each ingredient of the taskflow brings", Ablation);

}  // namespace
}  // namespace a3sim
