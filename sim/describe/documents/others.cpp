#include "sim/describe/document.h"
#include "sim/diagnosis/jobs/job.h"
#include "sim/diagnosis/locate/limits.h"
#include "sim/diagnosis/rules/rule_data.h"
#include "sim/experiment/config/configs_folder.h"
#include "sim/published/fit/measurements.h"
#include "sim/published/published_table.h"
#include "sim/search/space.h"
#include "sim/sweep/sweep_file.h"

// Kinds of files, besides experiments, that one function reads.
namespace a3sim {
namespace {

namespace fs = std::filesystem;

// Reads the thresholds of a cause, or those that find slow steps.
void read_advice(const Config& root, Diagnostics&, const fs::path& file) {
  if (root.has("locate"))
    read_locate_limits(root);
  else
    RuleData::read(root, file);
}

void read_faults(const Config& root, Diagnostics&, const fs::path&) {
  for (const std::uint32_t ranks : {4U, 8U}) {  // which ranks may be named depends on the job
    FaultSite site;
    site.ranks = ranks;
    Injection injection;
    read_injection(root, site, injection);
  }
  root.finish();
}

void read_sweep_alone(const Config& root, Diagnostics&, const fs::path& file) {
  SweepSpec spec;
  spec.file = file;
  read_sweep(root, spec);
  root.finish();
}

A3SIM_REGISTER(Document, "advice", "thresholds and remedies of a cause",
               Document{"advice", "comm.link",
                        "a3sim advise JOB, from a copy of the configurations that A3SIM_CONFIGS names",
                        read_advice});
A3SIM_REGISTER(Document, "faults", "what is wrong with a job, for 'a3sim run --steps N --inject'",
               Document{"faults", "port", "a3sim run CONFIG --steps N --inject FILE -o JOB", read_faults,
                        [](const fs::path& file) {
                          load_job(configs_folder() / "experiments" / "ep8.yaml", {}, file);
                        }});
A3SIM_REGISTER(Document, "points", "measurements of a device to fit its file to, and how to take them",
               Document{"points", "a3",
                        "a3sim calibrate --points FILE --hardware machine.yaml -o fitted.yaml",
                        [](const Config& root, Diagnostics&, const fs::path& file) {
                          read_points(root, fs::absolute(file).parent_path());
                        }});
A3SIM_REGISTER(Document, "published", "published values, and what is run to predict them",
               Document{"published", "add", "a3sim reproduce FILE",
                        [](const Config& root, Diagnostics&, const fs::path& file) {
                          read_published_table(root, fs::absolute(file).parent_path(), file.stem().string());
                        }});
A3SIM_REGISTER(Document, "space", "what 'a3sim search' may change, and where it looks",
               Document{
                   "spaces", "moe_ffn", "a3sim search CONFIG --space FILE",
                   [](const Config& root, Diagnostics&, const fs::path& file) { read_space(root, file); },
                   [](const fs::path& file) { read_space(file); }});
A3SIM_REGISTER(Document, "sweep", "an experiment at many points",
               Document{"sweeps", "links", "a3sim sweep FILE --db points.db", read_sweep_alone,
                        [](const fs::path& file) { read_sweep(file, {}); }});

}  // namespace
}  // namespace a3sim
