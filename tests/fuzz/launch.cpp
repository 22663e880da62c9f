#include "sim/core/config/value.h"
#include "sim/experiment/launch/launch_script.h"
#include "tests/fuzz/target.h"

namespace a3sim {
namespace {

// A launch script, and the same bytes as the YAML of the FSDP2 trainer.
class LaunchTarget final : public FuzzTarget {
 public:
  void take(std::string_view input) const override {
    for (const char* name : {"pretrain.sh", "pretrain.yaml"}) {
      Diagnostics diagnostics;
      static_cast<void>(read_launch_script(input, {name, 1, 1}, diagnostics));
    }
  }
};

A3SIM_REGISTER(FuzzTarget, "launch", "a launch script", LaunchTarget);

}  // namespace
}  // namespace a3sim
