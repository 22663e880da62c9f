#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <functional>
#include <optional>

#include "sim/core/error.h"
#include "sim/diagnosis/jobs/monitor.h"
#include "sim/experiment/config/configs_folder.h"
#include "sim/experiment/experiment.h"
#include "sim/experiment/run/draws.h"
#include "sim/experiment/run/run_outcome.h"
#include "sim/experiment/work.h"

// No number gets worse when the machine gets better.
using namespace a3sim;

namespace {

struct Shipped {
  std::string name;
  std::vector<std::string> set;  // makes it small
};

// One of each kind of work, execution and form.
const std::vector<Shipped> kShipped{
    {"ep4", {"model.tokens=512"}},
    {"ep4", {"model.tokens=512", "experiment.execution=dynamic"}},
    {"ep4", {"model.tokens=512", "experiment.execution=kernel", "experiment.communication=collective"}},
    {"mega_moe", {"model.tokens=128"}},
    {"library_ep", {}},
    {"moe_int8", {"parallel.ep=8", "model.tokens=32"}},
    {"allgather_matmul", {}},
    {"all_to_all", {}},
    {"gemm", {}},
    {"swiglu_add", {}},
    {"diamond", {}},
    {"feplb_ep4", {}},
    {"feplb", {}},
    {"step_qwen3_8b", {}},
    {"step_h100", {}},
    {"step_a2", {}}};

Duration latency_of(const Experiment& experiment) {
  const auto work = experiment.work->prepare(experiment, 1);
  Duration sum{};
  for (std::size_t p = 0; p < work->passes(); ++p)
    sum += work->run(experiment, p, {}, Duration::max(), Record::kLatency).latency;
  return sum;
}

// What two steps of a job take, hosts included.
Duration time_of_job(const Shipped& shipped, const std::string& more) {
  std::vector<std::string> sets = shipped.set;
  if (!more.empty()) sets.push_back(more);
  MonitorOptions how;
  how.steps = 2;
  how.recording = Recording::kLight;
  how.limits = read_locate_limits(configs_folder() / kLocateFile);
  const JobSpec spec = load_job(configs_folder() / "experiments" / (shipped.name + ".yaml"), sets, {});
  return monitor(spec, how, [](std::string_view, std::string_view) {}).total;
}

// Returns a value of a configuration times a factor, or nothing if it is no rate, size or number of something.
std::optional<std::string> times(const std::string& value, double factor) {
  char* end = nullptr;
  const double number = std::strtod(value.c_str(), &end);
  const std::string_view unit = end;
  constexpr std::string_view kUnits[] = {"B/s", "B/cycle", "element/cycle", "MAC/cycle", "iB", "Hz", "FLOPS"};
  const bool more = std::ranges::any_of(kUnits, [&](std::string_view u) { return unit.ends_with(u); });
  if (end == value.c_str() || number == 0 || !more) return std::nullopt;
  return fmt::format("{:.12g}{}", number * factor, unit);
}

// A larger value and what comes of it, in parts of the latency.
struct Longer {
  std::string set;
  double by;
};

// Returns what gets longer when each rate and size of the machine and of its program is multiplied by the factor. `time_with`
// takes a change, or none, and throws InputError if no machine has it.
std::vector<Longer> longer_by(const Experiment& shipped, double factor,
                              const std::function<Duration(const std::string&)>& time_with) {
  const Duration before = time_with("");
  std::vector<Longer> longer;
  for (const auto& [key, value] : shipped.values) {
    if (!key.starts_with("hardware.") && !key.starts_with("program.")) continue;
    const auto more = times(value, factor);
    if (!more) continue;
    const std::string set = key + "=" + *more;
    std::optional<Duration> after;
    try {
      after = time_with(set);
    } catch (const InputError&) {
      after = std::nullopt;  // no machine has this
    }
    if (after && *after > before) longer.push_back({set, seconds(*after) / seconds(before) - 1});
  }
  return longer;
}

}  // namespace

TEST_CASE("a machine with a higher rate or a larger size takes no longer, but for noise of scheduling",
          "[slow]") {
  // Tasks that end earlier may be taken up in another order, which list scheduling does not promise to be better: Graham's
  // anomalies. And bytes on the links are served by a memory before its tasks are: a faster port takes at once what it took
  // slowly, which products beside it feel, even if nobody waits for the bytes.
  constexpr double kNoise = 0.025;
  const char* const given = std::getenv("MORE_FACTORS");
  for (const Shipped& shipped : kShipped) {
    INFO(shipped.name << ' ' << fmt::format("{}", fmt::join(shipped.set, " ")));
    const Experiment experiment =
        load_experiment(configs_folder() / "experiments" / (shipped.name + ".yaml"), shipped.set);
    for (const double factor : given ? std::vector{1.1, 11.0, 1000.0} : std::vector{1.1, 11.0}) {
      const auto time_with = [&](const std::string& set) {
        return latency_of(set.empty() ? experiment : experiment.with({&set, 1}));
      };
      for (const Longer& longer : longer_by(experiment, factor, time_with)) {
        if (given) fmt::print("{:18} {:60} {:+.3f} %\n", shipped.name, longer.set, 100 * longer.by);
        INFO(longer.set);
        CHECK(longer.by <= kNoise);
      }
    }
  }
}

TEST_CASE("steps of a job on a machine with a higher rate or a larger size take no longer, but for noise",
          "[slow]") {
  constexpr double kNoise = 0.025;
  for (const Shipped& shipped :
       {Shipped{"ep4", {"model.tokens=128", "experiment.pass=forward"}}, Shipped{"feplb_ep2", {}}}) {
    INFO(shipped.name);
    const Experiment experiment =
        load_experiment(configs_folder() / "experiments" / (shipped.name + ".yaml"), shipped.set);
    const auto time_with = [&](const std::string& set) { return time_of_job(shipped, set); };
    for (const Longer& longer : longer_by(experiment, 11, time_with)) {
      INFO(longer.set);
      CHECK(longer.by <= kNoise);
    }
  }
}
