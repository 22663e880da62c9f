#include "sim/cli/kept_run.h"

#include <nlohmann/json.hpp>

#include "sim/cli/result_directory.h"
#include "sim/experiment/config/portable_config.h"

namespace a3sim {

void keep_run(const Experiment& experiment, const std::filesystem::path& directory, const RunSummary& summary,
              std::span<const RunOutcome> passes, bool traced) {
  ResultDirectory result(directory, "run");
  const PortableConfig config = portable(experiment);
  result.add("resolved.yaml", config.resolved);
  for (const auto& [name, contents] : config.files) result.add(name, contents);
  result.add("summary.txt", summary.text);
  for (const NamedFile& file : summary.files) result.add(file.name, file.contents);
  for (const RunOutcome& pass : passes) {
    if (!traced) break;
    for (const NamedFile& file : trace_files(pass)) result.add(file.name, file.contents);
  }
  result.add("result.json", summary.json.dump(2) + '\n');
  result.commit();
}

}  // namespace a3sim
