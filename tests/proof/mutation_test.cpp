#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cstdlib>
#include <map>

#include "scheduler/ssc/parts_of.h"
#include "scheduler/verify/verify.h"
#include "sim/check/adversary.h"
#include "sim/check/data_check.h"
#include "sim/core/error.h"
#include "sim/core/read_file.h"
#include "sim/experiment/config/configs_folder.h"
#include "sim/experiment/config/order_file.h"
#include "tests/proof/mutation_draws.h"
#include "tests/proof/mutations.h"

using namespace a3sim;

namespace {

constexpr std::uint64_t kSeed = 1;
constexpr int kOfAKind = 40;  // broken schedules of each kind, pass and case

struct BrokenCase {
  const char* experiment;
  const char* order;  // of those shipped; null: the experiment's
  std::vector<std::string> overrides;
};

// Shapes, passes, routings, orders and executions.
std::vector<BrokenCase> broken_cases() {
  const auto small = [](std::vector<std::string> more) {
    for (const char* text :
         {"parallel.ep=2", "model.experts_per_rank=2", "model.top_k=2", "workers={aic: 3, aiv: 4}"})
      more.insert(more.begin(), text);
    return more;
  };
  const std::string sampled = "routing.kind=sampled", skew = "routing.skew=2",
                    shared = "order.assignment=shared", dynamic = "experiment.execution=dynamic",
                    kernel = "experiment.execution=kernel";
  return {{"ep4", "full", small({})},
          {"ep4", "naive", small({sampled, "routing.seed=3", skew, shared})},
          {"ep4", "interleaved_branches", small({"bucket.rows=8192", "cut.partitions=2"})},
          {"ep4", "sequential_branches", small({"parallel.ep=3", dynamic, sampled, "routing.seed=5"})},
          {"ep4", "interleaved_tiles", small({kernel})},
          {"ep4", "published", small({"parallel.ep=4", "model.experts_per_rank=1", "cut.partitions=3"})},
          {"all_to_all",
           nullptr,
           {"parallel.ep=3", "experiment.execution=static", "experiment.communication=one_sided"}},
          {"allgather_gemm", nullptr, {"graph.ranks=2"}},
          {"gemm_reduce_scatter", nullptr, {"graph.ranks=4", "cut.partitions=8"}},
          {"diamond", nullptr, {"workers={aic: 3, aiv: 4}"}},
          {"swiglu_add", nullptr, {"workers={aic: 3, aiv: 4}"}}};
}

struct Verdicts {
  int total = 0, opening = 0, check = 0, data = 0, equal = 0;

  Verdicts& operator+=(const Verdicts& more) {
    total += more.total;
    opening += more.opening;
    check += more.check;
    data += more.data;
    equal += more.equal;
    return *this;
  }
};

struct Mutants {
  std::map<std::string_view, Verdicts> one_rank, all_ranks;  // by kind of change
  std::vector<std::string> missed;
};

// Runs it as it is, then with tasks held up: what is sound gives one result whatever the durations.
void judge_by_data(const DataCheck& check, const DataCheck::Pass& pass, const Schedule& broken,
                   const std::string& name, Verdicts& verdicts, Mutants& mutants) {
  try {
    if (!right(check.run(pass, broken, {}))) {
      ++verdicts.data;
      return;
    }
    const Delays delays = drawn_delays(broken, kSeed, 2 * pass.makespan);
    if (!right(check.run(pass, broken, delays)))
      mutants.missed.push_back(name + ": right, and wrong when tasks are late");
  } catch (const std::exception&) {
    ++verdicts.data;
    return;
  }
  ++verdicts.equal;
}

void judge(const DataCheck& check, const DataCheck::Pass& pass, const Parts& parts, const std::string& name,
           Verdicts& verdicts, Mutants& mutants) {
  ++verdicts.total;
  Schedule broken;
  try {
    for (const SscParts& rank : parts) broken.push_back(Ssc::build(rank));
  } catch (const InputError&) {
    ++verdicts.opening;
    return;
  }
  if (!verify(broken).errors.empty()) {
    ++verdicts.check;
    return;
  }
  judge_by_data(check, pass, broken, name, verdicts, mutants);
}

bool apply_to_one(const Mutation& mutation, Parts& parts, Rng& rng) {
  const std::uint32_t rank = rng.below(size_of(parts));
  return mutation.apply(parts, rank, rng);
}

using Apply = bool (*)(const Mutation&, Parts&, Rng&);
void mutate(const DataCheck& check, const DataCheck::Pass& pass, const Parts& good, std::uint64_t stream,
            Apply apply, std::map<std::string_view, Verdicts>& verdicts, Mutants& mutants) {
  for (const Mutation& mutation : mutations()) {
    Rng rng(kSeed, stream++);
    Verdicts& of_kind = verdicts[mutation.kind];
    for (int i = 0, tries = 0; i < kOfAKind && tries < 20 * kOfAKind; ++tries) {
      Parts parts = good;
      if (!apply(mutation, parts, rng)) continue;
      const std::string name = fmt::format("{}, {} {}", pass.name, mutation.kind, i++);
      judge(check, pass, parts, name, of_kind, mutants);
    }
  }
}

// Calls visit(check, pass, parts) for every pass of every case.
template <class Visit>
void each_pass(Visit&& visit) {
  for (const BrokenCase& broken_case : broken_cases()) {
    const auto file = configs_folder() / "experiments" / (std::string(broken_case.experiment) + ".yaml");
    DataCase small = small_cases(file, broken_case.overrides, kSeed).front();
    if (broken_case.order) {
      const auto order = configs_folder() / "orders" / (std::string(broken_case.order) + ".yaml");
      small.experiment = with_order(std::move(small.experiment), read_order_file(order));
    }
    const DataCheck check(std::move(small), kSeed);
    for (const DataCheck::Pass& pass : check.passes()) {
      REQUIRE(right(pass.outcome));
      REQUIRE(verify(pass.schedule).errors == std::vector<std::string>{});
      Parts good;
      for (const Ssc& ssc : pass.schedule) good.push_back(parts_of(ssc));
      visit(check, pass, good);
    }
  }
}

Mutants all_mutants() {
  Mutants mutants;
  std::uint64_t stream = 0;
  each_pass([&](const DataCheck& check, const DataCheck::Pass& pass, const Parts& good) {
    mutate(check, pass, good, stream, apply_to_one, mutants.one_rank, mutants);
    if (good.size() > 1) mutate(check, pass, good, stream, apply_to_all, mutants.all_ranks, mutants);
    stream += 100;
  });
  return mutants;
}

// Two or three changes at once, so that one may hide another.
Mutants changed_more_than_once(std::uint64_t seed, int of_a_pass) {
  Mutants mutants;
  Rng rng(seed);
  each_pass([&](const DataCheck& check, const DataCheck::Pass& pass, const Parts& good) {
    for (int i = 0; i < of_a_pass; ++i) {
      Parts parts = good;
      std::string name = check.data_case().experiment.name + ", " + pass.name + ":";
      std::uint32_t reused = 0;
      for (std::uint32_t left = 2 + rng.below(2); left > 0; --left) {
        const Mutation& mutation = mutations()[rng.below(static_cast<std::uint32_t>(mutations().size()))];
        if (!apply_to_one(mutation, parts, rng)) continue;
        name += fmt::format(" {},", mutation.kind);
        reused += mutation.kind == "reuse a buffer early";
      }
      // Two tensors may have changed names, and it is the same schedule.
      if (reused > 1) continue;
      Verdicts& all = mutants.one_rank[""];
      const int wrong = all.data;
      judge(check, pass, parts, name, all, mutants);
      if (all.data > wrong) mutants.missed.push_back(name + " wrong, and not refused");
    }
  });
  return mutants;
}

std::string table(const std::map<std::string_view, Verdicts>& by_kind) {
  std::string text =
      "| change | schedules | refused when opened | by `check` | by `check --data` alone | compute the same "
      "|\n"
      "|---|---|---|---|---|---|\n";
  Verdicts all;
  const auto row = [&](std::string_view name, const Verdicts& verdicts) {
    text += fmt::format("| {} | {} | {} | {} | {} | {} |\n", name, verdicts.total, verdicts.opening,
                        verdicts.check, verdicts.data, verdicts.equal);
  };
  for (const Mutation& mutation : mutations()) {
    row(mutation.kind, by_kind.at(mutation.kind));
    all += by_kind.at(mutation.kind);
  }
  row("all", all);
  return text;
}

}  // namespace

TEST_CASE("each broken schedule is caught or computes the same, and the page of the scheduler has the table",
          "[slow]") {
  const Mutants mutants = all_mutants();
  CHECK(mutants.missed == std::vector<std::string>{});
  const std::string expected = table(mutants.one_rank);
  INFO("scheduler/verify/README.md should have what test_proof \"[.record]\" prints");
  CHECK(read_file(A3SIM_SOURCE_DIR "/scheduler/verify/README.md").find(expected) != std::string::npos);
}

TEST_CASE("what two or three changes make is refused by check, or computes the same") {
  const Mutants mutants = changed_more_than_once(kSeed, 300);
  CHECK(mutants.missed == std::vector<std::string>{});
  CHECK(mutants.one_rank.at("").equal > 100);
}

TEST_CASE("the same, of as many seeds as A3SIM_SEEDS says", "[.]") {
  const char* const seeds = std::getenv("A3SIM_SEEDS");
  for (std::uint64_t seed = 2; seeds && seed < 2 + std::strtoull(seeds, nullptr, 10); ++seed) {
    const Mutants mutants = changed_more_than_once(seed, 3000);
    INFO("seed " << seed);
    CHECK(mutants.missed == std::vector<std::string>{});
  }
}

TEST_CASE("print the table of broken schedules", "[.record]") {
  const Mutants mutants = all_mutants();
  fmt::print("{}\nOf all ranks alike:\n\n{}", table(mutants.one_rank), table(mutants.all_ranks));
}
