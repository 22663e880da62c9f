#include "sim/result/saved_run.h"
#include "tests/fuzz/input.h"
#include "tests/fuzz/target.h"
#include "traces/analysis/explanation.h"
#include "traces/formats/trace_format.h"
#include "traces/import/imported.h"

namespace a3sim {
namespace {

// The files of a result directory: of a run, then of a profile.
class ResultTarget final : public FuzzTarget {
 public:
  void take(std::string_view input) const override {
    std::filesystem::remove_all(fuzz_folder() / "result");
    for (const auto& [name, contents] : files_in(input)) {
      for (const char* file : {"result.json", "tasks_forward.csv", "measured.json", "measured.csv"})
        if (name == file) fuzz_folder().add("result/" + name, contents);
    }
    if (std::filesystem::exists(fuzz_folder() / "result/measured.json"))
      read_imported(fuzz_folder() / "result");
    const SavedRun run = read_run(fuzz_folder() / "result", "", Tasks::kIfThere);
    if (!run.sums.empty()) return;
    for (const TracedPass& pass : run.passes) explain(pass.trace);
    for (const auto& [name, item] : TraceFormats::all()) item.object->write(run.passes);
  }
};

A3SIM_REGISTER(FuzzTarget, "result", "what run -o and import -o left", ResultTarget);

}  // namespace
}  // namespace a3sim
