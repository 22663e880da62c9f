#include "scheduler/orders/order_csv.h"

#include "sim/experiment/config/configs_folder.h"
#include "sim/experiment/experiment.h"
#include "sim/experiment/run/compiled.h"
#include "tests/fuzz/target.h"

namespace a3sim {
namespace {

// An explicit list, which a small experiment is compiled in.
class OrderCsvTarget final : public FuzzTarget {
 public:
  void take(std::string_view input) const override {
    static const Experiment kExperiment =
        load_experiment(configs_folder() / "experiments" / "ep4.yaml",
                        std::vector<std::string>{"parallel.ep=2", "model.tokens=8", "model.hidden=64",
                                                 "model.top_k=1", "model.intermediate=32",
                                                 "model.experts_per_rank=1", "experiment.pass=forward"});
    Experiment listed = kExperiment;
    for (const CoreUnit queue : {CoreUnit::kMatrix, CoreUnit::kVector}) {
      const auto q = static_cast<std::size_t>(queue);
      listed.order.list[q] = read_order_csv(input, "fuzz.csv", queue);
      listed.order.keys[q].clear();
    }
    compile_all(listed);
  }
};

A3SIM_REGISTER(FuzzTarget, "order_csv", "an explicit order, compiled", OrderCsvTarget);

}  // namespace
}  // namespace a3sim
