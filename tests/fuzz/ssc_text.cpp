#include "scheduler/ssc/ssc.h"
#include "tests/fuzz/run_checked.h"
#include "tests/fuzz/target.h"

namespace a3sim {
namespace {

class SscTextTarget final : public FuzzTarget {
 public:
  void take(std::string_view input) const override { run_if_sound(Ssc::from_text(input, "fuzz.ssc.txt")); }
};

A3SIM_REGISTER(FuzzTarget, "ssc_text", "a rank's schedule as text, run where it is sound", SscTextTarget);

}  // namespace
}  // namespace a3sim
