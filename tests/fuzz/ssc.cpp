#include "scheduler/ssc/ssc.h"

#include "tests/fuzz/run_checked.h"
#include "tests/fuzz/target.h"

namespace a3sim {
namespace {

// Behind the checksum, which would refuse all but the seeds.
class SscTarget final : public FuzzTarget {
 public:
  void take(std::string_view input) const override {
    const Ssc ssc = Ssc::from_buffer({input.begin(), input.end()}, "fuzz.ssc");
    const std::string text = ssc.to_text();
    if (Ssc::from_text(text, "fuzz.ssc.txt").to_text() != text)
      throw std::logic_error("the text form is read as something else");
    run_if_sound(ssc);
  }
};

A3SIM_REGISTER(FuzzTarget, "ssc", "a rank's schedule, run where it is sound", SscTarget);

}  // namespace
}  // namespace a3sim
