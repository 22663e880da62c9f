#include "sim/experiment/config/configs_folder.h"
#include "tests/fuzz/input.h"
#include "tests/fuzz/small_run.h"
#include "tests/fuzz/target.h"

namespace a3sim {
namespace {

// A config.json, given as a model, of which a little is run.
class HuggingFaceTarget final : public FuzzTarget {
 public:
  void take(std::string_view input) const override {
    const auto file = fuzz_folder().add("config.json", std::string(input));
    const std::vector<std::string> overrides{"model.tokens=8", "parallel.ep=2", "network.backend=native"};
    run_small(load_experiment(file, overrides));
  }
};

A3SIM_REGISTER(FuzzTarget, "huggingface", "a model's config.json, which is run where it is small",
               HuggingFaceTarget);

}  // namespace
}  // namespace a3sim
