#pragma once

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <span>
#include <string>
#include <vector>

#include "sim/experiment/config/portable_config.h"
#include "sim/experiment/outcome/run_trace.h"
#include "sim/experiment/run/run_experiment.h"
#include "sim/result/report.h"
#include "sim/result/saved_run.h"

namespace a3sim {

// A temporary folder, removed with the object.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    static int count = 0;
    path_ = std::filesystem::temp_directory_path() /
            ("a3sim_test_" + std::to_string(::getpid()) + "_" + std::to_string(count++));
    std::filesystem::create_directories(path_);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

// Writes without waiting for the disk's confirmation.
inline void write(const std::filesystem::path& file, const std::string& text) {
  std::ofstream(file, std::ios::binary) << text;
}

// Writes the files that `a3sim run -o` writes.
inline void write_run(const Experiment& experiment, std::span<const PassResult> passes,
                      const std::filesystem::path& folder) {
  std::filesystem::create_directories(folder);
  const PortableConfig config = portable(experiment);
  write(folder / "resolved.yaml", config.resolved);
  for (const auto& [name, contents] : config.files) write(folder / name, contents);
  for (const RunOutcome& pass : outcomes_of(experiment, passes, Record::kTrace)) {
    for (const NamedFile& file : trace_files(pass)) write(folder / file.name, file.contents);
  }
  write(folder / "result.json", run_summary(experiment, Compiled{}, passes).json.dump(2) + '\n');
}

// Runs an experiment and saves the run.
inline std::vector<PassResult> save(const Experiment& experiment, const std::filesystem::path& folder) {
  std::vector<PassResult> passes = run_experiment(experiment, true);
  write_run(experiment, passes, folder);
  return passes;
}

}  // namespace a3sim
