#include <fmt/ranges.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <set>

#include "scheduler/ssc/parts_of.h"
#include "scheduler/verify/verify.h"
#include "sim/check/adversary.h"
#include "sim/check/data_check.h"
#include "sim/core/error.h"
#include "sim/core/read_file.h"
#include "sim/experiment/config/configs_folder.h"
#include "tests/proof/field_changes.h"
#include "tests/proof/mutation_draws.h"

using namespace a3sim;

namespace {

constexpr std::uint64_t kFieldSeed = 1;
constexpr int kOfAField = 6;  // changed schedules of each field and choice of ranks

// Which ranks of three are changed alike.
const std::vector<std::vector<std::uint32_t>> kRanks = {{0}, {1}, {2}, {0, 1}, {0, 2}, {1, 2}, {0, 1, 2}};

// One small case under each execution; all share their schedules. `form` are further overrides.
std::vector<DataCheck> checks_of_executions(std::initializer_list<const char*> executions,
                                            const std::vector<std::string>& form = {}) {
  std::vector<DataCheck> checks;
  for (const char* execution : executions) {
    std::vector<std::string> set = {"workers={aic: 3, aiv: 4}",
                                    "model.top_k=2",
                                    "model.experts_per_rank=2",
                                    "parallel.ep=3",
                                    std::string("experiment.execution=") + execution,
                                    "experiment.communication=one_sided"};
    set.insert(set.end(), form.begin(), form.end());
    checks.emplace_back(small_cases(configs_folder() / "experiments" / "ep4.yaml", set, kFieldSeed).front(),
                        kFieldSeed);
  }
  return checks;
}

// How many schedules of a field were refused, and how many give the same results, bit by bit.
struct FieldVerdicts {
  int refused = 0, equal = 0;
};

class ChangedFields {
 public:
  // Makes `most` schedules of each field and choice of ranks.
  ChangedFields(std::span<const DataCheck> checks, std::size_t pass, int most)
      : checks_(checks), pass_(pass), most_(most) {
    for (const Ssc& ssc : checks.front().passes()[pass].schedule) good_.push_back(parts_of(ssc));
  }

  void change(const FieldChange& field, std::span<const std::uint32_t> ranks, std::uint64_t stream) {
    Rng rng(kFieldSeed, stream);
    for (int found = 0, tries = 0; found < most_ && tries < 20 * most_; ++tries) {
      Parts parts = good_;
      const Rng drawn = rng;
      bool changed = true;
      for (const std::uint32_t rank : ranks) {
        rng = drawn;
        changed = field.apply(parts[rank], rng) && changed;
      }
      if (!changed) continue;
      ++found;
      judge(parts, fmt::format("{}, {} of ranks {}, {}", checks_[0].passes()[pass_].name, field.field,
                               fmt::join(ranks, " and "), found));
    }
  }

  FieldVerdicts verdicts;
  std::vector<std::string> missed;

 private:
  void judge(const Parts& parts, const std::string& name) {
    Schedule changed;
    try {
      for (const SscParts& rank : parts) changed.push_back(Ssc::build(rank));
    } catch (const InputError&) {
      ++verdicts.refused;
      return;
    }
    if (!verify(changed).errors.empty()) {
      ++verdicts.refused;
      return;
    }
    try {
      for (const DataCheck& check : checks_) run(check, changed, name);
      ++verdicts.equal;
    } catch (const InputError&) {  // sound, and for another machine
      ++verdicts.refused;
    } catch (const std::exception& error) {
      missed.push_back(fmt::format("{}: {}", name, error.what()));
    }
  }

  // As it is, and with tasks held up.
  void run(const DataCheck& check, const Schedule& changed, const std::string& name) {
    const DataCheck::Pass& pass = check.passes()[pass_];
    for (const bool held_up : {false, true}) {
      const Delays delays = held_up ? drawn_delays(changed, kFieldSeed, 2 * pass.makespan) : Delays{};
      if (!right(check.run(pass, changed, delays)))
        missed.push_back(fmt::format("{}: another result in {} execution{}", name,
                                     check.data_case().experiment.run.execution,
                                     held_up ? " when tasks are late" : ""));
    }
  }

  std::span<const DataCheck> checks_;
  std::size_t pass_;
  int most_;
  Parts good_;
};

}  // namespace

TEST_CASE("every field of the schema is changed by the test below") {
  std::map<std::string, std::set<std::string>> changed;
  for (const FieldChange& field : field_changes()) {
    const std::size_t point = field.field.find('.');
    changed[field.field.substr(0, point)].insert(field.field.substr(point + 1));
  }
  auto schema = schema_fields(read_file(A3SIM_SOURCE_DIR "/scheduler/ssc/ssc.fbs"));
  REQUIRE(schema.size() == 9);
  // Tables, whose items' fields are changed, and what stands in a file alone.
  const std::set<std::string> tables = {"tensors", "operators", "tilings",     "tasks",  "regions",
                                        "events",  "kinds",     "worker_sets", "version"};
  std::erase_if(schema["Ssc"], [&](const std::string& name) { return tables.contains(name); });
  // One byte has how blocks are gone through, in three fields.
  REQUIRE(std::erase(schema["Tiling"], "walk") == 1);
  for (const char* part : {"strip", "loads_ahead", "rotate_k"}) schema["Tiling"].emplace_back(part);
  for (const auto& [table, fields] : schema) {
    INFO(table);
    CHECK(changed[table].size() == fields.size());
    if (table == "Ssc" || table == "Tiling")
      CHECK(changed[table] == std::set<std::string>(fields.begin(), fields.end()));
  }
}

TEST_CASE(
    "a schedule of which a field is changed on some ranks is refused, or gives the same in every execution",
    "[slow]") {
  const std::vector<DataCheck> checks = checks_of_executions({"static", "dynamic", "kernel", "fused"});
  int equal = 0;
  for (std::size_t pass = 0; pass < checks.front().passes().size(); ++pass) {
    ChangedFields all(checks, pass, kOfAField);
    std::uint64_t stream = 0;
    for (const FieldChange& field : field_changes()) {
      const FieldVerdicts before = all.verdicts;
      for (const std::vector<std::uint32_t>& ranks : kRanks) all.change(field, ranks, stream++);
      INFO(field.field);
      CHECK(all.verdicts.refused + all.verdicts.equal > before.refused + before.equal);
    }
    CHECK(all.missed == std::vector<std::string>{});
    CHECK(all.verdicts.refused > 0);
    equal += all.verdicts.equal;
  }
  CHECK(equal > 100);
}

TEST_CASE("so is one whose rows move in another form: counted, pulled, once, by other movers, in batches",
          "[slow]") {
  const std::string engine =
      "hardware.copy_engine={count: 1, rate: {value: 40 GB/s, source: ours}, startup: {value: 2 us, source: "
      "ours}}";
  const std::vector<std::vector<std::string>> forms = {
      {"experiment.dispatch=counted"},
      {"experiment.dispatch=pull"},
      {"experiment.rows=once", engine,
       "experiment.movers={'Dispatch*': copy_engine, 'Combine*': copy_engine}"},
      {"experiment.movers={Combine: product}"},
      {"experiment.batches=2", "experiment.columns=2"},
      {"cut.sources=1"}};
  for (const std::vector<std::string>& form : forms) {
    const std::vector<DataCheck> checks = checks_of_executions({"static", "dynamic"}, form);
    int equal = 0;
    for (std::size_t pass = 0; pass < checks.front().passes().size(); ++pass) {
      ChangedFields all(checks, pass, 2);
      std::uint64_t stream = 0;
      for (const FieldChange& field : field_changes())
        for (const std::vector<std::uint32_t>& ranks : {kRanks.front(), kRanks.back()})
          all.change(field, ranks, stream++);
      INFO(form.front());
      CHECK(all.missed == std::vector<std::string>{});
      CHECK(all.verdicts.refused > 0);
      equal += all.verdicts.equal;
    }
    CHECK(equal > 10);
  }
}
