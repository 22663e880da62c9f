#include <fmt/ranges.h>

#include <optional>

#include "sim/core/error.h"
#include "sim/core/rng.h"
#include "sim/experiment/config/configs_folder.h"
#include "sim/experiment/run/run_experiment.h"
#include "sim/runtime/execution.h"
#include "tests/invariants/for_all.h"

using namespace a3sim;

namespace {

// Draws what is spent beside the work itself, and whether the work takes any time: where it takes next to none, the
// bound of the longest path is all that a run takes.
class Overheads {
 public:
  explicit Overheads(const RandomConfig& config) : rng_(config.draws[0], config.draws[1]) {}

  std::vector<std::string> draw() {
    for (const char* key :
         {"program.tasks.static_task", "program.tasks.cube_task_start", "program.signals.local_visibility",
          "program.signals.sync_all", "program.launch.alone", "program.launch.queued",
          "program.collective.fixed", "program.collective.per_peer", "program.collective.read_back",
          "hardware.fabric.put_startup", "hardware.fabric.put_fence", "hardware.fabric.levels.node.latency"})
      set(key, one_of({"", "0 us", "0 us", "1 ps", "3 us", "200 us"}));
    // Without it, programs that have no scheduler on the device refuse dynamic execution.
    set("program.tasks.dynamic_task", one_of({"0 us", "1 ps", "3 us", "200 us"}));
    set("program.tasks.dynamic_start", one_of({"0 us", "50 us"}));
    set("experiment.launch", one_of({"", "alone", "queued"}));
    set("experiment.ready", one_of({"", "queue", "fifo"}));
    set("experiment.dispatch_servers", one_of({"", "1", "3"}));
    if (rng_.below(2) == 0) make_ideal();
    execute();
    return std::move(set_);
  }

 private:
  const char* one_of(std::initializer_list<const char*> values) {
    return values.begin()[rng_.below(static_cast<std::uint32_t>(values.size()))];
  }
  void set(const std::string& key, const std::string& value) {
    if (!value.empty()) set_.push_back(key + "=" + value);
  }
  void make_ideal() {
    for (const char* key :
         {"hardware.memory.hbm_read", "hardware.memory.hbm_write", "hardware.memory.l2_read",
          "hardware.memory.l2_write", "hardware.fabric.put_per_worker", "hardware.fabric.planes.sio.egress",
          "hardware.fabric.planes.sio.ingress", "hardware.fabric.planes.hccs.egress",
          "hardware.fabric.planes.hccs.ingress", "program.collective.rate"})
      set(key, "100 TB/s");
    set("hardware.clock", "7 GHz");
  }
  // All ways that there are, with each transport that they take.
  void execute() {
    const std::vector<std::string> names = Executions::names();
    const std::string& name = names[rng_.below(static_cast<std::uint32_t>(names.size()))];
    const bool collective = rng_.below(2) == 0 && Executions::get(name).takes_collectives();
    set("experiment.execution", name);
    set("experiment.communication", collective ? "collective" : "one_sided");
  }

  Rng rng_;
  std::vector<std::string> set_;
};

void log_command(const std::string& file, const std::vector<std::string>& set) {
  RC_LOG(fmt::format("a3sim run {} --set '{}'\n", file, fmt::join(set, "' --set '")));
}

void check_bounds(const Experiment& experiment, const std::string& file,
                  const std::vector<std::string>& set) {
  std::vector<PassResult> passes;
  try {
    passes = run_experiment(experiment, false);
  } catch (const Error& error) {
    log_command(file, set);
    RC_FAIL(error.what());
  }
  for (const PassResult& pass : passes) {
    for (std::uint32_t b = 0; b < kBounds; ++b) {
      if (pass.run.makespan >= pass.bounds.time[b]) continue;
      log_command(file, set);
      RC_LOG(fmt::format("{}: bound {} is {} ps above the latency\n", pass.name,
                         name_of(static_cast<Bound>(b)), (pass.bounds.time[b] - pass.run.makespan).count()));
      RC_FAIL("a bound is above the latency");
    }
  }
}

}  // namespace

TEST_CASE("no bound is above a latency, whatever is spent beside the work and however it is executed") {
  for_all(Backends::kNative, [](const RandomConfig& config) {
    std::vector<std::string> set = overrides_of(config);
    for (std::string& more : Overheads(config).draw()) set.push_back(std::move(more));
    check_bounds(experiment_of(config, set), "ep4", set);
  });
}

TEST_CASE("nor is one of other workloads") {
  constexpr const char* kFiles[] = {"diamond", "all_to_all", "allgather_gemm", "swiglu_add", "gemm"};
  for_all(
      Backends::kNative,
      [&](const RandomConfig& config) {
        const char* const file = kFiles[config.draws[2] % std::size(kFiles)];
        const std::vector<std::string> set = Overheads(config).draw();
        check_bounds(load_experiment(configs_folder() / "experiments" / fmt::format("{}.yaml", file), set),
                     file, set);
      },
      kConfigs / 10);
}

namespace {

// Draws how rows move and how a pass is cut beside that, under an execution that allows most of it.
std::vector<std::string> drawn_form(const RandomConfig& config) {
  Rng rng(config.draws[3], config.draws[4]);
  std::vector<std::string> set;
  const auto choose = [&](const char* key, std::initializer_list<const char*> values) {
    const std::string value = values.begin()[rng.below(static_cast<std::uint32_t>(values.size()))];
    if (!value.empty()) set.push_back(fmt::format("{}={}", key, value));
  };
  choose("experiment.execution", {"static", "static", "dynamic"});
  set.emplace_back("experiment.communication=one_sided");
  choose("experiment.rows", {"", "", "once", "once_there"});
  choose("experiment.dispatch", {"", "", "counted", "pull"});
  choose("experiment.columns", {"", "", "2"});
  choose("experiment.batches", {"", "", "2"});
  choose("cut.sources", {"", "", "1", "2"});
  choose("experiment.movers", {"", "", "{Combine: product}", "{'Dispatch*': copy_engine}",
                               "{'Dispatch*': copy_engine, 'Combine*': copy_engine}",
                               "{'Dispatch*': copy_engine, Combine: product}"});
  set.emplace_back(
      "hardware.copy_engine={count: 2, rate: {value: 40 GB/s, source: drawn}, startup: {value: 2 us, source: "
      "drawn}}");
  return set;
}

}  // namespace

TEST_CASE("nor is one of rows that move in another form, by copy engines or by products") {
  for_all(
      Backends::kNative,
      [](const RandomConfig& config) {
        std::vector<std::string> set = overrides_of(config);
        for (std::string& more : Overheads(config).draw()) set.push_back(std::move(more));
        for (std::string& more : drawn_form(config)) set.push_back(std::move(more));
        std::optional<Experiment> experiment;
        try {
          experiment = experiment_of(config, set);
        } catch (const InputError&) {
          RC_DISCARD("forms that exclude each other");
        }
        check_bounds(*experiment, "ep4", set);
      },
      kConfigs / 5);
}

namespace {

// Draws cables between the dies' ports, slower ones the more often.
std::vector<std::string> drawn_cables(const RandomConfig& config) {
  Rng rng(config.draws[5], config.draws[6]);
  const auto one_of = [&](std::initializer_list<const char*> values) {
    return values.begin()[rng.below(static_cast<std::uint32_t>(values.size()))];
  };
  std::vector<std::string> set{
      fmt::format("network.topology.hccs={{kind: two_level, leaves: 64, leaf: {}, spines: {}, rate: {}, "
                  "oversubscription: {}}}",
                  one_of({"2", "4", "16"}), one_of({"1", "2", "4"}),
                  one_of({"122.5 GB/s", "20 GB/s", "400 GB/s"}), one_of({"1", "2", "4", "16"}))};
  set.push_back(fmt::format("network.routes.hccs={}", one_of({"even", "given", "hash"})));
  set.push_back(fmt::format("experiment.simulate={}", one_of({"all", "all", "alike"})));
  return set;
}

// The bytes of a cable that has carried most, over its rate, in picoseconds.
double longest_carried(const RunResult& run) {
  double longest = 0;
  for (const CableUse& cable : run.cables)
    longest = std::max(longest, cable.bytes * 1e12 / static_cast<double>(cable.rate.count));
  return longest;
}

}  // namespace

TEST_CASE("no cable carries its bytes in less than its bound, which is what the most loaded cable needs") {
  std::uint32_t binding = 0;
  for_all(
      Backends::kNative,
      [&](const RandomConfig& config) {
        std::vector<std::string> set = overrides_of(config);
        for (std::string& more : drawn_cables(config)) set.push_back(std::move(more));
        std::optional<Experiment> experiment;
        std::vector<PassResult> passes;
        try {
          experiment = experiment_of(config, set);
          passes = run_experiment(*experiment, false);
        } catch (const InputError&) {
          RC_DISCARD("ranks that cannot stand for others");
        }
        check_bounds(*experiment, "ep4", set);
        for (const PassResult& pass : passes) {
          const auto bound =
              static_cast<double>(pass.bounds.time[static_cast<std::size_t>(Bound::kCable)].count());
          // Each put is rounded up to a whole byte on its port.
          const double carried = longest_carried(pass.run);
          RC_ASSERT(bound <= carried);
          RC_ASSERT(bound >= 0.99 * carried - 1000);
          binding += pass.bounds.binding() == Bound::kCable ? 1 : 0;
        }
      },
      kConfigs / 5);
  // The few draws of a debug build need not have one.
  CHECK((binding > 0 || kConfigs < 1000));
}
