#include <stdexcept>
#include <string>

#include "scheduler/verify/verify.h"
#include "sim/check/adversary.h"
#include "sim/check/data_check.h"
#include "sim/experiment/config/configs_folder.h"
#include "tests/fuzz/target.h"

namespace a3sim {
namespace {

constexpr std::uint64_t kSeed = 1;

// Two ranks of two experts, some rows, two shares per tile.
const DataCheck& data_check() {
  static const DataCheck kCheck(
      full_case(
          configs_folder() / "experiments" / "ep4.yaml",
          std::vector<std::string>{"parallel.ep=2", "model.tokens=12", "model.hidden=32", "model.top_k=2",
                                   "model.intermediate=16", "model.experts_per_rank=2", "cut.chunk=4",
                                   "cut.shares=2", "cut.task_rows=4", "tiling.base_m=16", "tiling.base_n=16",
                                   "tiling.base_k=16", "workers={aic: 2, aiv: 3}", "experiment.pass=forward"},
          kSeed),
      kSeed);
  return kCheck;
}

// Tensors, operators and tilings: what tasks compute on, beside their own regions.
std::string operands_of(const Ssc& ssc) {
  const std::string text = ssc.to_text();
  const std::size_t begin = text.find("# tensor:"), end = text.find("# worker_set:");
  return text.substr(begin, end - begin);
}

// What `check` takes gives the right tensors, whoever is late.
class SscDataTarget final : public FuzzTarget {
 public:
  void take(std::string_view input) const override {
    const Ssc ssc = Ssc::from_text(std::string(input), "fuzz.ssc.txt");
    const DataCheck::Pass& pass = data_check().passes().front();
    Schedule schedule = pass.schedule;
    if (index(ssc.rank()) >= schedule.size()) return;
    Ssc& replaced = schedule[index(ssc.rank())];
    if (operands_of(ssc) != operands_of(replaced)) return;
    replaced = ssc;
    if (!verify(schedule).errors.empty()) return;
    if (!right(data_check().run(pass, schedule, {})))
      throw std::logic_error("checked, and gives a wrong result");
    for (std::uint64_t seed = 1; seed <= kDelays; ++seed) {
      const Delays late = drawn_delays(schedule, seed, 2 * pass.makespan);
      if (!right(data_check().run(pass, schedule, late)))
        throw std::logic_error("checked, and wrong when tasks are late");
    }
  }

 private:
  static constexpr std::uint64_t kDelays = 2;
};

A3SIM_REGISTER(FuzzTarget, "ssc_data", "a rank's schedule, run on real tensors where it is sound",
               SscDataTarget);

}  // namespace
}  // namespace a3sim
