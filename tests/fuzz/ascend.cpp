#include "sim/core/ids.h"
#include "tests/fuzz/input.h"
#include "tests/fuzz/target.h"
#include "traces/import/imported.h"
#include "traces/import/profile_report.h"

namespace a3sim {
namespace {

// The tables of one rank's directory.
class AscendTarget final : public FuzzTarget {
 public:
  void take(std::string_view input) const override {
    const std::string rank = "ascend/host_1_ascend_pt/", tables = rank + "ASCEND_PROFILER_OUTPUT/";
    std::filesystem::remove_all(fuzz_folder() / "ascend");
    for (const auto& [name, contents] : files_in(input)) {
      if (name == "profiler_info_0.json") fuzz_folder().add(rank + name, contents);
      for (const char* table :
           {"kernel_details.csv", "step_trace_time.csv", "communication.json", "op_statistic.csv"})
        if (name == table) fuzz_folder().add(tables + name, contents);
    }
    const Profile profile = read_profile(fuzz_folder() / "ascend");
    profile_report(profile, kNone).text();
    imported_files(profile);
  }
};

A3SIM_REGISTER(FuzzTarget, "ascend", "the directory of an Ascend profiler", AscendTarget);

}  // namespace
}  // namespace a3sim
