#pragma once

#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "sim/experiment/config/configs_folder.h"
#include "sim/experiment/experiment.h"
#include "sim/sweep/sweep.h"

namespace a3sim {

// A folder for one test, removed when it ends.
class SweepFolder {
 public:
  SweepFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "a3sim_sweep_XXXXXX").string();
    path_ = mkdtemp(name.data());
  }
  ~SweepFolder() { std::filesystem::remove_all(path_); }
  SweepFolder(const SweepFolder&) = delete;
  SweepFolder& operator=(const SweepFolder&) = delete;

  std::filesystem::path write(const std::string& name, const std::string& text) const {
    std::ofstream(path_ / name, std::ios::binary) << text;
    return path_ / name;
  }
  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

// Returns the file of a sweep over a small experiment, with these lines below `axes` and `more` after them.
inline std::string sweep_text(const std::string& axes, const std::string& more = "",
                              const std::string& experiment = "elementwise",
                              const std::string& set = "elementwise.rows: 64, elementwise.cols: 64") {
  const std::string base = (configs_folder() / "experiments" / (experiment + ".yaml")).string();
  return "sweep:\n  base: " + base + "\n  set: {" + set + "}\n  axes:\n" + axes + more;
}

// Returns the file of a sweep over an MoE-FFN that runs in milliseconds.
inline std::string small_moe(const std::string& axes, const std::string& more = "") {
  return sweep_text(axes, more, "ep4",
                    "model.tokens: 96, model.hidden: 256, model.intermediate: 128, model.top_k: 2, "
                    "model.experts_per_rank: 3, cut.chunk: 16, cut.task_rows: 16, experiment.pass: forward");
}

inline SweepPlan planned(const SweepFolder& folder, const std::string& text,
                         const std::string& name = "small.yaml") {
  return plan_sweep(read_sweep(folder.write(name, text), {}));
}

inline SweepOptions into(const std::filesystem::path& database, unsigned jobs = 1) {
  SweepOptions options;
  options.database = database;
  options.jobs = jobs;
  return options;
}

}  // namespace a3sim
