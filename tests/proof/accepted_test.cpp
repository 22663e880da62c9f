#include <fmt/format.h>
#include <fmt/ranges.h>

#include <catch2/catch.hpp>
#include <cstdlib>
#include <memory>
#include <set>

#include "scheduler/ssc/parts_of.h"
#include "sim/check/adversary.h"
#include "sim/check/data_check.h"
#include "sim/core/error.h"
#include "sim/experiment/config/configs_folder.h"
#include "sim/experiment/run/compiled.h"
#include "sim/experiment/run/schedule_check.h"
#include "sim/runtime/execution.h"
#include "tests/proof/mutation_draws.h"
#include "tests/proof/mutations.h"
#include "tests/scratch_directory.h"

using namespace a3sim;

namespace {

constexpr std::uint64_t kCaseSeed = 1;

// A schedule of these works, under these executions: sound alone, or changed once.
struct Accepted {
  std::vector<std::unique_ptr<DataCheck>> checks;
  std::vector<std::string> names;  // of the checks
  int refused = 0;                 // sound schedules that their execution cannot finish
  std::vector<std::string> missed;
};

// Notes it if `check` accepts what did not end.
void note_unfinished(const DataCase& stuck, const std::string& name, const std::string& why,
                     Accepted& accepted) {
  const Experiment& experiment = stuck.experiment;
  const RoutingCounts capacity = capacity_of(experiment, stuck.routed.counts(experiment.shape));
  for (const Pass& pass : experiment.passes) {
    if (check_schedule(experiment, compile_pass(experiment, pass, capacity).schedule).errors.empty())
      continue;
    ++accepted.refused;
    return;
  }
  accepted.missed.push_back(fmt::format("{} is accepted: {}", name, why));
}

void add(const std::filesystem::path& file, const std::vector<std::string>& overrides, Accepted& accepted) {
  const std::string name = fmt::format("{} {}", file.stem().string(), fmt::join(overrides, " "));
  std::vector<DataCase> cases;
  try {
    if (!load_experiment(file, overrides).work->why_no_schedules().empty()) return;
    cases = small_cases(file, overrides, kCaseSeed);
  } catch (const InputError&) {  // not under this execution, or not at a small shape
    return;
  }
  for (DataCase& small : cases) {
    try {
      accepted.checks.push_back(std::make_unique<DataCheck>(small, kCaseSeed));
      accepted.names.push_back(name);
    } catch (const InputError&) {
      continue;  // not at a small shape
    } catch (const RunError& error) {
      note_unfinished(small, name, error.what(), accepted);
    }
  }
}

// Each work and each preset under each execution and transport; large ones at a small shape.
Accepted all_works() {
  const std::filesystem::path configs = configs_folder();
  const std::vector<std::string> few = {"parallel.ep=2", "model.experts_per_rank=2", "model.top_k=2"};
  const ScratchDirectory scratch;
  std::vector<std::pair<std::filesystem::path, std::vector<std::string>>> works;
  for (const char* name : {"ep4", "mega_moe", "library_ep", "moe_int8", "forward_graph"}) {
    works.emplace_back(configs / "experiments" / (std::string(name) + ".yaml"), few);
  }
  for (const char* name :
       {"diamond", "swiglu_add", "gemm", "elementwise", "allgather_gemm", "allgather_matmul"})
    works.emplace_back(configs / "experiments" / (std::string(name) + ".yaml"), std::vector<std::string>{});
  works.back().second = {"gemm.ranks=2", "gemm.meets=true"};
  for (const std::filesystem::path& preset : files_in(configs / "presets")) {
    const std::string text = fmt::format("include: ['{}', '{}']\n",
                                         (configs / "experiments" / "ep4.yaml").string(), preset.string());
    works.emplace_back(scratch.add(preset.filename().string(), text), few);
  }
  Accepted accepted;
  for (const auto& [file, overrides] : works) {
    add(file, overrides, accepted);
    for (const auto& [name, type] : Executions::all()) {
      for (const char* transport : {"one_sided", "collective"}) {
        std::vector<std::string> set = overrides;
        set.push_back("experiment.execution=" + name);
        set.push_back(std::string("experiment.communication=") + transport);
        add(file, set, accepted);
        set.emplace_back("experiment.batches=2");
        if (name == "two_streams") add(file, set, accepted);
      }
    }
  }
  return accepted;
}

struct Drawn {
  int opening = 0, check = 0, machine = 0, equal = 0;
};

// Changes one field of one rank, and runs what is accepted, also with tasks held up.
void try_mutant(Accepted& accepted, Rng& rng, Drawn& drawn) {
  const std::size_t at = rng.below(static_cast<std::uint32_t>(accepted.checks.size()));
  const DataCheck& check = *accepted.checks[at];
  const DataCheck::Pass& pass = check.passes()[rng.below(static_cast<std::uint32_t>(check.passes().size()))];
  Parts parts;
  for (const Ssc& ssc : pass.schedule) parts.push_back(parts_of(ssc));
  const Mutation& mutation = mutations()[rng.below(static_cast<std::uint32_t>(mutations().size()))];
  if (!mutation.apply(parts, rng.below(size_of(parts)), rng)) return;
  Schedule broken;
  try {
    for (const SscParts& rank : parts) broken.push_back(Ssc::build(rank));
  } catch (const InputError&) {
    ++drawn.opening;
    return;
  }
  if (!check_schedule(check.data_case().experiment, broken).errors.empty()) {
    ++drawn.check;
    return;
  }
  const std::string name = fmt::format("{}, {}: {}", accepted.names[at], pass.name, mutation.kind);
  try {
    for (const bool held_up : {false, true}) {
      const Delays delays = held_up ? drawn_delays(broken, kCaseSeed, 2 * pass.makespan) : Delays{};
      if (!right(check.run(pass, broken, delays)))
        accepted.missed.push_back(name + (held_up ? ": wrong when tasks are late" : ": wrong"));
    }
    ++drawn.equal;
  } catch (const InputError&) {  // sound, and for another machine
    ++drawn.machine;
  } catch (const std::exception& error) {
    accepted.missed.push_back(fmt::format("{}: {}", name, error.what()));
  }
}

}  // namespace

// A3SIM_MUTANTS says how many, A3SIM_SEED which ones.
TEST_CASE("what check accepts under any execution ends, and computes the same", "[slow]") {
  const char* const count = std::getenv("A3SIM_MUTANTS");
  const char* const seed = std::getenv("A3SIM_SEED");
  const int mutants = count ? std::atoi(count) : 1500;
  Accepted accepted = all_works();
  CHECK(accepted.checks.size() > 60);
  CHECK(accepted.refused > 0);  // MegaMoE in two streams, for one
  Rng rng(seed ? std::strtoull(seed, nullptr, 10) : kCaseSeed);
  Drawn drawn;
  for (int i = 0; i < mutants; ++i) try_mutant(accepted, rng, drawn);
  INFO(fmt::format(
      "{} of {} mutants refused when opened, {} by check, {} for another machine, {} compute the same",
      drawn.opening, mutants, drawn.check, drawn.machine, drawn.equal));
  CHECK(accepted.missed == std::vector<std::string>{});
  CHECK(drawn.equal > mutants / 50);
}
