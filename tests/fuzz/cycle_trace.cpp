#include "sim/core/ids.h"
#include "tests/fuzz/input.h"
#include "tests/fuzz/target.h"
#include "traces/import/imported.h"
#include "traces/import/profile_report.h"

namespace a3sim {
namespace {

class CycleTraceTarget final : public FuzzTarget {
 public:
  void take(std::string_view input) const override {
    const Profile profile = read_profile(fuzz_folder().add("trace.json", std::string(input)));
    profile_report(profile, kNone).text();
    for (const auto& [name, contents] : imported_files(profile))
      fuzz_folder().add("imported/" + name, contents);
    read_imported(fuzz_folder() / "imported");
  }
};

A3SIM_REGISTER(FuzzTarget, "cycle_trace", "the runtime's in-kernel trace", CycleTraceTarget);

}  // namespace
}  // namespace a3sim
